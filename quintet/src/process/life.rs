//! The life of a process: stopped and started, ended, and begun anew, by itself or from outside.
//!
//! ```text
//!                 start                    exit, fault, terminate
//!      stopped <────────> Alive ───────────────────────────> Exited, Faulted, Terminated
//!                 stop     ^ │ exit-restart, policy, restart              │
//!                          │ v                                            │ restart
//!                       Restarting <──────────────────────────────────────┘
//!                          │ too often
//!                          v
//!                       HeldOff ─── restart ──> Restarting
//! ```
//!
//! Who wants a change notes it under the kernel's lock; from then on no call of the process is
//! served, and it is suspended as a thread may be. The switch then does what was noted, before it
//! lets anybody run: see [`change_all`]. It comes behind all jobs and behind SVCall, so whatever a
//! call of the process was in the middle of is over, and no driver is told in the middle of a
//! command that a process has ended. There what the process has lent and subscribed is taken away
//! first, then its drivers [forget](super::Driver::forget) it, then it begins anew if it is to.
//!
//! # Invariants
//! - INVARIANT(changing): while a change is noted, or the status is not `Alive`, the process is
//!   suspended, and none of its calls is served. So it never runs.
//! - INVARIANT(stopped): a process that is stopped is suspended, and isn't resumed but by its
//!   start.

#![expect(unsafe_code, reason = "the stack pointer of a process that starts anew is set")]

use ::core::cell::Cell;
use ::core::fmt;

use super::record::{Process, Status};
use super::system::system;
use super::{fault, load};
use crate::arch::process::change::{is_live, set_live_frame};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::{KernelLock, kernel};
use crate::core::scheduler::SCHEDULER;

/// What is to become of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Change {
    /// Nothing.
    None,
    /// It has ended: what it had is taken away.
    End,
    /// Its watchdog has come: what becomes of it is the policy's business.
    #[cfg_attr(not(feature = "time"), expect(dead_code, reason = "a watchdog needs time"))]
    Judge,
    /// It starts anew if its limit allows, perhaps later.
    Restart,
    /// It starts anew, whatever its limit.
    Anew,
    /// What it had is taken away: it begins.
    Begin,
}

/// Whether a change is noted of any process.
static NOTED: KernelCell<Cell<bool>> = KernelCell::new(Cell::new(false));

/// Why a process can't be stopped, started, ended or restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeError {
    /// No application was loaded there.
    Empty,
    /// It has ended already.
    Ended,
    /// It is stopped already.
    Stopped,
    /// It isn't stopped.
    NotStopped,
}

impl fmt::Display for LifeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => {
                "no application was loaded there: write one to flash, and start the system"
            }
            Self::Ended => "it has ended: restart it",
            Self::Stopped => "it is stopped already: start it, or end it",
            Self::NotStopped => "it isn't stopped: stop it first, or restart it",
        })
    }
}

impl ::core::error::Error for LifeError {}

impl Process {
    /// Stops it: it doesn't run until it is [started](Self::start). It keeps what it has, and goes
    /// on where it was. Upcalls that become due meanwhile wait for it, as far as they have room.
    ///
    /// # Contexts
    /// Every context that the kernel knows of: levels, threads, `main`, commands of drivers, and
    /// `on_fault`; for every process, also the one that has called. When this returns, the process
    /// executes no further instruction. A call of its that a job has interrupted is served to its
    /// end.
    ///
    /// # Errors
    /// [`LifeError::Empty`] without an application, [`LifeError::Ended`] if it has ended,
    /// [`LifeError::Stopped`] if it is stopped already.
    ///
    /// # Cost
    /// A section of the kernel's lock.
    pub fn stop(&self) -> Result<(), LifeError> {
        kernel(|lock| {
            self.is_to_run()?;
            if self.stopped.replace(true) {
                return Err(LifeError::Stopped);
            }
            // Whoever runs is left by the switch, which this pends.
            let _runs = SCHEDULER.suspend(self.control(), lock);
            Ok(())
        })
    }

    /// Lets it go on where it was [stopped](Self::stop). Contexts and cost as there.
    ///
    /// # Errors
    /// [`LifeError::Empty`] without an application, [`LifeError::Ended`] if it has ended,
    /// [`LifeError::NotStopped`] if it isn't stopped.
    pub fn start(&self) -> Result<(), LifeError> {
        kernel(|lock| {
            self.is_to_run()?;
            if !self.stopped.replace(false) {
                return Err(LifeError::NotStopped);
            }
            // INVARIANT(changing).
            if self.change.get() == Change::None && self.standing() == Status::Alive {
                SCHEDULER.resume(self.control(), lock);
            }
            Ok(())
        })
    }

    /// Ends it, as [`Status::Terminated`]; also one that is stopped, or waits for its restart.
    ///
    /// Contexts as for [`stop`](Self::stop). When this returns, the process executes no further
    /// instruction, and no upcall reaches it. What it has lent and subscribed is taken away, and
    /// its drivers forget it, behind all jobs: before any thread or process runs on.
    ///
    /// # Errors
    /// [`LifeError::Empty`] without an application, [`LifeError::Ended`] if it has ended already.
    ///
    /// # Cost
    /// A section of the kernel's lock; and for the switch as much as the drivers need to forget it.
    pub fn terminate(&self) -> Result<(), LifeError> {
        kernel(|lock| {
            self.is_to_run()?;
            self.stopped.set(false);
            self.set_status(Status::Terminated);
            self.note_change(Change::End, lock);
            Ok(())
        })
    }

