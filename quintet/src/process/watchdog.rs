//! A watchdog: the policy decides about a process that takes the processor for too long, with the
//! cause [`Cause::Watchdog`](super::Cause).
//!
//! At a random moment of each *period*, the clock's interrupt looks at the running process. So a
//! watchdog costs one software timer, and adds nothing to calls and switches. The moments are
//! random so that no process keeps step with them. You can set one or both of two rules:
//!
//! - [`longest`](Watchdog::longest): the longest time for which a process may take the processor
//!   without waiting for an upcall. The watchdog finds a process after that time, never before, and
//!   up to three periods later if no other thread preempts the process. Only looks that find the
//!   process running count. So time that threads or other processes take in between doesn't count,
//!   to the accuracy of a period.
//! - [`share`](Watchdog::share): the share of the processor that a process may take in a window.
//!   The share is measured by the looks that found the process running, of `window / period` looks.
//!   With 100 looks, the share is right to 10 percent of the processor in 19 windows of 20; with
//!   1000 looks, to 3 percent. The watchdog finds a process in the window itself, with the first
//!   look above the share.
//!
//! The time of an interrupt counts for the interrupted process.

#![expect(unsafe_code, reason = "a watchdog is found by its timer, which is its first field")]

use ::core::cell::Cell;
use ::core::ptr;

use super::record::Process;
use super::system::{PROCESSES_MAX, System};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::core::scheduler::SCHEDULER;
use crate::time::{Duration, Instant, SoftwareTimer};

/// The rules, counted in looks.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// The number of looks that may find a process running without a wait.
    longest: u32,
    /// The number of looks in a window.
    window: u32,
    /// The number of looks in a window that may find a process running.
    share: u32,
}

/// The observations of a process.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The number of looks that have found the process running since its last wait.
    without_wait: u32,
    /// The number of looks in this window that have found the process running.
    in_window: u32,
}

/// The state that changes from look to look.
struct State {
    /// The beginning of the present period.
    period: Cell<Instant>,
    /// The number of looks in this window.
    looks: Cell<u32>,
    /// The seed of the random moments.
    random: Cell<u32>,
    seen: [Cell<Seen>; PROCESSES_MAX],
    system: Cell<Option<&'static System>>,
}

/// A watchdog for processes: a static, which you start once.
///
/// ```
/// use quintet::process::watchdog::Watchdog;
/// use quintet::time::Duration;
///
/// /// A process may take the processor for 200 ms without a wait, and for half of 5 s.
/// static WATCHDOG: Watchdog = Watchdog::new(Duration::from_millis(10))
///     .longest(Duration::from_millis(200))
///     .share(50, Duration::from_secs(5));
///
/// /// Call this before `PROCESSES.start`: after that, `main` runs only while no process does.
/// fn watch(processes: &'static System) {
///     WATCHDOG.start(processes);
/// }
/// ```
#[repr(C)]
pub struct Watchdog {
    /// The first field, so that the timer's address is the watchdog's address.
    timer: SoftwareTimer,
    period: Duration,
    rules: Rules,
    state: KernelCell<State>,
}

debug_by_name!([] Watchdog: "Watchdog");

impl Watchdog {
    /// Makes a watchdog without rules, which looks once in each period. A period is at least a
    /// tick.
    #[must_use]
    pub const fn new(period: Duration) -> Self {
        assert!(period.as_ticks() > 0, "a watchdog's period is one tick of the clock at least");
        Self {
            timer: SoftwareTimer::new(on_time),
            period,
            rules: Rules { longest: u32::MAX, window: u32::MAX, share: u32::MAX },
            state: KernelCell::new(State {
                period: Cell::new(Instant::from_ticks(0)),
                looks: Cell::new(0),
                random: Cell::new(0x9e37_79b9),
                seen: [const { Cell::new(Seen { without_wait: 0, in_window: 0 }) }; PROCESSES_MAX],
                system: Cell::new(None),
            }),
        }
    }

