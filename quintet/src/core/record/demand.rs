//! Demands of waiters that are larger than a word.

#![expect(unsafe_code, reason = "a demand is a pointer")]

use ::core::cell::Cell;
use ::core::ptr::NonNull;

/// The demand of a waiter, as a pointer: a thread's own waiter has no room for more.
///
/// INVARIANT(demand-alive): the demand lives until the waiter is in no list.
#[repr(transparent)]
pub struct Demand<D> {
    at: Cell<NonNull<D>>,
}

// SAFETY: INVARIANT(kernel-only): contexts take turns.
unsafe impl<D: Sync> Send for Demand<D> {}

impl<D> Demand<D> {
    /// Makes the demand of a waiter that doesn't wait yet.
    #[must_use]
    pub const fn unknown() -> Self {
        Self { at: Cell::new(NonNull::dangling()) }
    }

    /// Makes a demand for `wanted`.
    #[cfg(threads)]
    #[inline(always)]
    pub const fn new(wanted: &D) -> Self {
        Self { at: Cell::new(NonNull::from_ref(wanted)) }
    }

    /// Sets the demand to `wanted`, before the waiter waits.
    #[inline(always)]
    pub fn set(&self, wanted: &D) {
        self.at.set(NonNull::from_ref(wanted));
    }

    /// Returns the wanted value.
    ///
    /// # Safety
    /// The demand was set, and INVARIANT(demand-alive).
    #[inline(always)]
    pub const unsafe fn get(&self) -> &D {
        // SAFETY: the caller's.
        unsafe { self.at.get().as_ref() }
    }
}
