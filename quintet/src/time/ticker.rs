//! Periodic work without drift: [`Ticker`].

#![expect(unsafe_code, reason = "a future is made of a pinned one")]

use ::core::future::Future;
use ::core::pin::Pin;
use ::core::task::{Context, Poll, ready};

use embassy_time::{Duration, Instant};

use super::timer::{Timer, from_now};
#[cfg(threads)]
use crate::{
    sync::operation::{Operation, TimedOut, sealed::Sealed},
    thread::CurrentThread,
};

/// A time that comes again every period.
///
/// The times are multiples of the period from the first one on, however late a task that waits for
/// them is: what a task does between two ticks doesn't move the next one. Ticks that passed while
/// the task did something else are not lost: the next calls of [`next`](Self::next) return at once,
/// one for each. [`skip_missed`](Self::skip_missed) leaves them out.
///
/// ```
/// use embassy_time::Duration;
/// use quintet::sync::Operation;
/// use quintet::thread::CurrentThread;
/// use quintet::time::Ticker;
///
/// async fn task() {
///     let mut ticker = Ticker::every(Duration::from_millis(10));
///     loop {
///         ticker.next().await;
///         // Every 10 ms, however long this takes.
///         if ticker.skip_missed() > 0 {
///             // It took longer than that.
///         }
///     }
/// }
///
/// fn thread(this: &CurrentThread<'_>) -> ! {
///     let mut ticker = Ticker::every(Duration::from_millis(10));
///     loop {
///         ticker.next().block(this);
///     }
/// }
/// # let _ = (task, thread);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticker {
    next: Instant,
    period: Duration,
}

impl Ticker {
    /// Ticks every `period`, a period from now first. A period of 0 is one tick of the clock.
    #[inline]
    #[must_use]
    pub fn every(period: Duration) -> Self {
        let period = period.max(Duration::from_ticks(1));
        Self { next: from_now(period), period }
    }

    /// Ticks at `first` and every `period` behind it. A period of 0 is one tick of the clock.
    #[inline]
    #[must_use]
    pub fn starting_at(first: Instant, period: Duration) -> Self {
        Self { next: first, period: period.max(Duration::from_ticks(1)) }
    }

    /// Waits for the next tick, and returns its time: not that of the present, which may be later.
    ///
    /// # Cancel safety
    /// Dropping the future before it is ready loses no tick.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "it waits, where an iterator doesn't")]
    pub fn next(&mut self) -> Next<'_> {
        Next { timer: Timer::at(self.next), ticker: self }
    }

    /// The tick that has come; the next one is a period later.
    #[inline]
    fn advance(&mut self) -> Instant {
        let tick = self.next;
        self.next = tick.saturating_add(self.period);
        tick
    }

    /// Moves the next tick to the first of the row that is not past. Returns how many are left out.
    ///
    /// Takes a division of 64 bits.
    #[inline]
    pub fn skip_missed(&mut self) -> u64 {
        let late = Instant::now().saturating_duration_since(self.next).as_ticks();
        let missed = late.div_ceil(self.period.as_ticks());
        let ticks = missed.saturating_mul(self.period.as_ticks());
        self.next = self.next.saturating_add(Duration::from_ticks(ticks));
        missed
    }
}

/// The future of [`Ticker::next`].
#[must_use = "nothing waits until it is awaited"]
pub struct Next<'a> {
    ticker: &'a mut Ticker,
    timer: Timer,
}

debug_by_name!([] Next<'_>: "Next");

impl Future for Next<'_> {
    type Output = Instant;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Instant> {
        // SAFETY: `timer` is never moved out of a pinned future; a reference isn't pinned.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: as above.
        ready!(unsafe { Pin::new_unchecked(&mut this.timer) }.poll(context));
        Poll::Ready(this.ticker.advance())
    }
}

#[cfg(threads)]
impl Sealed for Next<'_> {}

#[cfg(threads)]
impl Operation for Next<'_> {
    type Output = Instant;
    type Error = TimedOut;

    #[inline]
    fn block(self, this: &CurrentThread<'_>) -> Instant {
        this.delay_until(self.ticker.next);
        self.ticker.advance()
    }

    fn block_until(self, this: &CurrentThread<'_>, deadline: Instant) -> Result<Instant, TimedOut> {
        let tick = self.ticker.next;
        this.delay_until(tick.min(deadline));
        if tick <= deadline { Ok(self.ticker.advance()) } else { Err(TimedOut) }
    }
}