    /// Lets it start anew, by its first function, whether it runs, is stopped, waits for its
    /// restart, or has ended. It isn't held off by its [limit](super::RestartLimit), which counts
    /// anew from here on.
    ///
    /// Contexts and cost as for [`terminate`](Self::terminate). What it had is taken away first.
    ///
    /// # Errors
    /// [`LifeError::Empty`] without an application.
    pub fn restart(&self) -> Result<(), LifeError> {
        #[cfg(feature = "time")]
        super::restart_limit::forgive(self);
        kernel(|lock| {
            if self.standing() == Status::Empty {
                return Err(LifeError::Empty);
            }
            self.stopped.set(false);
            self.set_status(Status::Restarting);
            self.note_change(Change::Anew, lock);
            Ok(())
        })
    }

    /// Whether it is [stopped](Self::stop). From every context that the kernel knows of.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        kernel(|_| self.stopped.get())
    }

    /// That it runs, or is about to.
    const fn is_to_run(&self) -> Result<(), LifeError> {
        match self.standing() {
            Status::Empty => Err(LifeError::Empty),
            status if status.is_active() => Ok(()),
            _ => Err(LifeError::Ended),
        }
    }

    /// It has ended by itself, or was stopped for what it did: unless something else was to become
    /// of it already.
    pub(super) fn end(&self, status: Status) {
        self.note_own(status, Change::End);
    }

    /// It is to start anew by its own wish, or by the policy's: as far as its limit allows.
    pub(super) fn restart_itself(&self) {
        self.note_own(Status::Restarting, Change::Restart);
    }

    /// Its watchdog has come.
    #[cfg(feature = "time")]
    pub(super) fn hand_to_policy(&self) {
        self.note_own(Status::Alive, Change::Judge);
    }

    /// The delay of its restart is over: unless something else has become of it.
    #[cfg(feature = "time")]
    pub(super) fn end_delay(&self) {
        kernel(|lock| {
            // With a change noted, what it had is not taken away yet.
            if self.standing() == Status::Restarting && self.change.get() == Change::None {
                self.note_change(Change::Begin, lock);
            }
        });
    }

    fn note_own(&self, status: Status, change: Change) {
        kernel(|lock| {
            if self.standing() == Status::Alive && self.change.get() == Change::None {
                self.set_status(status);
                self.note_change(change, lock);
            }
        });
    }

    /// Whether something is to become of it.
    pub(super) fn is_changing(&self) -> bool {
        self.change.get() != Change::None
    }

    /// Notes a change: INVARIANT(changing).
    fn note_change(&self, change: Change, lock: &KernelLock<'_>) {
        self.change.set(change);
        self.close();
        let _runs = SCHEDULER.suspend(self.control(), lock);
        NOTED.get(lock).set(true);
        SCHEDULER.ask_for_change(lock);
    }

    /// Does what is noted, in the switch. Whether it starts anew, and is the one that the switch
    /// has interrupted. A job may note something else at any time: then that is done as well.
    fn do_changes(&'static self) -> bool {
        let mut begins = false;
        loop {
            let change = kernel(|_| self.change.get());
            match change {
                Change::None => return begins,
                Change::Judge => {
                    kernel(|_| self.change.set(Change::None));
                    fault::judge(system(), self);
                }
                Change::End => {
                    system().forget(self);
                    self.finish(change, |_| self.stopped.set(false));
                }
                Change::Restart => {
                    system().forget(self);
                    self.ask_limit();
                }
                Change::Anew => {
                    system().forget(self);
                    self.let_begin(change);
                }
                Change::Begin => {
                    let frame = load::begin(self);
                    let is_live = is_live() && SCHEDULER.runs(self.control());
                    self.finish(change, |lock| {
                        if is_live {
                            // SAFETY: in the switch; the frame was written to its memory.
                            unsafe { set_live_frame(frame) };
                            begins = true;
                        }
                        self.begin_anew(lock);
                    });
                }
            }
        }
    }

    /// Asks whether it may start anew, and when.
    fn ask_limit(&'static self) {
        #[cfg(feature = "time")]
        {
            use super::backoff::Backoff;
            use super::restart_limit::{ask, begin_behind};
            match ask(self) {
                Backoff::Now => (),
                Backoff::After(delay) => {
                    self.finish(Change::Restart, |_| ());
                    return begin_behind(self, delay);
                }
                Backoff::Never => {
                    return self.finish(Change::Restart, |_| self.set_status(Status::HeldOff));
                }
            }
        }
        self.let_begin(Change::Restart);
    }

    /// Lets it begin behind a change, unless something else was noted since.
    fn let_begin(&self, change: Change) {
        kernel(|_| {
            if self.change.get() == change {
                self.change.set(Change::Begin);
            }
        });
    }

    /// Ends a change with `last`, unless something else was noted since.
    fn finish(&self, change: Change, last: impl FnOnce(&KernelLock<'_>)) {
        kernel(|lock| {
            if self.change.get() == change {
                self.close();
                self.change.set(Change::None);
                last(lock);
            }
        });
    }

    /// Lets it run by its first function, for which all is prepared.
    fn begin_anew(&self, lock: &KernelLock<'_>) {
        self.restarts.set(self.restarts.get().wrapping_add(1));
        self.set_status(Status::Alive);
        self.open();
        SCHEDULER.hold_ready(self.control(), lock);
        // INVARIANT(stopped).
        if !self.stopped.get() {
            SCHEDULER.resume(self.control(), lock);
        }
    }
}

/// What the switch calls: does what is noted of all processes. Whether the one that it has
/// interrupted starts anew.
fn change_all() -> bool {
    if !kernel(|lock| NOTED.get(lock).replace(false)) {
        return false;
    }
    let mut begins = false;
    for process in system().processes {
        begins |= process.do_changes();
    }
    begins
}

/// Lets the switch do what is noted, from now on.
pub fn initialise() {
    kernel(|lock| SCHEDULER.set_change(change_all, lock));
}