    /// Sets the longest time for which a process may take the processor without waiting for an
    /// upcall. At least a period.
    #[must_use]
    pub const fn longest(mut self, time: Duration) -> Self {
        let looks = self.looks(time);
        assert!(
            looks > 0,
            "`longest` is shorter than the watchdog's period, which is how exact it is: look more \
             often, or allow more"
        );
        // The first and the last of `looks + 2` looks, one in each period, are at least `looks`
        // periods apart. So one more look than `looks` is still allowed.
        self.rules.longest = looks + 1;
        self
    }

    /// Sets the share of the processor, 1 to 99 percent, that a process may take in each window. A
    /// window has at least 10 periods.
    #[must_use]
    pub const fn share(mut self, percent: u8, window: Duration) -> Self {
        assert!(0 < percent && percent < 100, "a share is from 1 to 99 hundredths");
        let looks = self.looks(window);
        assert!(
            looks >= 10,
            "a window of fewer than ten periods says nothing of a share: look more often, or make \
             it longer"
        );
        self.rules.window = looks;
        self.rules.share = (looks as u64 * percent as u64 / 100) as u32;
        self
    }

    /// Returns the number of whole periods in a time.
    const fn looks(&self, time: Duration) -> u32 {
        let looks = time.as_ticks() / self.period.as_ticks();
        if looks < u32::MAX as u64 { looks as u32 } else { u32::MAX - 1 }
    }

    /// Starts the watchdog. Call this once, before [`System::start`]: after that, `main` runs only
    /// while no process runs.
    pub fn start(&'static self, system: &'static System) {
        // The timer's function finds the watchdog by this address.
        let _address = ptr::from_ref(self).expose_provenance();
        kernel(|lock| {
            let state = self.state.get(lock);
            state.period.set(Instant::now());
            state.system.set(Some(system));
        });
        self.look_again();
    }

    /// Stops the watchdog.
    pub fn stop(&self) {
        self.timer.stop();
    }

    /// Times the look of the next period.
    fn look_again(&'static self) {
        let now = Instant::now();
        let at = kernel(|lock| {
            let state = self.state.get(lock);
            let next = next(state.random.get());
            state.random.set(next);
            // Looks that came too late are skipped, not made up for.
            let begin = state.period.get() + self.period;
            let begin = if begin < now { now } else { begin };
            state.period.set(begin);
            begin + Duration::from_ticks(u64::from(next) % self.period.as_ticks())
        });
        self.timer.start_at(at, Duration::from_ticks(0));
    }

    /// Looks at the running process. Returns the process if it has run for too long.
    fn look(&self) -> Option<&'static Process> {
        kernel(|lock| {
            let state = self.state.get(lock);
            if state.looks.get() == self.rules.window {
                state.looks.set(0);
                for seen in &state.seen {
                    seen.set(Seen { in_window: 0, ..seen.get() });
                }
            }
            state.looks.set(state.looks.get().saturating_add(1));
            let mut processes = state.system.get()?.processes.iter();
            let process = processes.find(|process| SCHEDULER.runs(process.control()))?;
            // The processor may be about to leave the process.
            if process.is_waiting() || process.stopped.get() || process.is_changing() {
                return None;
            }
            let place = &state.seen[process.index()];
            let mut seen = place.get();
            if process.has_waited(lock) {
                seen.without_wait = 0;
                process.mark_run(lock);
            }
            seen.without_wait = seen.without_wait.saturating_add(1);
            seen.in_window = seen.in_window.saturating_add(1);
            let is_too_long =
                seen.without_wait > self.rules.longest || seen.in_window > self.rules.share;
            place.set(if is_too_long { Seen::default() } else { seen });
            is_too_long.then_some(process)
        })
    }
}

/// Returns the next number of a sequence with a long period (xorshift).
const fn next(mut word: u32) -> u32 {
    word ^= word << 13;
    word ^= word >> 17;
    word ^ word << 5
}

/// Makes a look, at its random moment.
fn on_time(timer: &'static SoftwareTimer) {
    // SAFETY: the timer is the first field of a watchdog in a static, whose address was exposed
    // when it was started.
    let watchdog =
        unsafe { &*ptr::with_exposed_provenance::<Watchdog>(ptr::from_ref(timer).addr()) };
    if let Some(process) = watchdog.look() {
        process.hand_to_policy();
    }
    watchdog.look_again();
}
