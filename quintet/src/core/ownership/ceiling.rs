//! Ownership with an immediate ceiling.

#![expect(unsafe_code, reason = "the whole is reached by its first field")]

use ::core::ptr;
use ::core::sync::atomic::Ordering;

use super::{CEILING, Itself, Ownership};
use crate::core::lock::{self, Kernel, kernel};
use crate::core::scheduler::{Control, SCHEDULER};

/// The same with a ceiling: the priority that whoever has it has at least.
#[derive(Debug)]
#[repr(C)]
pub struct WithCeiling {
    ownership: Ownership,
    ceiling: u8,
}

impl WithCeiling {
    /// Nobody has it.
    #[must_use]
    pub const fn new(ceiling: u8) -> Self {
        Self { ownership: Ownership::new(), ceiling }
    }

    /// The priority that whoever has it has at least.
    #[inline(always)]
    pub const fn ceiling(&self) -> u8 {
        self.ceiling
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
    #[inline(always)]
    pub fn enter(&self, lock: &Kernel<'_>) -> Result<(), &'static Control> {
        if let Some(owner) = self.ownership.owner() {
            return Err(owner);
        }
        let _exposed = ptr::from_ref(self).expose_provenance();
        let running = SCHEDULER.running();
        self.ownership.set_owner(running, CEILING);
        self.ownership.link_to(running);
        if running.priority(lock) < self.ceiling {
            SCHEDULER.change_running(running, self.ceiling, lock);
        }
        Ok(())
    }

    /// The same, where the thread waits until it has it.
    ///
    /// # Errors
    /// [`Itself`] if it has it already.
    #[inline(never)]
    pub fn enter_blocking(&self) -> Result<(), Itself> {
        let saved = lock::acquire();
        // SAFETY: acquired above, and released by either path.
        let held = unsafe { Kernel::held() };
        match self.enter(&held) {
            Err(owner) => self.ownership.wait(owner, saved, &|lock| self.enter(lock)),
            Ok(()) => {
                // SAFETY: from the matching call.
                unsafe { lock::release(saved) };
                Ok(())
            }
        }
    }

    /// Leaves it, if nobody waits, and it was the last that the running thread has entered.
    #[inline(always)]
    #[must_use]
    pub fn try_leave(&self) -> bool {
        kernel(|lock| {
            let (own, running) = (&self.ownership, SCHEDULER.running());
            if !own.waiters.is_empty(lock) || !ptr::eq(running.held(), own) {
                return false;
            }
            own.owner.store(ptr::null_mut(), Ordering::Relaxed);
            let next = own.next.get();
            running.set_held(next);
            let base = running.base(lock);
            let due = if next.is_null() { base } else { Ownership::due(running, lock) };
            if due != running.priority(lock) {
                SCHEDULER.change_running(running, due, lock);
            }
            true
        })
    }

    /// The ceiling of the one whose ownership this is.
    ///
    /// # Safety
    /// It is the first field of one, which has been entered.
    #[inline(always)]
    pub(super) unsafe fn of(ownership: &Ownership) -> u8 {
        let this = ptr::with_exposed_provenance::<Self>(ptr::from_ref(ownership).addr());
        // SAFETY: the caller's; entering has exposed it.
        unsafe { (*this).ceiling }
    }
}
