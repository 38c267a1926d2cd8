//! [`Operation`]: an operation that may have to wait, as a value. A task awaits the value, a thread
//! blocks on it.
//!
//! The value of an operation is mostly a future that has not been polled: a polled future is
//! pinned, so it can't be handed over any more. A thread takes the parts that it needs out of the
//! future, and forgets the rest, which is in no list.

use crate::thread::CurrentThread;
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
/// awaits the operation, or a thread blocks on it.
///
/// ```
/// use quintet::sync::{Channel, Operation, TimedOut};
/// use quintet::thread::CurrentThread;
/// use embassy_time::Duration;
///
/// static COMMANDS: Channel<u8, 4> = Channel::new();
///
/// /// A thread waits by blocking, for as long as you say.
/// fn thread(this: &CurrentThread<'_>) {
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
/// The three methods are for threads, which prove this by their [`CurrentThread`]. You can't await
/// operations that only threads have, such as those of their mutexes.
///
/// # Panics
/// Each method panics if the thread has to wait while it holds a resource, or holds interrupts off.
/// With a deadline, the method panics even if the deadline is past. A [`Barrier`](super::Barrier)
/// and a [`Condvar`](super::Condvar) panic in such a thread whether or not it has to wait.
#[must_use = "nothing happens before it is awaited, or blocked on"]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operation that a thread can wait for",
    note = "threads wait for the operations of `quintet::sync`; for any other future there is \
            `block_on`"
)]
pub trait Operation: sealed::Sealed + Sized {
    /// The result of the operation.
    type Output;

    /// The error after the time is up. If a value was to be handed over, the error has the value.
    type Error;

    /// Executes the operation. The thread waits until this is possible.
    fn block(self, this: &CurrentThread<'_>) -> Self::Output;

    /// Executes the operation. The thread waits until this is possible, at most until the clock
    /// shows `deadline`. An operation that is possible at once succeeds at any time.
    ///
    /// # Errors
    /// [`Self::Error`] if the operation was not possible by then; nothing has changed.
    #[cfg(feature = "time")]
    fn block_until(
        self,
        this: &CurrentThread<'_>,
        deadline: Instant,
    ) -> Result<Self::Output, Self::Error>;

    /// Executes the operation. The thread waits, at most for `duration`.
    ///
    /// # Errors
    /// As [`block_until`](Self::block_until).
    #[cfg(feature = "time")]
    #[inline]
    fn block_for(
        self,
        this: &CurrentThread<'_>,
        duration: Duration,
    ) -> Result<Self::Output, Self::Error> {
        self.block_until(this, from_now(duration))
    }

    /// Refuses to wait.
    #[cfg(not(feature = "time"))]
    #[doc(hidden)]
    fn block_until<Time: FeatureTime>(
        self,
        _: &CurrentThread<'_>,
        _: Time,
    ) -> Result<Self::Output, Self::Error> {
        unreachable!("nothing implements `FeatureTime`")
    }

    /// Refuses to wait.
    #[cfg(not(feature = "time"))]
    #[doc(hidden)]
    fn block_for<Time: FeatureTime>(
        self,
        _: &CurrentThread<'_>,
        _: Time,
    ) -> Result<Self::Output, Self::Error> {
        unreachable!("nothing implements `FeatureTime`")
    }
}

/// Limits the trait to the operations of this crate.
pub(crate) mod sealed {
    /// An operation of this crate.
    pub trait Sealed {}
}
