//! An end for what may take too long: [`timeout`] and [`deadline`].

#![expect(unsafe_code, reason = "the parts of a pinned future are pinned")]

use ::core::future::Future;
use ::core::pin::Pin;
use ::core::task::{Context, Poll};

use embassy_time::{Duration, Instant, TimeoutError};

use super::timer::{Timer, from_now};

/// Lets `future` run for `duration` at most, from the call on.
///
/// Its output, or the error if the time has come first. Then the future is dropped, with the
/// returned one; whether anything is lost is the matter of its own cancel safety. If both happen
/// before the task gets to look, the output counts.
///
/// `embassy_time::with_timeout` works too; this one disarms its timer at once when it is not needed
/// any more, instead of waking the task for nothing.
#[inline(always)]
pub fn timeout<F: Future>(duration: Duration, future: F) -> Deadline<F> {
    deadline(from_now(duration), future)
}

/// Lets `future` run until `at`, at most. As [`timeout`], also in cancel safety.
#[inline(always)]
pub const fn deadline<F: Future>(at: Instant, future: F) -> Deadline<F> {
    Deadline { timer: Timer::at(at), future }
}

/// What [`timeout`] and [`deadline`] return.
///
/// # Cancel safety
/// That of the future in it.
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
