//! Ownership with an immediate ceiling.

#![expect(unsafe_code, reason = "the whole is reached by its first field")]

use ::core::ptr;

use super::{CEILING, Itself, Ownership, leave_slowly};
use crate::arch::switch;
use crate::core::lock::{self, Kernel};
use crate::core::scheduler::{Control, SCHEDULER, bit_of};

/// The same with a ceiling: the priority that whoever has it has at least.
#[derive(Debug)]
#[repr(C)]
pub struct WithCeiling {
    ownership: Ownership,
    /// The ceiling's bit.
    pub(super) bit: u32,
}

impl WithCeiling {
    /// Nobody has it.
    #[must_use]
    pub const fn new(ceiling: u8) -> Self {
        Self { ownership: Ownership::new(), bit: bit_of(ceiling) }
    }

    /// The priority that whoever has it has at least.
    #[inline(always)]
    pub const fn ceiling(&self) -> u8 {
        self.bit.trailing_zeros() as u8
    }

    /// What is the same without a ceiling.
    #[inline(always)]
    pub const fn ownership(&self) -> &Ownership {
        &self.ownership
    }

    /// Takes it for the running thread, whose priority is at least the ceiling from then on, if
    /// nobody has it.
    ///
    /// # Errors
    /// Who has it.
    #[inline(never)]
    pub fn enter(&self, lock: &Kernel<'_>) -> Result<(), &'static Control> {
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
        let saved = lock::acquire();
        // SAFETY: acquired above.
        unsafe {
            let enters =
                !lock::is_cooperative() && switch::enter_and_raise(self, SCHEDULER.running());
            lock::release(saved);
            enters
        }
    }

    /// The same, where the thread waits until it has it.
    ///
    /// # Errors
    /// [`Itself`] if it has it already.
    #[inline(never)]
    pub fn enter_blocking(&self) -> Result<(), Itself> {
        self.ownership.enter_by_steps(lock::acquire(), &|lock| self.enter(lock))
    }

    /// Leaves it: the running thread goes back to the priority that is due to it, and the first
    /// waiter has it.
    #[inline(always)]
    pub fn leave(&self) {
        let saved = lock::acquire();
        let running = SCHEDULER.running();
        // SAFETY: acquired above, and released by either path.
        unsafe {
            if lock::is_cooperative() || !switch::leave_and_lower(self, running) {
                return leave_slowly(&self.ownership, saved);
            }
            lock::release(saved);
        }
    }

    /// The ceiling of the one whose ownership this is.
    ///
    /// # Safety
    /// It is the first field of one, which has been entered.
    #[inline(always)]
    pub(super) unsafe fn of(ownership: &Ownership) -> u8 {
        let this = ptr::with_exposed_provenance::<Self>(ptr::from_ref(ownership).addr());
        // SAFETY: the caller's; entering has exposed it.
        unsafe { (*this).ceiling() }
    }
}
