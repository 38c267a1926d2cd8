//! An executor of one future, which yields when the future waits.

use core::cell::Cell;
use core::future::Future;
use core::pin::{Pin, pin};
use core::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

use crate::system::OneThread;
use crate::upcall::yield_wait;

/// The number of wakes so far.
static WAKES: OneThread<Cell<u32>> = OneThread::new(Cell::new(0));

/// Runs a future to its end. While the future waits, the process yields, and takes no time of the
/// processor.
///
/// This call blocks. If you call it within another future, it holds up all futures of the process
/// but its own. After every upcall that wakes something, the future is polled, so that no upcall
/// between two polls is missed.
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

/// The waker of all futures: each wake leads to a poll of the one future that runs.
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

/// Runs two futures beside each other, until both have ended.
///
/// Cancel safe, if both futures are cancel safe.
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

/// The output of the future that ended first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The output of the first future.
    First(A),
    /// The output of the second future.
    Second(B),
}

/// Runs two futures beside each other, until one has ended; the other future is dropped. The first
/// future is polled first.
///
/// Cancel safe, if both futures are cancel safe.
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

/// A future, and its output when it has ended.
struct Branch<F: Future> {
    future: F,
    output: Option<F::Output>,
}

impl<F: Future> Branch<F> {
    const fn new(future: F) -> Self {
        Self { future, output: None }
    }

    /// Polls the future unless it has ended. Returns `true` if it has.
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
