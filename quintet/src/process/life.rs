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
//! the process is served, and the process is suspended, as a thread may be. The switch then begins
//! the change: see [`begin_changes`]. The switch comes after all jobs and after SVCall. So no call
//! of the process is under way then, and no driver hears in the middle of a command that a process
//! has ended. A process that ends by its own call, or by a fault, begins its change at once.
//!
//! The work of a change is done in pieces, at the process's own priority. The process is ready, but
//! its flash is closed. So it is entered as always, and its next instruction is a fault, for which
//! SVCall does a [piece](Process::step) and returns. More urgent threads come between two pieces.
//! The work takes away the buffers and upcalls of the process, lets the drivers
//! [forget](super::Driver::forget) the process, and then restarts it if this is wanted.
//!
//! # Invariants
//! - INVARIANT(changing): while a change is noted, or the status is not `Alive`, none of the
//!   process's calls is served, and the process executes no instruction: it is suspended, or not
//!   ready, or its flash is closed.
//! - INVARIANT(entered): a process whose change has begun is ready, waits for nothing, has a frame
//!   in its memory, and its flash is closed. A change that is noted then suspends it, and begins
//!   again.
//! - INVARIANT(stopped): a stopped process is suspended, and only its start resumes the process. If
//!   it is stopped while it changes, it is suspended when it begins.

#![expect(unsafe_code, reason = "the stack pointer of a process that restarts is set")]

use ::core::cell::Cell;
use ::core::fmt;

use super::forget::Forgotten;
use super::record::{Process, Status};
use super::system::system;
use super::{fault, load};
use crate::arch::process::change::{is_live, set_live_frame};
use crate::arch::process::{Frame, Onward, begin_with, onward};
use crate::arch::switch;
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
    #[cfg_attr(not(feature = "time"), expect(dead_code, reason = "a delay needs time"))]
    Begin,
}

/// The place from which a process ends itself, or the policy ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// SVCall, which serves the running process.
    Call,
    /// The switch, or a job.
    Elsewhere,
}

