//! An executor of one future, which yields when there is nothing to do.

use core::cell::Cell;
use core::future::Future;
use core::pin::{Pin, pin};
use core::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

use crate::system::OneThread;
use crate::upcall::yield_wait;

/// How often something was woken.
static WAKES: OneThread<Cell<u32>> = OneThread::new(Cell::new(0));

/// Runs a future to its end. While it waits, the process yields: it takes no time of the processor.
///
/// Blocks. Within a future it blocks all futures of the process but its own. Every upcall that
/// wakes something lets the future be polled, so that none is missed between two polls.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = waker();
    let mut context = Context::from_waker(&waker);
    loop {
        let seen = WAKES.get().get();
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        while WAKES.get().get() == seen {
            yield_wait();
        }
    }
}

/// The waker of all futures: there is one to poll.
fn waker() -> Waker {
    const TABLE: RawWakerVTable = RawWakerVTable::new(|_| RAW, |_| wake(), |_| wake(), |_| {});
    const RAW: RawWaker = RawWaker::new(core::ptr::null(), &TABLE);
    #[expect(unsafe_code, reason = "a waker from functions")]
    // SAFETY: its functions use no data.
    unsafe {
        Waker::from_raw(RAW)
    }
}

fn wake() {
    // A waker is `Send`: on the computer another thread may have one, and does nothing by it.
    if crate::system::is_here() {
        let wakes = WAKES.get();
        wakes.set(wakes.get().wrapping_add(1));
    }
}

/// Runs two futures beside each other, until both are done.
///
/// Cancel safe, if both are.
pub async fn join<A: Future, B: Future>(first: A, second: B) -> (A::Output, B::Output) {
    let (mut first, mut second) = (pin!(Branch::new(first)), pin!(Branch::new(second)));
    core::future::poll_fn(|context| {
        let is_done = first.as_mut().poll(context) & second.as_mut().poll(context);
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    match (first.take(), second.take()) {
        (Some(first), Some(second)) => (first, second),
        _ => unreachable!("both are done"),
    }
}

/// What came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The output of the first future.
    First(A),
    /// The output of the second one.
    Second(B),
}

/// Runs two futures beside each other, until one is done; the other is dropped. The first one is
/// looked at first.
///
/// Cancel safe, if both are.
pub async fn select<A: Future, B: Future>(first: A, second: B) -> Either<A::Output, B::Output> {
    let (mut first, mut second) = (pin!(first), pin!(second));
    core::future::poll_fn(|context| {
        if let Poll::Ready(output) = first.as_mut().poll(context) {
            return Poll::Ready(Either::First(output));
        }
        second.as_mut().poll(context).map(Either::Second)
    })
    .await
}

/// A future, and its output when it is done.
struct Branch<F: Future> {
    future: F,
    output: Option<F::Output>,
}

impl<F: Future> Branch<F> {
    const fn new(future: F) -> Self {
        Self { future, output: None }
    }

    /// Polls it unless it is done; whether it is.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> bool {
        #[expect(unsafe_code, reason = "a projection")]
        // SAFETY: the future is pinned with the branch and never moved; the output isn't pinned.
        let (future, output) = unsafe {
            let branch = self.get_unchecked_mut();
            (Pin::new_unchecked(&mut branch.future), &mut branch.output)
        };
        if output.is_none()
            && let Poll::Ready(ready) = future.poll(context)
        {
            *output = Some(ready);
        }
        output.is_some()
    }

    fn take(self: Pin<&mut Self>) -> Option<F::Output> {
        #[expect(unsafe_code, reason = "a projection")]
        // SAFETY: the output isn't pinned.
        unsafe {
            self.get_unchecked_mut().output.take()
        }
    }
}
