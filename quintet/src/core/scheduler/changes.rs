//! Changes to processes, which the switch makes before it switches: it ends processes and starts
//! them again.
//!
//! A process may have to end while a job or a thread runs, which may have interrupted a call of the
//! process. So a context that wants a process to end only asks for this, and the switch ends the
//! process: after all jobs, and after the call. Drivers hear of the end there, so never in the
//! middle of a command.
//!
//! The switch finds a request in the list of threads that were woken from any context, as an entry
//! for idle: see `deferred_wakes`. This code is linked only if there are processes.

#![cfg_attr(feature = "time", expect(unsafe_code, reason = "a function for handlers only"))]

use ::core::cell::Cell;
#[cfg(feature = "time")]
use ::core::sync::atomic::Ordering;

use crate::arch::switch;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::scheduler::{IDLE, Scheduler};
use crate::core::record::thread::ThreadBlock;

/// A function that makes the requested changes. Returns `true` if the process that the switch has
/// interrupted starts again: then its registers must be zero.
pub type Change = fn() -> bool;

/// The function that makes the changes, if there are processes.
static CHANGE: KernelCell<Cell<Option<Change>>> = KernelCell::new(Cell::new(None));

impl Scheduler {
    /// Lets the switch call `change` for each request.
    #[expect(clippy::unused_self, reason = "the switch of the scheduler does this")]
    pub(crate) fn set_change(&self, change: Change, lock: &KernelLock<'_>) {
        CHANGE.get(lock).set(Some(change));
    }

    /// Lets the switch call the function that changes processes, as soon as masks allow. From every
    /// context that the kernel knows of.
    pub(crate) fn ask_for_change(&self, _lock: &KernelLock<'_>) {
        if self.hooks().is_none() {
            self.begin_to_wake();
        }
        // INVARIANT(pushed-before-switch): the caller holds the lock. INVARIANT(idle-unnoted).
        self.push_deferred(&IDLE);
        switch::pend();
    }

    /// As [`ask_for_change`](Self::ask_for_change), without the kernel's lock: so this delays no
    /// more urgent interrupt.
    ///
    /// # Safety
    /// In the handler of an interrupt that the kernel knows of: so the caller is above the switch.
    #[cfg(feature = "time")]
    pub(crate) unsafe fn ask_for_change_in_handler(&self) {
        if self.hooks().is_none() {
            self.begin_to_wake();
        }
        // INVARIANT(pushed-before-switch): no thread runs before the handler has ended. The push is
        // made of atomic steps, so that interrupts above the handler may push too.
        self.push_deferred(&IDLE);
        switch::pend();
    }
}

/// Calls the function that changes processes; the switch calls this. Returns 1 if the process that
/// the switch has interrupted starts again.
#[unsafe(export_name = "__quintet_change_all")]
pub extern "C" fn change_all() -> u32 {
    let change = kernel(|lock| CHANGE.get(lock).get());
    u32::from(change.is_some_and(|change| change()))
}

impl Scheduler {
    /// Returns `true` if a thread that is more urgent than `control` is ready, or about to be.
    #[cfg(feature = "time")]
    pub(crate) fn has_more_urgent(&self, control: &ThreadBlock, _lock: &KernelLock<'_>) -> bool {
        let is_about_to_be = !self.deferred.load(Ordering::Relaxed).is_null();
        is_about_to_be || self.ready.get().leading_zeros() < control.bit.get().leading_zeros()
    }

    /// Lets a suspended process be ready when it is resumed, as the process starts again.
    #[expect(clippy::unused_self, reason = "the switch of the scheduler does this")]
    pub(crate) fn hold_ready(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        debug_assert!(control.is_suspended(lock), "it may be in a ring");
        control.set_held_ready(true);
    }

    /// Ends the suspension of a process that is held ready, and lets it run before the others of
    /// its priority. In the switch, which then looks who runs.
    pub(crate) fn resume_first(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        if self.resume(control, lock) {
            self.put_first(control);
        }
    }
}
