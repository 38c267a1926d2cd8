//! Demands: what a waiter wants, where that is more than a word.

#![expect(unsafe_code, reason = "a demand is a pointer")]

use ::core::cell::Cell;
use ::core::ptr::NonNull;

/// What a waiter wants, as a pointer to it: a thread's own waiter has room for no more.
///
/// INVARIANT(demand-alive): what it points to lives until the waiter is in no list.
#[repr(transparent)]
pub struct Demand<D> {
    at: Cell<NonNull<D>>,
}

// SAFETY: INVARIANT(kernel-only): contexts take turns.
unsafe impl<D: Sync> Send for Demand<D> {}

impl<D> Demand<D> {
    /// Of a waiter that doesn't wait yet.
    #[must_use]
    pub const fn unknown() -> Self {
        Self { at: Cell::new(NonNull::dangling()) }
    }

    /// That it is `wanted`.
    #[cfg(threads)]
    #[inline(always)]
    pub const fn new(wanted: &D) -> Self {
        Self { at: Cell::new(NonNull::from_ref(wanted)) }
    }

    /// Says that it is `wanted`, before the waiter waits.
    #[inline(always)]
    pub fn set(&self, wanted: &D) {
        self.at.set(NonNull::from_ref(wanted));
    }

    /// What is wanted.
    ///
    /// # Safety
    /// It was said, and INVARIANT(demand-alive).
    #[inline(always)]
    pub const unsafe fn get(&self) -> &D {
        // SAFETY: the caller's.
        unsafe { self.at.get().as_ref() }
    }
}
