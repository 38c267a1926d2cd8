//! Futures in threads: a thread is the executor of one.

use ::core::future::Future;
use ::core::pin::pin;
use ::core::task::{Context, Poll};

use super::This;
use crate::core::park;

impl This<'_> {
    /// Runs a future to its end. The thread waits whenever the future does.
    ///
    /// Takes every future, also of other crates: it is polled when its waker was used. Waiting for
    /// one object of [`sync`](crate::sync) is cheaper by its own `x_blocking`. A
    /// [notification](super::Thread::unpark) that comes meanwhile ends the next [`Self::park`].
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let waker = self.thread().waker();
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        park::until(|| match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    }
}
