//! [`VirtualClock`]: time that a test moves, on the host.
//!
//! The virtual clock is the driver of the timer queue and of `embassy-time`, as a hardware timer
//! is. Its time stands still until the test lets time pass. Timers that are due run in the thread
//! of the test, in the order of their deadlines, while the clock shows each deadline.
//!
//! A process has one timer queue. So tests take turns: a test that takes the clock keeps it until
//! the test drops the clock, and begins at time 0 with nothing armed.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::driver::{expire, queue};
use super::timebase::Timebase;
use super::{Duration, Instant};
use crate::core::lock::{KernelLock, kernel};
use crate::core::timer::Queue;

/// The present.
static NOW: AtomicU64 = AtomicU64::new(0);
/// Held by the test whose turn it is.
static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    /// Whether this thread has the clock.
    static MINE: Cell<bool> = const { Cell::new(false) };
    /// Whether timers that were left armed end now, without their effect.
    static ENDING: Cell<bool> = const { Cell::new(false) };
}

/// The clock of a test on the host: time passes when the test says so.
///
/// [`virtual_clock!`](crate::virtual_clock) makes this clock the time of a test program. Then each
/// test that uses time takes the clock first.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use quintet::time::{Duration, Instant, SoftwareTimer, VirtualClock, delay};
///
/// quintet::virtual_clock!();
///
/// static BLINKS: AtomicU32 = AtomicU32::new(0);
/// static BLINK: SoftwareTimer =
///     SoftwareTimer::new(|_| { BLINKS.fetch_add(1, Ordering::Relaxed); });
///
/// let clock = VirtualClock::take();
/// BLINK.start_periodic(Duration::from_millis(500));
/// clock.advance(Duration::from_millis(1499));
/// assert_eq!(BLINKS.load(Ordering::Relaxed), 2);
/// assert_eq!(clock.next(), Some(Instant::from_millis(1500)));
///
/// // A future runs to its end, as fast as it can: time passes while it waits.
/// clock.run(async {
///     delay(Duration::from_secs(60)).await;
/// });
/// assert_eq!(clock.now(), Instant::from_millis(61_499));
/// assert_eq!(BLINKS.load(Ordering::Relaxed), 122);
/// ```
///
/// # Turns
/// `cargo test` runs tests on several threads of one process, which has one timer queue.
/// [`take`](Self::take) waits until no other thread has the clock. Time then begins at 0, and
/// nothing is armed: timers that a test leaves armed end when the test drops the clock. Timers and
/// time events stop without their effect, and other wakers are woken. Statics of the test program
/// keep their values, as in every test.
///
/// If a thread asks for the time and has not taken the clock, the thread panics, as it would see
/// the time of another test. The message says what to do.
pub struct VirtualClock {
    /// Dropped after the rest: armed timers end within the turn.
    turn: Option<MutexGuard<'static, ()>>,
}

impl VirtualClock {
    /// Waits until no other thread has the clock, and takes the clock: at time 0, with nothing
    /// armed.
    ///
    /// # Panics
    /// If this thread has the clock already.
    #[must_use = "time stands still for the test as long as it holds the clock"]
    #[track_caller]
    pub fn take() -> Self {
        assert!(!MINE.get(), "this thread has the virtual clock already: pass it on by reference");
        // A test that has failed has put everything back.
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        MINE.set(true);
        let clock = Self { turn: Some(turn) };
        end_all();
        clock
    }

    /// Returns the present, as `Instant::now()` does within the test.
    #[must_use]
    pub fn now(&self) -> Instant {
        Instant::from_ticks(NOW.load(Ordering::Relaxed))
    }

    /// Returns when a timer is due next, or `None` if nothing is armed. A deadline that has passed
    /// already, such as a delay of 0, is due at once: then this returns the present.
    #[must_use]
    pub fn next(&self) -> Option<Instant> {
        next().map(Instant::from_ticks)
    }

    /// Lets `duration` pass, and runs all timers that are due until then, including then. With a
    /// duration of 0, runs the timers that are due now.
    ///
    /// # Panics
    /// If time would pass its end.
    #[track_caller]
    pub fn advance(&self, duration: Duration) {
        let Some(then) = self.now().checked_add(duration) else {
            panic!("time ends before that: the clock can't advance by {duration:?}");
        };
        self.advance_to(then);
    }