/// A bit for each process whose change the switch has to begin.
static NOTED: KernelCell<Cell<u16>> = KernelCell::new(Cell::new(0));

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
            // INVARIANT(entered). The process doesn't run when the change is made.
            if self.is_changing() {
                return Ok(());
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
        let is_ready = kernel(|lock| {
            self.is_to_run()?;
            if !self.stopped.replace(false) {
                return Err(LifeError::NotStopped);
            }
            // INVARIANT(changing).
            let resumes = self.change.get() == Change::None && self.standing() == Status::Alive;
            Ok(resumes && SCHEDULER.resume(self.control(), lock))
        })?;
        if is_ready {
            SCHEDULER.look_after();
        }
        Ok(())
    }

    /// Ends the process, as [`Status::Terminated`], even if it is stopped or waits for its restart.
    ///
    /// Contexts as for [`stop`](Self::stop). When this returns, the process executes no further
    /// instruction, and no upcall reaches it. After all jobs, and before any thread or process runs
    /// that isn't more urgent, the process loses its buffers and upcalls, and its drivers forget
    /// it.
    ///
    /// # Errors
    /// [`LifeError::Empty`] without an application, [`LifeError::Ended`] if the process has ended
    /// already.
    ///
    /// # Cost
    /// A section of the kernel's lock, and some 400 cycles in the switch. Then, at the priority of
    /// the process, the time that the drivers take to forget the process.
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
    /// is noted. In the switch, or in a call. Then returns `true` if the call must
    /// [close](Self::close_for_change) the process.
    pub(super) fn end(&self, status: Status, place: Place) -> bool {
        self.note_own(status, Change::End, place)
    }

    /// Restarts the process, if its limit allows: the process itself or the policy wants this. As
    /// for [`end`](Self::end).
    pub(super) fn restart_itself(&self, place: Place) -> bool {
        self.note_own(Status::Restarting, Change::Restart, place)
    }

    /// Lets the policy decide, as the process's watchdog has expired.
    #[cfg(feature = "time")]
    pub(super) fn hand_to_policy(&self) {
        self.note_own(Status::Alive, Change::Judge, Place::Elsewhere);
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

    /// Notes a change if no other one is noted. Returns `true` if the process is the one that
    /// calls, and stays ready.
    pub(super) fn note_own(&self, status: Status, change: Change, place: Place) -> bool {
        let stays_ready = kernel(|lock| {
            if self.standing() != Status::Alive || self.is_changing() {
                return None;
            }
            self.set_status(status);
            if place == Place::Elsewhere {
                self.note_change(change, lock);
                return None;
            }
            self.change.set(change);
            self.close();
            Some(!self.control().is_suspended(lock))
        });
        if stays_ready == Some(false) {
            // In another section: no switch comes within a call.
            kernel(|lock| {
                self.mark(lock);
                SCHEDULER.ask_for_change(lock);
            });
        }
        stays_ready == Some(true)
    }

    /// Lets the process be entered while it changes: INVARIANT(entered). In its call, or in the
    /// switch. Returns the frame of the process.
    pub(super) fn close_for_change(&self) -> *mut Frame {
        // A call that was under way when the change was noted may have let the process wait since.
        // The next life must not begin with that wait: an upcall would be taken for delivered.
        kernel(|_| self.close());
        self.forgotten.set(Forgotten::NOTHING);
        load::close(self)
    }

    /// Returns `true` if a change of the process is noted, or under way.
    pub(super) fn is_changing(&self) -> bool {
        self.change.get() != Change::None
    }

    /// Notes a change: INVARIANT(changing).
    fn note_change(&self, change: Change, lock: &KernelLock<'_>) {
        self.change.set(change);
        self.close();
        let _runs = SCHEDULER.suspend(self.control(), lock);
        self.mark(lock);
        SCHEDULER.ask_for_change(lock);
    }

    /// Marks the process for the switch.
    fn mark(&self, lock: &KernelLock<'_>) {
        let noted = NOTED.get(lock);
        noted.set(noted.get() | 1 << self.index());
    }

    /// Begins the noted change, in the switch. Returns `true` if the process starts again and is
    /// the one that the switch has interrupted. A job may note another change at any time, which
    /// calls the switch once more.
    fn begin_change(&'static self) -> bool {
        let change = kernel(|_| self.change.get());
        let is_live = is_live() && SCHEDULER.runs(self.control());
        match change {
            Change::None => {
                self.settle_stop();
                false
            }
            Change::Judge => {
                kernel(|_| self.change.set(Change::None));
                fault::judge(system(), self);
                false
            }
            Change::End | Change::Restart | Change::Anew => {
                let frame = self.close_for_change();
                if is_live {
                    // SAFETY: in the switch; the frame was written to the process's memory.
                    unsafe { set_live_frame(frame) };
                }
                // A job may have noted the change between the look at the note and that at the
                // change. Then the switch comes here twice.
                kernel(|lock| {
                    if self.change.get() == change && self.control().is_suspended(lock) {
                        SCHEDULER.hold_ready(self.control(), lock);
                        SCHEDULER.resume_first(self.control(), lock);
                    }
                });
                is_live
            }
            Change::Begin => {
                let frame = load::begin(self);
                if is_live {
                    // SAFETY: as above.
                    unsafe { set_live_frame(frame) };
                }
                kernel(|lock| {
                    if self.change.get() == change && self.control().is_suspended(lock) {
                        SCHEDULER.hold_ready(self.control(), lock);
                    }
                });
                self.begin_anew(change);
                self.settle_stop();
                is_live
            }
        }
    }

    /// Does a piece of the work of the change, in SVCall. The process runs with `frame`, and has
    /// just tried to execute its next instruction: INVARIANT(entered).
    pub(super) fn step(&'static self, frame: *mut Frame) -> Onward {
        // A change that was noted since is begun by the switch.
        let change = kernel(|lock| {
            let is_begun = !self.control().is_suspended(lock);
            if is_begun { self.change.get() } else { Change::None }
        });
        let works = matches!(change, Change::End | Change::Restart | Change::Anew);
        if !works || !system().forget_part(self) {
            return onward(frame);
        }
        if change == Change::End {
            self.finish(change, || self.stopped.set(false));
            return onward(frame);
        }
        if change == Change::Restart && !self.may_begin() {
            return onward(frame);
        }
        let frame = load::begin(self);
        self.begin_anew(change);
        // As if it had become ready just now: others of its priority have their turns.
        let has_passed = kernel(|lock| {
            let is_ready = SCHEDULER.runs(self.control()) && !self.control().is_suspended(lock);
            is_ready && SCHEDULER.rotate(lock)
        });
        if has_passed {
            switch::pend();
        }
        if kernel(|_| self.stopped.get()) {
            // The switch settles that, as a section would be long here.
            kernel(|lock| self.mark(lock));
            kernel(|lock| SCHEDULER.ask_for_change(lock));
        }
        begin_with(frame)
    }

    /// Asks the limit whether the process may start again at once. If not, ends the change.
    #[cfg_attr(not(feature = "time"), expect(clippy::unused_self, reason = "a limit needs time"))]
    fn may_begin(&'static self) -> bool {
        #[cfg(feature = "time")]
        {
            use super::backoff::Backoff;
            use super::restart_limit::{ask, begin_behind};
            match ask(self) {
                Backoff::Now => (),
                Backoff::After(delay) => {
                    self.finish(Change::Restart, || ());
                    begin_behind(self, delay);
                    return false;
                }
                Backoff::Never => {
                    self.finish(Change::Restart, || self.set_status(Status::HeldOff));
                    return false;
                }
            }
        }
        true
    }

    /// Ends a change of the running process with `last`, unless another change was noted since. The
    /// process never runs then, as it isn't ready. In SVCall.
    fn finish(&self, change: Change, last: impl FnOnce()) {
        kernel(|lock| {
            if self.change.get() == change {
                self.change.set(Change::None);
                self.leave(lock);
                last();
            }
        });
        switch::pend();
    }

    /// Lets the process, which is ready or held ready, run its first function, for which everything
    /// is prepared, unless another change than this one was noted since.
    fn begin_anew(&self, change: Change) {
        kernel(|_| {
            if self.change.get() == change {
                self.change.set(Change::None);
                self.restarts.set(self.restarts.get().wrapping_add(1));
                self.set_status(Status::Alive);
                self.open();
            }
        });
    }

    /// Suspends or resumes the process, which may have been stopped or started while it changed:
    /// INVARIANT(stopped). In the switch.
    fn settle_stop(&self) {
        kernel(|lock| {
            if self.standing() != Status::Alive || self.is_changing() {
            } else if self.stopped.get() {
                let _runs = SCHEDULER.suspend(self.control(), lock);
            } else {
                // The switch looks who runs.
                let _is_ready = SCHEDULER.resume(self.control(), lock);
            }
        });
    }
}

/// Lets alarms expire, and begins the noted changes of all processes; the switch calls this.
/// Returns `true` if the process that the switch has interrupted starts again.
fn begin_changes() -> bool {
    #[cfg(feature = "time")]
    super::alarm::expire();
    let mut begins = false;
    loop {
        let noted = kernel(|lock| {
            let noted = NOTED.get(lock);
            let all = noted.get();
            noted.set(all & all.wrapping_sub(1));
            all
        });
        let Some(process) = system().processes.get(noted.trailing_zeros() as usize) else {
            return begins;
        };
        begins |= process.begin_change();
    }
}

/// Lets the switch make noted changes, from now on.
pub fn initialise() {
    kernel(|lock| SCHEDULER.set_change(begin_changes, lock));
}
