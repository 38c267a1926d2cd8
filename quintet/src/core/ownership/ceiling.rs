//! Ownership with an immediate ceiling.

#![expect(unsafe_code, reason = "the whole is reached by its first field")]

use ::core::ptr;

use super::{Itself, leave_slowly};
use crate::arch::switch;
use crate::core::application::is_cooperative;
use crate::core::lock::{KernelLock, Section};
use crate::core::record::WithCeiling;
use crate::core::record::mutex::CEILING;
use crate::core::scheduler::{SCHEDULER, ThreadBlock};

impl WithCeiling {
    /// Takes the mutex for the running thread, if the mutex has no owner. The caller then raises
    /// the thread's priority to the ceiling, before which no other thread runs.
    ///
    /// # Errors
    /// Returns the owner.
    #[inline(never)]
    pub fn enter(&self, _lock: &KernelLock<'_>) -> Result<(), &'static ThreadBlock> {
        if let Some(owner) = self.ownership.owner() {
            return Err(owner);
        }
        let running = SCHEDULER.running();
        let _exposed = ptr::from_ref(self).expose_provenance();
        self.ownership.set_owner(running, CEILING);
        self.ownership.link_to(running);
        Ok(())
    }

    /// Takes the mutex if the running thread may have it and the assembly handles this case itself.
    /// Returns `true` if the thread has the mutex. May return `false` even if the mutex has no
    /// owner.
    #[inline(always)]
    #[must_use]
    pub fn try_enter(&self) -> bool {
        let section = Section::begin();
        // SAFETY: the lock is held.
        let enters =
            !is_cooperative() && unsafe { switch::enter_and_raise(self, SCHEDULER.running()) };
        section.end();
        enters
    }

    /// Takes the mutex for the running thread, which waits until it has the mutex.
    ///
    /// # Errors
    /// [`Itself`] if the thread has the mutex already.
    #[inline(never)]
    pub fn enter_blocking(&self) -> Result<(), Itself> {
        self.ownership.enter_by_steps(&|lock| self.enter(lock))
    }

    /// Leaves the mutex: the running thread returns to its effective priority, and the first waiter
    /// gets the mutex.
    #[inline(always)]
    pub fn leave(&self) {
        let section = Section::begin();
        let running = SCHEDULER.running();
        // SAFETY: the lock is held.
        if is_cooperative() || !unsafe { switch::leave_and_lower(self, running) } {
            return leave_slowly(&self.ownership, section.into_saved());
        }
        section.end();
    }
}
