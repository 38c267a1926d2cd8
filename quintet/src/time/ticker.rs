//! Periodic work without drift: [`Ticker`].

use embassy_time::{Duration, Instant};

use super::timer::{Timer, from_now};
#[cfg(threads)]
use crate::thread::This;

/// A time that comes again every period.
///
/// The times are multiples of the period from the first one on, however late a task that waits for
/// them is: what a task does between two ticks doesn't move the next one. Ticks that passed while
/// the task did something else are not lost: the next calls of [`next`](Self::next) return at once,
/// one for each. [`skip_missed`](Self::skip_missed) leaves them out.
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
    pub async fn next(&mut self) -> Instant {
        let tick = self.next;
        Timer::at(tick).await;
        self.next = tick.saturating_add(self.period);
        tick
    }

    /// Waits for the next tick, and returns its time: not that of the present, which may be later.
    /// The thread waits.
    ///
    /// # Panics
    /// If the tick has not passed, and the thread holds a resource, or interrupts off.
    #[cfg(threads)]
    #[inline]
    pub fn next_blocking(&mut self, this: &This<'_>) -> Instant {
        let tick = self.next;
        this.delay_until(tick);
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
