//! An end for a wait that may take too long: [`timeout`] and [`deadline`].

#![expect(unsafe_code, reason = "the parts of a pinned future are pinned")]

use ::core::future::Future;
use ::core::pin::Pin;
use ::core::task::{Context, Poll};

use embassy_time::{Duration, Instant, TimeoutError};

use super::timer::{Timer, from_now};

/// Lets `future` run for at most `duration`, from the call on.
///
/// Returns the output of `future`, or an error if the time has come first. `future` is dropped
/// together with the returned future; its own cancel safety says whether anything is lost. If both
/// have happened when the task next runs, you get the output.
///
/// `embassy_time::with_timeout` works, too. This function disarms its timer as soon as the timer is
/// not needed any more, instead of waking the task for nothing.
#[inline(always)]
pub fn timeout<F: Future>(duration: Duration, future: F) -> Deadline<F> {
    deadline(from_now(duration), future)
}

/// Lets `future` run until `at` at most. As [`timeout`], also in cancel safety.
#[inline(always)]
pub const fn deadline<F: Future>(at: Instant, future: F) -> Deadline<F> {
    Deadline { timer: Timer::at(at), future }
}

/// The future that [`timeout`] and [`deadline`] return.
///
/// ```
/// use quintet::sync::Signal;
/// use quintet::time::{Duration, VirtualClock, timeout};
///
/// quintet::virtual_clock!();
///
/// static ANSWER: Signal<u8> = Signal::new();
///
/// let clock = VirtualClock::take();
/// // Nobody answers.
/// let answer = clock.run(timeout(Duration::from_secs(1), ANSWER.wait()));
/// assert!(answer.is_err());
/// ```
///
/// # Cancel safety
/// As the inner future.
#[must_use = "nothing runs until it is awaited"]
pub struct Deadline<F> {
    timer: Timer,
    future: F,
}

debug_by_name!([F] Deadline<F>: "Deadline");

impl<F: Future> Future for Deadline<F> {
    type Output = Result<F::Output, TimeoutError>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: both parts are treated as pinned: they are moved nowhere, and nothing else hands
        // them out. There is no `Drop` and no `Unpin` of its own.
        let (timer, future) = unsafe {
            let this = self.get_unchecked_mut();
            (Pin::new_unchecked(&mut this.timer), Pin::new_unchecked(&mut this.future))
        };
        if let Poll::Ready(output) = future.poll(context) {
            return Poll::Ready(Ok(output));
        }
        timer.poll(context).map(|()| Err(TimeoutError))
    }
}
