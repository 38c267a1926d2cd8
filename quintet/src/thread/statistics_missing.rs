//! Without the feature `statistics`: what users call to have it, so that the error names the
//! feature.
//!
//! For paths, such as `quintet::thread::processor`, the compiler says so itself.

use ::core::marker::PhantomData;

use super::Thread;

/// What is counted. Nothing is, without the feature.
#[diagnostic::on_unimplemented(
    message = "counting switches and times needs the feature `statistics` of quintet",
    label = "enable the feature `statistics` of quintet in Cargo.toml",
    note = "as in `quintet = {{ version = \"..\", features = [\"statistics\"] }}`"
)]
pub trait FeatureStatistics {}

/// What would be counted of a thread. Of a lifetime, as the compiler refuses a bound that depends
/// on nothing already where it stands.
#[derive(Debug)]
pub struct Counts<'a>(PhantomData<&'a Thread>);

/// What the counts would be, so that no errors follow from the refusal.
#[derive(Clone, Copy, Debug)]
pub struct Refused {
    /// How often it was switched to.
    pub switches: u32,
    /// How many cycles it was the running thread.
    pub cycles: u64,
}

impl Refused {
    /// What was added.
    #[must_use]
    pub const fn since(self, _: Self) -> Self {
        self
    }
}

impl Thread {
    /// Refuses to count.
    #[doc(hidden)]
    #[must_use]
    pub fn statistics<'a>(&'a self) -> Refused
    where
        Counts<'a>: FeatureStatistics,
    {
        unreachable!("nothing implements `FeatureStatistics`")
    }
}
