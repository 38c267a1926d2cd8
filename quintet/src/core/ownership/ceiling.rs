//! Ownership with an immediate ceiling.

#![expect(unsafe_code, reason = "the whole is reached by its first field")]

use ::core::ptr;
use ::core::sync::atomic::Ordering;

use super::{CEILING, Itself, Ownership};
use crate::core::lock::{self, Kernel, kernel};
use crate::core::scheduler::{Control, SCHEDULER, bit_of, limit_of};

/// The same with a ceiling: the priority that whoever has it has at least.
#[derive(Debug)]
#[repr(C)]
pub struct WithCeiling {
    ownership: Ownership,
    /// All bits of priorities up to the ceiling.
    above: u32,
}

impl WithCeiling {
    /// Nobody has it.
    #[must_use]
    pub const fn new(ceiling: u8) -> Self {
        Self { ownership: Ownership::new(), above: limit_of(bit_of(ceiling)) & !1 }
    }

    /// The priority that whoever has it has at least.
    #[inline(always)]
    pub const fn ceiling(&self) -> u8 {
        31 - self.above.leading_zeros() as u8
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
        let running = SCHEDULER.running();
        self.belong_to(running);
        if running.priority(lock) < self.ceiling() {
            SCHEDULER.change_priority(running, self.ceiling(), lock);
        }
        Ok(())
    }

    /// The same, if the thread may have it and if that is simple. Whether it has it.
    #[inline(always)]
    #[must_use]
    pub fn try_enter(&self) -> bool {
        kernel(|lock| {
            if !self.ownership.owner.load(Ordering::Relaxed).is_null() {
                cold();
                return false;
            }
            let running = SCHEDULER.running();
            let enters = SCHEDULER.raise_running(running, self.above, lock)
                || running.priority(lock) == self.ceiling();
            if enters {
                self.belong_to(running);
            }
            enters
        })
    }

    #[inline(always)]
    fn belong_to(&self, running: &Control) {
        let _exposed = ptr::from_ref(self).expose_provenance();
        self.ownership.set_owner(running, CEILING);
        self.ownership.link_to(running);
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

    /// Leaves it, if nobody waits, it is the only one that the running thread has entered, and
    /// going back to its own priority is simple.
    #[inline(always)]
    #[must_use]
    pub fn try_leave(&self) -> bool {
        kernel(|lock| {
            let (own, running) = (&self.ownership, SCHEDULER.running());
            let is_simple = own.next.get().is_null() && own.waiters.is_empty(lock);
            if !is_simple || !ptr::eq(running.held(), own) {
                cold();
                return false;
            }
            let base = running.base(lock);
            let leaves =
                SCHEDULER.lower_running(running, base, lock) || base == running.priority(lock);
            if !leaves {
                cold();
                return false;
            }
            own.owner.store(ptr::null_mut(), Ordering::Relaxed);
            running.set_held(ptr::null());
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
        unsafe { (*this).ceiling() }
    }
}

/// Where code is rarely: out of the way of the rest.
#[cold]
const fn cold() {}
