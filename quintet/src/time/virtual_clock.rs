//! [`VirtualClock`]: time that a test moves, on the host.
//!
//! It is the driver of the timer queue and of `embassy-time` as a hardware timer is, over a time
//! that stands until the test lets it pass. What is due happens in the thread of the test, in the
//! order of the deadlines, while the clock shows each of them.
//!
//! There is one timer queue in a process. So tests take turns: whoever takes the clock has it until
//! it is dropped, and begins at time 0 with nothing armed.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::driver::{expire, queue};
use super::timebase::Timebase;
use super::{Duration, Instant};
use crate::core::lock::{Kernel, kernel};
use crate::core::timer::Queue;

/// The present.
static NOW: AtomicU64 = AtomicU64::new(0);
/// Whose turn it is.
static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    /// Whether this thread has the clock.
    static MINE: Cell<bool> = const { Cell::new(false) };
    /// Whether what was left armed ends, without its effect.
    static ENDING: Cell<bool> = const { Cell::new(false) };
}

/// The clock of a test on the host: time passes when the test says so.
///
/// [`virtual_clock!`](crate::virtual_clock) makes it the time of a test program. Then each test
/// that uses time takes it first.
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
/// [`take`](Self::take) waits until no other thread has the clock. Time begins at 0 then, and
/// nothing is armed: what a test leaves armed when it drops the clock ends there. Timers and time
/// events stop without their effect, and other wakers are woken. Statics of the test program stay
/// as they are, as in every test.
///
/// A thread that asks for the time without having taken the clock panics, and the message says what
/// to do: it would see the time of another test.
pub struct VirtualClock {
    /// Behind the rest: what was left ends within the turn.
    turn: Option<MutexGuard<'static, ()>>,
}

impl VirtualClock {
    /// Waits until no other thread has the clock, and takes it: at time 0, with nothing armed.
    ///
    /// # Panics
    /// If this thread has it already.
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

    /// The present. As `Instant::now()` within the test.
    #[must_use]
    pub fn now(&self) -> Instant {
        Instant::from_ticks(NOW.load(Ordering::Relaxed))
    }

    /// When something is due next; none if nothing is armed. A deadline that has passed already, as
    /// that of a delay of 0, is due at once, and this is now.
    #[must_use]
    pub fn next(&self) -> Option<Instant> {
        next().map(Instant::from_ticks)
    }

    /// Lets time pass, with all that is due until then, and then too. With a duration of 0, what is
    /// due now.
    ///
    /// # Panics
    /// If time would end.
    #[track_caller]
    pub fn advance(&self, duration: Duration) {
        let Some(then) = self.now().checked_add(duration) else {
            panic!("time ends before that: the clock can't advance by {duration:?}");
        };
        self.advance_to(then);
    }

    /// Lets time pass up to `then`, with all that is due until then, and then too.
    ///
    /// # Panics
    /// If that has passed.
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

    /// Lets time pass to when something is due, with that. When that is; none, and nothing passes,
    /// if nothing is armed.
    pub fn advance_to_next(&self) -> Option<Instant> {
        let then = self.next()?;
        self.advance_to(then);
        Some(then)
    }

    /// Runs a future to its end. While it waits and nothing has woken it, time passes to the next
    /// deadline, whatever waits for that.
    ///
    /// # Panics
    /// If it waits and nothing is armed; or if 100000 deadlines pass without one that wakes it.
    #[track_caller]
    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let _ = self;
        crate::chart::test::finish(future)
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

/// Does what is due now. When something is due next: the end of time if nothing is armed.
fn due() -> u64 {
    expire(queue(), NOW.load(Ordering::Relaxed), u64::MAX)
}

/// When something is due next, if it is armed.
fn next() -> Option<u64> {
    let earliest = kernel(|token| queue().earliest(token))?;
    Some(earliest.max(NOW.load(Ordering::Relaxed)))
}

/// Lets time pass to when something is due, if this thread has the clock and something is armed.
pub fn pass_to_next() -> bool {
    let Some(then) = next().filter(|_| MINE.get()) else { return false };
    NOW.store(then, Ordering::Relaxed);
    due();
    true
}

/// Ends all that is armed, without the effect of timers, and goes back to time 0.
fn end_all() {
    ENDING.set(true);
    expire(queue(), u64::MAX, u64::MAX);
    ENDING.set(false);
    NOW.store(0, Ordering::Relaxed);
    // The alarm is the end of time: no hardware is set for an earlier one.
    due();
}

/// Whether timers end now without calling their functions.
pub fn is_ending() -> bool {
    ENDING.get()
}

/// The time of the virtual clock, as the driver sees it.
#[derive(Debug)]
#[doc(hidden)]
pub struct VirtualTime;

impl VirtualTime {
    /// It is everybody's.
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

    fn lower(&self, kernel: &Kernel<'_>, queue: &Queue, deadline: u64, _setting: ()) {
        let _ = queue.lower_alarm(kernel, deadline, u32::MAX);
    }

    unsafe fn keep_up(&self) {}
}

/// Makes [`VirtualClock`](crate::time::VirtualClock) the time of a test program on the host: in
/// place of a source such as [`systick_timer`](crate::systick_timer), which firmware has.
///
/// Once in a program: at the top of a file of `tests/`, or under `#[cfg(test)]` in a crate whose
/// unit tests use time. A crate that places a hardware source for its firmware keeps that under
/// `#[cfg(target_os = "none")]`.
///
/// ```
/// quintet::virtual_clock!();
/// ```
///
/// Two in one program are refused by the linker:
/// `AN_APPLICATION_HAS_ONE_TIME_SOURCE_BUT_TWO_ARE_..`
#[macro_export]
macro_rules! virtual_clock {
    () => {
        const _: () = {
            $crate::__time_driver!($crate::export::time::VirtualTime, __DRIVER);
        };
    };
}
