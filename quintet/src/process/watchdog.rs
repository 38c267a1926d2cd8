//! A watchdog: a process that takes the processor for too long is handed to the policy, with the
//! cause [`Cause::Watchdog`](super::Cause).
//!
//! At a random moment of each *period* the clock's interrupt looks at who runs. So it costs one
//! software timer, and nothing on the way of a call or a switch; moments are random so that no
//! process keeps step with them. Two rules are there, one or both:
//!
//! - [`longest`](Watchdog::longest): for how long a process may take the processor without waiting
//!   for an upcall. It is found behind that time, never before, and up to three periods later, if
//!   nobody preempts it. Only looks that find the process running count, so time that threads or
//!   other processes take from it in between doesn't, to a period's accuracy.
//! - [`share`](Watchdog::share): which share of the processor it may take in a window. The share is
//!   that of looks that found it running, of `window / period` looks: with 100 of them it is right
//!   to 10 of a hundred in 19 windows of 20, with 1000 to 3. It is found in the window itself, with
//!   the first look above the share.
//!
//! Time that interrupts take is that of whom they interrupt.

#![expect(unsafe_code, reason = "a watchdog is found by its timer, which is its first field")]

use ::core::cell::Cell;
use ::core::ptr;

use super::record::Process;
use super::system::{PROCESSES_MAX, System};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::core::scheduler::SCHEDULER;
use crate::time::{Duration, Instant, SoftwareTimer};

/// Which rules there are, in looks.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// How many looks may find a process running without a wait.
    longest: u32,
    /// How many looks a window has.
    window: u32,
    /// How many of these may find a process running.
    share: u32,
}

/// What was seen of a process.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// How many looks have found it running since it has waited.
    without_wait: u32,
    /// How many have in this window.
    in_window: u32,
}

/// What changes from look to look.
struct State {
    /// When the present period began.
    period: Cell<Instant>,
    /// How many looks there were in this window.
    looks: Cell<u32>,
    /// What the moments are made of.
    random: Cell<u32>,
    seen: [Cell<Seen>; PROCESSES_MAX],
    system: Cell<Option<&'static System>>,
}

/// Looks at who runs: a static, which is started once.
///
/// ```text
/// static WATCHDOG: Watchdog = Watchdog::new(Duration::from_millis(10))
///     .longest(Duration::from_millis(200))
///     .share(50, Duration::from_secs(5));
/// // Before `PROCESSES.start`, behind which a process may keep `main` from going on:
/// WATCHDOG.start(&PROCESSES);
/// ```
#[repr(C)]
pub struct Watchdog {
    /// First: its address is this one's.
    timer: SoftwareTimer,
    period: Duration,
    rules: Rules,
    state: KernelCell<State>,
}

debug_by_name!([] Watchdog: "Watchdog");

impl Watchdog {
    /// One that looks once in each period, and finds nothing wrong. A period is a tick at least.
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

    /// The same: a process may take the processor for so long without waiting for an upcall. A
    /// period at least.
    #[must_use]
    pub const fn longest(mut self, time: Duration) -> Self {
        let looks = self.looks(time);
        assert!(
            looks > 0,
            "`longest` is shorter than the watchdog's period, which is how exact it is: look more \
             often, or allow more"
        );
        // The moments of two looks more are so many periods apart at least: this, and another one.
        self.rules.longest = looks + 1;
        self
    }

    /// The same: a process may take so many hundredths of the processor, 1 to 99, in each window,
    /// which has 10 periods at least.
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

    /// How many whole periods a time has.
    const fn looks(&self, time: Duration) -> u32 {
        let looks = time.as_ticks() / self.period.as_ticks();
        if looks < u32::MAX as u64 { looks as u32 } else { u32::MAX - 1 }
    }

    /// Begins to look. Once, before [`System::start`]: behind that `main` runs only when no process
    /// does.
    pub fn start(&'static self, system: &'static System) {
        // The timer's function finds this by it.
        let _address = ptr::from_ref(self).expose_provenance();
        kernel(|lock| {
            let state = self.state.get(lock);
            state.period.set(Instant::now());
            state.system.set(Some(system));
        });
        self.look_again();
    }

    /// Looks no more.
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
            // Looks that came too late are left out, not made up for.
            let begin = state.period.get() + self.period;
            let begin = if begin < now { now } else { begin };
            state.period.set(begin);
            begin + Duration::from_ticks(u64::from(next) % self.period.as_ticks())
        });
        self.timer.start_at(at, Duration::from_ticks(0));
    }

    /// Looks who runs. Who has run for too long, if somebody has.
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
            // It may be about to be left.
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

/// The next of a sequence in which nothing repeats for long (xorshift).
const fn next(mut word: u32) -> u32 {
    word ^= word << 13;
    word ^= word >> 17;
    word ^ word << 5
}

/// The moment of a look has come.
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
