//! [`Operation`]: what may have to wait, as a value. A task awaits it, a thread blocks on it.
//!
//! The value of an operation is mostly its future, which has not been polled: one that has is
//! pinned, so nobody can hand it over any more. A thread takes out of it what it needs, and leaves
//! the rest, which is in no list.

use crate::thread::This;
#[cfg(feature = "time")]
use {
    crate::time::from_now,
    embassy_time::{Duration, Instant},
};

#[cfg(feature = "time")]
pub use super::until::TimedOut;
#[cfg(not(feature = "time"))]
use crate::time_missing::FeatureTime;
#[cfg(not(feature = "time"))]
pub use crate::time_missing::NoTime as TimedOut;

/// An operation of a synchronisation object that may have to wait. Nothing happens before a task
/// awaits it, or a thread blocks on it.
///
/// ```
/// use quintet::sync::{Channel, Operation, TimedOut};
/// use quintet::thread::This;
/// use embassy_time::Duration;
///
/// static COMMANDS: Channel<u8, 4> = Channel::new();
///
/// /// A thread waits by blocking, for as long as you say.
/// fn thread(this: &This<'_>) {
///     let first = COMMANDS.receive().block(this);
///     match COMMANDS.receive().block_for(this, Duration::from_millis(100)) {
///         Ok(second) => { /* Use it. */ }
///         Err(TimedOut) => { /* None came. */ }
///     }
/// }
///
/// /// A task awaits the same operation.
/// async fn task() {
///     let command = COMMANDS.receive().await;
/// }
/// # let _ = (thread, task);
/// ```
///
/// # Contexts
/// The three methods are for threads, which show that by their [`This`]. What only threads have, as
/// their mutexes, can't be awaited.
///
/// # Panics
/// Each method panics if the thread has to wait while it holds a resource, or interrupts off; with
/// an end, also where that is reached. A [`Barrier`](super::Barrier) and a
/// [`Condvar`](super::Condvar) panic then whether or not the thread has to wait.
#[must_use = "nothing happens before it is awaited, or blocked on"]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operation that a thread can wait for",
    note = "threads wait for the operations of `quintet::sync`; for any other future there is \
            `block_on`"
)]
pub trait Operation: sealed::Sealed + Sized {
    /// What it returns.
    type Output;

    /// What it fails with where its time is up: with what was to be handed over, if anything was.
    type Error;

    /// Does it. The thread waits until it is possible.
    fn block(self, this: &This<'_>) -> Self::Output;

    /// Does it. The thread waits, until the clock shows `deadline` at most. What is possible at
    /// once is done whatever the time is.
    ///
    /// # Errors
    /// [`Self::Error`] if it was not possible until then; nothing has changed.
    #[cfg(feature = "time")]
    fn block_until(self, this: &This<'_>, deadline: Instant) -> Result<Self::Output, Self::Error>;

    /// Does it. The thread waits, for `duration` at most.
    ///
    /// # Errors
    /// As [`block_until`](Self::block_until).
    #[cfg(feature = "time")]
    #[inline]
    fn block_for(self, this: &This<'_>, duration: Duration) -> Result<Self::Output, Self::Error> {
        self.block_until(this, from_now(duration))
    }

    /// Refuses to wait.
    #[cfg(not(feature = "time"))]
    #[doc(hidden)]
    fn block_until<Time: FeatureTime>(
        self,
        _: &This<'_>,
        _: Time,
    ) -> Result<Self::Output, Self::Error> {
        unreachable!("nothing implements `FeatureTime`")
    }

    /// Refuses to wait.
    #[cfg(not(feature = "time"))]
    #[doc(hidden)]
    fn block_for<Time: FeatureTime>(
        self,
        _: &This<'_>,
        _: Time,
    ) -> Result<Self::Output, Self::Error> {
        unreachable!("nothing implements `FeatureTime`")
    }
}

/// Only this crate has operations.
pub(crate) mod sealed {
    /// An operation of this crate.
    pub trait Sealed {}
}
