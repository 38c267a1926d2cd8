//! Futures in threads: a thread is the executor of one.

#![expect(unsafe_code, reason = "wakers are made of pointers, and timers linked by them")]

use ::core::future::Future;
use ::core::pin::pin;
use ::core::task::{Context, Poll};

use super::This;
use crate::core::park::{self, Polling};
#[cfg(feature = "time")]
use crate::time::driver;

/// Whose timer is not armed any more when it is dropped.
struct Polled(Polling);

#[cfg(feature = "time")]
impl Drop for Polled {
    fn drop(&mut self) {
        let timer = self.0.timer();
        // SAFETY: it is this thread's, which arms it no more.
        unsafe {
            if timer.may_be_armed() {
                driver::cancel(timer);
            }
        }
    }
}

impl This<'_> {
    /// Runs a future to its end. The thread waits whenever the future does.
    ///
    /// Takes every future, also of other crates: it is polled when its waker was used. Waiting for
    /// one object of [`sync`](crate::sync) is cheaper by its own `x_blocking`. A
    /// [notification](super::Thread::unpark) that comes meanwhile ends the next [`Self::park`].
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let polling = Polled(Polling::new(self.thread().control()));
        // SAFETY: it isn't moved, and dropped behind the waker.
        let waker = unsafe { polling.0.waker() };
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        park::until(|| match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    }
}
