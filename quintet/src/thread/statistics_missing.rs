//! Without the feature `statistics`: the names that the feature adds, so that the compiler's error
//! names the feature.
//!
//! For paths, such as `quintet::thread::processor`, the compiler names the feature by itself.

use ::core::marker::PhantomData;

use super::Thread;

/// A trait that no type implements without the feature.
#[diagnostic::on_unimplemented(
    message = "counting switches and times needs the feature `statistics` of quintet",
    label = "enable the feature `statistics` of quintet in Cargo.toml",
    note = "as in `quintet = {{ version = \"..\", features = [\"statistics\"] }}`"
)]
pub trait FeatureStatistics {}

/// Stands for the counts of a thread. The type has a lifetime, as the compiler refuses a bound
/// without any parameter at once, even if nobody calls the function.
#[derive(Debug)]
pub struct Counts<'a>(PhantomData<&'a Thread>);

/// Stands for the result, so that no further errors follow from the refusal.
#[derive(Clone, Copy, Debug)]
pub struct Refused {
    /// How often the kernel switched to the thread.
    pub switches: u32,
    /// How many cycles the thread was the running thread.
    pub cycles: u64,
}

impl Refused {
    /// The difference.
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
