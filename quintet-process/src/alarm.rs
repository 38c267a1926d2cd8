//! Time: what it is, and waiting for it. Tock's driver 0.
//!
//! The kernel counts ticks in 32 bits; [`frequency`] says how many a second, such as a million.
//! Times here have 64 bits. They go on as long as the process looks at the time, or waits for it,
//! once in 2^31 ticks (36 minutes at 1 MHz).
//!
//! The kernel has one alarm for a process, for the earliest of all that wait.

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

/// The most ticks of one alarm: what is later takes several.
const TICKS_MAX: u64 = 1 << 31;

static FIRED: Upcall = Upcall::with(DRIVER, 0, disarm);
static CLOCK: OneThread<Clock> = OneThread::new(Clock {
    life: Cell::new(0),
    frequency: Cell::new(0),
    last: Cell::new(0),
    armed: Cell::new(None),
});

/// What is known of time.
struct Clock {
    life: Cell<u32>,
    /// Ticks a second; 0 until it is asked for.
    frequency: Cell<u32>,
    /// The time when it was last looked at.
    last: Cell<u64>,
    /// What the kernel's alarm is set for.
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

/// The alarm has come: all that wait look at the time, and set it anew.
fn disarm() {
    clock().armed.set(None);
}

/// How many ticks a second has.
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
    /// Now. 0 for ever where the process has no alarm.
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

    /// Ticks since the beginning.
    #[must_use]
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// How long ago that was; zero if it is still to come.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Self::now() - self
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    /// So much later, rounded up to whole ticks.
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(ticks(duration)))
    }
}

impl Sub for Instant {
    type Output = Duration;

    /// How much later this is than `earlier`; zero if it is not.
    fn sub(self, earlier: Self) -> Duration {
        let frequency = u64::from(frequency().unwrap_or(1));
        let ticks = self.0.saturating_sub(earlier.0);
        let nanoseconds = ticks % frequency * 1_000_000_000 / frequency;
        Duration::new(ticks / frequency, nanoseconds as u32)
    }
}

/// The ticks of a duration, rounded up.
fn ticks(duration: Duration) -> u64 {
    let frequency = u64::from(frequency().unwrap_or(1));
    let part = (u64::from(duration.subsec_nanos()) * frequency).div_ceil(1_000_000_000);
    duration.as_secs().saturating_mul(frequency).saturating_add(part)
}

/// Waits for `duration`, at least. Cancel safe.
pub fn sleep(duration: Duration) -> Sleep {
    sleep_until(Instant::now() + duration)
}

/// Waits until `deadline`; not at all if that was. Cancel safe.
pub const fn sleep_until(deadline: Instant) -> Sleep {
    Sleep { deadline }
}

/// Blocks for `duration`, at least.
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

/// The future of [`sleep`] and [`sleep_until`]. A process without an alarm waits for ever in it.
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

/// Sets the kernel's alarm, unless it is set for an earlier time. It comes at once for a time that
/// was.
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

/// The time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut;

impl core::fmt::Display for TimedOut {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("the time is over")
    }
}

impl core::error::Error for TimedOut {}

/// Waits for a future, for `duration` at most; it is dropped then. Cancel safe, if the future is.
///
/// # Errors
/// The time was over first.
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
    /// One that comes first when `period` is over.
    #[must_use]
    pub fn every(period: Duration) -> Self {
        Self { next: Instant::now() + period, period }
    }

    /// Waits for its next time, which is one period behind the last one: not at all, if that was.
    ///
    /// Cancel safe: the time of one that is dropped is waited for again.
    pub async fn next(&mut self) {
        sleep_until(self.next).await;
        self.next = self.next + self.period;
    }

    /// The same, and blocks.
    ///
    /// # Errors
    /// `NoDevice`: the process has no alarm.
    pub fn next_blocking(&mut self) -> Result<(), ErrorCode> {
        sleep_blocking(self.next - Instant::now())?;
        self.next = self.next + self.period;
        Ok(())
    }
}