    /// Lets time pass up to `then`, and runs all timers that are due until then, including then.
    ///
    /// # Panics
    /// If `then` has passed.
    #[track_caller]
    pub fn advance_to(&self, then: Instant) {
        let now = self.now();
        assert!(then >= now, "time doesn't go back: it is {now:?}, and {then:?} has passed");
        loop {
            let next = due();
            if next > then.as_ticks() || next == u64::MAX {
                break;
            }
            NOW.store(next, Ordering::Relaxed);
        }
        NOW.store(then.as_ticks(), Ordering::Relaxed);
    }

    /// Lets time pass to the next deadline, and runs the timers that are due. Returns the deadline.
    /// If nothing is armed, returns `None`, and no time passes.
    pub fn advance_to_next(&self) -> Option<Instant> {
        let then = self.next()?;
        self.advance_to(then);
        Some(then)
    }

    /// Runs a future to its end. While the future waits and nothing has woken it, time passes to
    /// the next deadline of any timer.
    ///
    /// # Panics
    /// If the future waits and nothing is armed; or if 100000 deadlines pass without waking the
    /// future.
    #[track_caller]
    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let _ = self;
        crate::arch::finish::finish(future, pass_to_next)
    }
}

impl Drop for VirtualClock {
    fn drop(&mut self) {
        end_all();
        MINE.set(false);
        self.turn = None;
    }
}

impl fmt::Debug for VirtualClock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("VirtualClock").field("now", &self.now()).finish_non_exhaustive()
    }
}

/// Runs the timers that are due now. Returns when a timer is due next: the end of time if nothing
/// is armed.
fn due() -> u64 {
    expire(queue(), NOW.load(Ordering::Relaxed), u64::MAX)
}

/// Returns when a timer is due next, if one is armed.
fn next() -> Option<u64> {
    let earliest = kernel(|token| queue().earliest(token))?;
    Some(earliest.max(NOW.load(Ordering::Relaxed)))
}

/// Lets time pass to the next deadline, if this thread has the clock and a timer is armed.
pub fn pass_to_next() -> bool {
    let Some(then) = next().filter(|_| MINE.get()) else { return false };
    NOW.store(then, Ordering::Relaxed);
    due();
    true
}

/// Ends all armed timers, without their effect, and goes back to time 0.
fn end_all() {
    ENDING.set(true);
    expire(queue(), u64::MAX, u64::MAX);
    ENDING.set(false);
    NOW.store(0, Ordering::Relaxed);
    // The alarm is the end of time: no hardware is set for an earlier one.
    due();
}

/// Returns `true` if timers end now without calling their functions.
pub fn is_ending() -> bool {
    ENDING.get()
}

/// The time of the virtual clock, as the driver sees it.
#[derive(Debug)]
#[doc(hidden)]
pub struct VirtualTime;

impl VirtualTime {
    /// Returns the virtual time, which is the same for all.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it is for a static")]
    pub const fn new() -> Self {
        Self
    }
}

#[expect(unsafe_code, reason = "two functions of the trait are unsafe to call")]
impl Timebase for VirtualTime {
    type Setting = ();
    const IS_COUNTED: bool = false;

    fn now(&self) -> u64 {
        assert!(
            MINE.get(),
            "a test asks for the time without having taken the clock: begin it with \
             `let clock = quintet::time::VirtualClock::take();`, in the thread that asks"
        );
        NOW.load(Ordering::Relaxed)
    }

    unsafe fn begin(&self) {}

    fn setting(&self, _deadline: u64) {}

    fn lower(&self, kernel: &KernelLock<'_>, queue: &Queue, deadline: u64, _setting: ()) {
        let _ = queue.lower_alarm(kernel, deadline, u32::MAX);
    }

    unsafe fn keep_up(&self) {}
}

/// Makes [`VirtualClock`](crate::time::VirtualClock) the time of a test program on the host, in
/// place of a source such as [`systick_timer`](crate::systick_timer), which firmware has.
///
/// Use the macro once in a program: at the top of a file of `tests/`, or under `#[cfg(test)]` in a
/// crate whose unit tests use time. If the crate places a hardware source for its firmware, keep
/// that source under `#[cfg(target_os = "none")]`.
///
/// ```
/// quintet::virtual_clock!();
/// ```
///
/// The linker refuses two clocks in one program:
/// `AN_APPLICATION_HAS_ONE_TIME_SOURCE_BUT_TWO_ARE_..`
#[macro_export]
macro_rules! virtual_clock {
    () => {
        const _: () = {
            $crate::__time_driver!($crate::export::time::VirtualTime, __DRIVER);
        };
    };
}
