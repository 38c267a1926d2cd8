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
    /// Takes it for the running thread, whose priority is at least the ceiling from then on, if
    /// nobody has it.
    ///
    /// # Errors
    /// Who has it.
    #[inline(never)]
    pub fn enter(&self, lock: &KernelLock<'_>) -> Result<(), &'static ThreadBlock> {
        if let Some(owner) = self.ownership.owner() {
            return Err(owner);
        }
        let running = SCHEDULER.running();
        let _exposed = ptr::from_ref(self).expose_provenance();
        self.ownership.set_owner(running, CEILING);
        self.ownership.link_to(running);
        if running.priority(lock) < self.ceiling() {
            SCHEDULER.change_priority(running, self.ceiling(), lock);
        }
        Ok(())
    }

    /// The same, if the thread may have it, and it is as simple as the assembly would have it.
    /// Whether it has: it may not although nobody has.
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

    /// The same, where the thread waits until it has it.
    ///
    /// # Errors
    /// [`Itself`] if it has it already.
    #[inline(never)]
    pub fn enter_blocking(&self) -> Result<(), Itself> {
        self.ownership.enter_by_steps(Section::begin(), &|lock| self.enter(lock))
    }

    /// Leaves it: the running thread goes back to its effective priority, and the first
    /// waiter has it.
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
