//! What the switch does with processes before it switches: it ends them, and lets them start anew.
//!
//! A process may have to end while a job or a thread runs, with a call of its own interrupted below
//! that job. So who wants a process to end says so, and the switch does it: behind all jobs, and
//! behind the call. That is where drivers hear of it, so never in the middle of a command.
//!
//! The switch comes here by the list of those that were woken from anywhere, with idle in it: see
//! `deferred_wakes`. Nothing of this is linked where no process is.

use ::core::cell::Cell;

use crate::arch::switch;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::scheduler::{IDLE, Scheduler};
use crate::core::record::thread::ThreadBlock;

/// Changes what is to change. Whether the process that the switch has interrupted starts anew: then
/// its registers are to be zero.
pub type Change = fn() -> bool;

/// The function that does it, if there are processes.
static CHANGE: KernelCell<Cell<Option<Change>>> = KernelCell::new(Cell::new(None));

impl Scheduler {
    /// Lets the switch call `change`, whenever somebody asks for it.
    #[expect(clippy::unused_self, reason = "it is the scheduler whose switch does it")]
    pub(crate) fn set_change(&self, change: Change, lock: &KernelLock<'_>) {
        CHANGE.get(lock).set(Some(change));
    }

    /// Lets the switch call what changes processes, as soon as masks allow. From every context that
    /// the kernel knows of.
    pub(crate) fn ask_for_change(&self, _lock: &KernelLock<'_>) {
        if self.hooks().is_none() {
            self.begin_to_wake();
        }
        // INVARIANT(pushed-before-switch): the caller holds the lock. INVARIANT(idle-unnoted).
        self.push_deferred(&IDLE);
        switch::pend();
    }
}

/// What the switch calls. The result is 1 if the process that it has interrupted starts anew.
#[unsafe(export_name = "__quintet_change_all")]
pub extern "C" fn change_all() -> u32 {
    let change = kernel(|lock| CHANGE.get(lock).get());
    u32::from(change.is_some_and(|change| change()))
}

impl Scheduler {
    /// Lets a suspended process be ready when it is resumed: it begins anew.
    #[expect(clippy::unused_self, reason = "it is the scheduler whose switch does it")]
    pub(crate) fn hold_ready(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        debug_assert!(control.is_suspended(lock), "it may be in a ring");
        control.set_held_ready(true);
    }
}
