//! Time: reading the clock, and waiting for a time. Tock's driver 0.
//!
//! The kernel counts ticks in 32 bits; [`frequency`] says how many ticks a second has, such as a
//! million. Times in this module have 64 bits. They stay right as long as your process reads the
//! time, or waits for a time, once in 2^31 ticks (36 minutes at 1 MHz).
//!
//! The kernel has one alarm for a process. This module sets the alarm for the earliest time that
//! any future waits for.

use core::cell::Cell;
use core::future::Future;
use core::ops::{Add, Sub};
use core::pin::Pin;
use core::task::{Context, Poll};
pub use core::time::Duration;

use crate::executor::{Either, select};
use crate::system::{OneThread, life};
use crate::{ErrorCode, Upcall, command};

/// The driver's number.
pub const DRIVER: u32 = 0;
/// Its commands.
const FREQUENCY: u32 = 1;
const NOW: u32 = 2;
const SET: u32 = 6;

/// The most ticks of one alarm: a later time takes several alarms.
const TICKS_MAX: u64 = 1 << 31;

static FIRED: Upcall = Upcall::with(DRIVER, 0, disarm);
static CLOCK: OneThread<Clock> = OneThread::new(Clock {
    life: Cell::new(0),
    frequency: Cell::new(0),
    last: Cell::new(0),
    armed: Cell::new(None),
});

/// The state of this module.
struct Clock {
    life: Cell<u32>,
    /// Ticks a second; 0 until the process asks the kernel.
    frequency: Cell<u32>,
    /// The time at the last look.
    last: Cell<u64>,
    /// The time that the kernel's alarm is set for.
    armed: Cell<Option<u64>>,
}

fn clock() -> &'static Clock {
    let clock = CLOCK.get();
    if clock.life.replace(life()) != life() {
        clock.frequency.set(0);
        clock.last.set(0);
        clock.armed.set(None);
    }
    clock
}

/// The alarm has come: all waiting futures look at the time, and set the alarm anew.
fn disarm() {
    clock().armed.set(None);
}

/// Returns how many ticks a second has.
///
/// # Errors
/// `NoDevice`: the kernel has no alarm, or the process may not use it.
pub fn frequency() -> Result<u32, ErrorCode> {
    let clock = clock();
    if clock.frequency.get() == 0 {
        let frequency = command(DRIVER, FREQUENCY, 0, 0).word()?;
        if frequency == 0 {
            return Err(ErrorCode::Off);
        }
        clock.frequency.set(frequency);
    }
    Ok(clock.frequency.get())
}

/// A point in time: ticks since some beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Instant {
    /// Returns the present. If the process has no alarm, this is always 0.
    #[must_use]
    pub fn now() -> Self {
        let clock = clock();
        let last = clock.last.get();
        let Ok(ticks) = command(DRIVER, NOW, 0, 0).word() else { return Self(last) };
        // Ticks have 32 bits: how many have gone by since the last look.
        let now = last + u64::from(ticks.wrapping_sub(last as u32));
        clock.last.set(now);
        Self(now)
    }

    /// Returns the ticks since the beginning.
    #[must_use]
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// Returns how long ago this instant was, or zero if the instant is still to come.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Self::now() - self
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    /// Returns an instant that is `duration` later, rounded up to whole ticks.
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(ticks(duration)))
    }
}

impl Sub for Instant {
    type Output = Duration;

    /// Returns how much later this instant is than `earlier`, or zero if it is not later.
    fn sub(self, earlier: Self) -> Duration {
        let frequency = u64::from(frequency().unwrap_or(1));
        let ticks = self.0.saturating_sub(earlier.0);
        let nanoseconds = ticks % frequency * 1_000_000_000 / frequency;
        Duration::new(ticks / frequency, nanoseconds as u32)
    }
}

/// Returns the ticks of a duration, rounded up.
fn ticks(duration: Duration) -> u64 {
    let frequency = u64::from(frequency().unwrap_or(1));
    let part = (u64::from(duration.subsec_nanos()) * frequency).div_ceil(1_000_000_000);
    duration.as_secs().saturating_mul(frequency).saturating_add(part)
}

/// Waits at least for `duration`. Cancel safe.
pub fn sleep(duration: Duration) -> Sleep {
    sleep_until(Instant::now() + duration)
}

/// Waits until `deadline`, and returns at once if `deadline` has passed. Cancel safe.
pub const fn sleep_until(deadline: Instant) -> Sleep {
    Sleep { deadline }
}

/// Blocks at least for `duration`.
///
/// # Errors
/// `NoDevice`: the process has no alarm.
pub fn sleep_blocking(duration: Duration) -> Result<(), ErrorCode> {
    let deadline = Instant::now() + duration;
    while Instant::now() < deadline {
        arm(deadline)?;
        FIRED.wait();
    }
    Ok(())
}

/// The future of [`sleep`] and [`sleep_until`]. In a process without an alarm, this future waits
/// for ever.
#[derive(Clone, Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Sleep {
    deadline: Instant,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.deadline {
            return Poll::Ready(());
        }
        FIRED.wakers().register(context.waker());
        // Where that is refused, nothing comes.
        let _refused = FIRED.listen().and_then(|()| arm(self.deadline));
        Poll::Pending
    }
}

/// Sets the kernel's alarm, unless the alarm is set for an earlier time. For a time in the past,
/// the alarm comes at once.
fn arm(deadline: Instant) -> Result<(), ErrorCode> {
    let clock = clock();
    let now = clock.last.get();
    // One that was for a time that is over may have been dropped: the kernel's queue was full.
    if clock.armed.get().is_some_and(|armed| (now..=deadline.0).contains(&armed)) {
        return Ok(());
    }
    let ticks = deadline.0.saturating_sub(now).min(TICKS_MAX);
    command(DRIVER, SET, now as u32, ticks as u32).word()?;
    clock.armed.set(Some(now + ticks));
    Ok(())
}

/// The error of [`timeout`]: the time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut;

impl core::fmt::Display for TimedOut {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("the time is over")
    }
}

impl core::error::Error for TimedOut {}

/// Waits for a future, but at most for `duration`. Then the future is dropped. Cancel safe, if the
/// future is cancel safe.
///
/// # Errors
/// If the time was over first.
pub async fn timeout<F: Future>(duration: Duration, future: F) -> Result<F::Output, TimedOut> {
    match select(future, sleep(duration)).await {
        Either::First(output) => Ok(output),
        Either::Second(()) => Err(TimedOut),
    }
}

/// Waits again and again, without drift.
#[derive(Clone, Debug)]
pub struct Ticker {
    next: Instant,
    period: Duration,
}

impl Ticker {
    /// Returns a ticker whose first time is one `period` from now.
    #[must_use]
    pub fn every(period: Duration) -> Self {
        Self { next: Instant::now() + period, period }
    }

    /// Waits for the ticker's next time, which is one period after the last one. Returns at once if
    /// that time has passed.
    ///
    /// Cancel safe: if you drop the future, the next call waits for the same time.
    pub async fn next(&mut self) {
        sleep_until(self.next).await;
        self.next = self.next + self.period;
    }

    /// As [`next`](Self::next), but blocks.
    ///
    /// # Errors
    /// `NoDevice`: the process has no alarm.
    pub fn next_blocking(&mut self) -> Result<(), ErrorCode> {
        sleep_blocking(self.next - Instant::now())?;
        self.next = self.next + self.period;
        Ok(())
    }
}
