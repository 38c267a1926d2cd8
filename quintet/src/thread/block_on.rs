//! Futures in threads: a thread can run one future.

#![expect(unsafe_code, reason = "timers are linked by pointers, and what waits is in a thread")]

use ::core::future::Future;
use ::core::pin::pin;
use ::core::task::{Context, Poll};

use super::CurrentThread;
use crate::core::park;
#[cfg(feature = "time")]
use crate::{core::park::Polling, time::driver};

/// Lets other code find a timer, until this value is dropped.
#[cfg(feature = "time")]
struct Found<'a>(&'a Polling);

#[cfg(feature = "time")]
impl Drop for Found<'_> {
    fn drop(&mut self) {
        self.0.end();
        // SAFETY: it is this thread's, which arms it no more.
        unsafe {
            if self.0.timer().may_be_armed() {
                driver::cancel(self.0.timer());
            }
        }
    }
}

impl CurrentThread<'_> {
    /// Runs a future to its end. The thread waits whenever the future waits.
    ///
    /// You may run every future, also one of another crate: the thread polls the future each time
    /// its waker is used. To wait for one object of [`sync`](crate::sync),
    /// [`Operation::block`](crate::sync::Operation::block) is cheaper. A
    /// [notification](super::Thread::unpark) in the meantime ends the next [`Self::park`].
    ///
    /// A future that wakes itself (for example to yield to other tasks) is polled again when the
    /// other threads of this priority have had their turn, as with [`Self::yield_now`].
    ///
    /// # Panics
    /// If the thread holds a resource, or interrupts off, and a poll finds that the future isn't
    /// ready.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        #[cfg(feature = "time")]
        let polling = Polling::new(self.thread().control());
        // SAFETY: it isn't moved, and found until this function ends.
        #[cfg(feature = "time")]
        let _found = unsafe {
            polling.begin();
            Found(&polling)
        };
        let waker = self.thread().waker();
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        park::until_by(wait, || match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    }
}

/// Waits for a wake of the future. If the wake came while the future was polled, other threads run
/// first: otherwise a future that wakes itself in each poll would hold them up for ever.
#[inline(never)]
fn wait() {
    // SAFETY: this is the thread.
    park::await_wake_or(|| unsafe { CurrentThread::new() }.yield_now());
}
