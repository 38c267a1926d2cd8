//! The life of a process: stop and start, end and restart, by the process itself or from outside.
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
//! A context that wants a change notes the change under the kernel's lock. From then on no call of
//! the process is served, and the process is suspended, as a thread may be. The switch then makes
//! the noted change before it lets a thread run: see [`change_all`]. The switch comes after all
//! jobs and after SVCall. So no call of the process is under way then, and no driver hears in the
//! middle of a command that a process has ended. The switch first takes away the buffers and
//! upcalls of the process, then lets the drivers [forget](super::Driver::forget) the process, and
//! then restarts the process if this is wanted.
//!
//! # Invariants
//! - INVARIANT(changing): while a change is noted, or the status is not `Alive`, the process is
//!   suspended, and none of its calls is served. So the process never runs.
//! - INVARIANT(stopped): a stopped process is suspended, and only its start resumes the process.

#![expect(unsafe_code, reason = "the stack pointer of a process that restarts is set")]

use ::core::cell::Cell;
use ::core::fmt;

use super::record::{Process, Status};
use super::system::system;
use super::{fault, load};
use crate::arch::process::change::{is_live, set_live_frame};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::{KernelLock, kernel};
use crate::core::scheduler::SCHEDULER;

/// A change of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Change {
    /// Nothing.
    None,
    /// The process has ended: its buffers and upcalls are taken away.
    End,
    /// The process's watchdog has expired: the policy decides.
    #[cfg_attr(not(feature = "time"), expect(dead_code, reason = "a watchdog needs time"))]
    Judge,
    /// The process starts again if its limit allows, perhaps later.
    Restart,
    /// The process starts again; its limit doesn't apply.
    Anew,
    /// The buffers and upcalls of the process are taken away, and the process begins.
    Begin,
}

/// `true` if a change of any process is noted.
static NOTED: KernelCell<Cell<bool>> = KernelCell::new(Cell::new(false));

/// The reason why a process can't be stopped, started, ended or restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeError {
    /// No application was loaded there.
    Empty,
    /// The process has ended already.
    Ended,
    /// The process is stopped already.
    Stopped,
    /// The process isn't stopped.
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
    /// Stops the process, which doesn't run until you [start](Self::start) it. The process keeps
    /// its memory, buffers and upcalls, and then continues from the same instruction. Upcalls that
    /// become due meanwhile wait, as far as there is room.
    ///
    /// # Contexts
    /// Every context that the kernel knows of: levels, threads, `main`, commands of drivers, and
    /// `on_fault`. You can stop every process, even the caller of a command. When this returns, the
    /// process executes no further instruction. If a job has interrupted a call of the process, the
    /// call is still served to its end.
    ///
    /// # Errors
    /// [`LifeError::Empty`] without an application, [`LifeError::Ended`] if the process has ended,
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
            // If the process runs, this call pends the switch, which leaves the process.
            let _runs = SCHEDULER.suspend(self.control(), lock);
            Ok(())
        })
    }

    /// Starts a [stopped](Self::stop) process, which continues from where it was stopped. Contexts
    /// and cost as for `stop`.
    ///
    /// # Errors
    /// [`LifeError::Empty`] without an application, [`LifeError::Ended`] if the process has ended,
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

    /// Ends the process, as [`Status::Terminated`], even if it is stopped or waits for its restart.
    ///
    /// Contexts as for [`stop`](Self::stop). When this returns, the process executes no further
    /// instruction, and no upcall reaches it. After all jobs, and before any thread or process
    /// runs, the process loses its buffers and upcalls, and its drivers forget it.
    ///
    /// # Errors
    /// [`LifeError::Empty`] without an application, [`LifeError::Ended`] if the process has ended
    /// already.
    ///
    /// # Cost
    /// A section of the kernel's lock. In the switch, the time that the drivers take to forget the
    /// process.
    pub fn terminate(&self) -> Result<(), LifeError> {
        kernel(|lock| {
            self.is_to_run()?;
            self.stopped.set(false);
            self.set_status(Status::Terminated);
            self.note_change(Change::End, lock);
            Ok(())
        })
    }

    /// Restarts the process with its first function, whether it runs, is stopped, waits for its
    /// restart, or has ended. The process's [limit](super::RestartLimit) doesn't apply, and counts
    /// from zero again.
    ///
    /// Contexts and cost as for [`terminate`](Self::terminate). The process loses its buffers and
    /// upcalls first.
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

    /// Returns `true` if the process is [stopped](Self::stop). From every context that the kernel
    /// knows of.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        kernel(|_| self.stopped.get())
    }

    /// Checks that the process runs, or is about to run.
    const fn is_to_run(&self) -> Result<(), LifeError> {
        match self.standing() {
            Status::Empty => Err(LifeError::Empty),
            status if status.is_active() => Ok(()),
            _ => Err(LifeError::Ended),
        }
    }

    /// Ends the process, which has ended by itself, or has a fault. Does nothing if another change
    /// is noted.
    pub(super) fn end(&self, status: Status) {
        self.note_own(status, Change::End);
    }

    /// Restarts the process, if its limit allows: the process itself or the policy wants this.
    pub(super) fn restart_itself(&self) {
        self.note_own(Status::Restarting, Change::Restart);
    }

    /// Lets the policy decide, as the process's watchdog has expired.
    #[cfg(feature = "time")]
    pub(super) fn hand_to_policy(&self) {
        self.note_own(Status::Alive, Change::Judge);
    }

    /// Ends the delay of the process's restart. Does nothing if the process has changed meanwhile.
    #[cfg(feature = "time")]
    pub(super) fn end_delay(&self) {
        kernel(|lock| {
            // With a noted change, the process still has its buffers and upcalls.
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

    /// Returns `true` if a change of the process is noted.
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

    /// Makes the noted changes, in the switch. Returns `true` if the process starts again and is
    /// the one that the switch has interrupted. A job may note another change at any time; this
    /// call makes that change too.
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
                            // SAFETY: in the switch; the frame was written to the process's memory.
                            unsafe { set_live_frame(frame) };
                            begins = true;
                        }
                        self.begin_anew(lock);
                    });
                }
            }
        }
    }

    /// Asks the limit whether the process may start again, and when.
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

    /// Lets the process begin after `change`, unless another change was noted since.
    fn let_begin(&self, change: Change) {
        kernel(|_| {
            if self.change.get() == change {
                self.change.set(Change::Begin);
            }
        });
    }

    /// Ends a change with `last`, unless another change was noted since.
    fn finish(&self, change: Change, last: impl FnOnce(&KernelLock<'_>)) {
        kernel(|lock| {
            if self.change.get() == change {
                self.close();
                self.change.set(Change::None);
                last(lock);
            }
        });
    }

    /// Lets the process run its first function, for which everything is prepared.
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

/// Lets alarms expire, and makes the noted changes of all processes; the switch calls this. Returns
/// `true` if the process that the switch has interrupted starts again.
fn change_all() -> bool {
    #[cfg(feature = "time")]
    super::alarm::expire();
    if !kernel(|lock| NOTED.get(lock).replace(false)) {
        return false;
    }
    let mut begins = false;
    for process in system().processes {
        begins |= process.do_changes();
    }
    begins
}

/// Lets the switch make noted changes, from now on.
pub fn initialise() {
    kernel(|lock| SCHEDULER.set_change(change_all, lock));
}
