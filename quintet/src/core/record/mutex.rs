//! The record of a mutex of threads: its owner and its waiters. `core::ownership` lists the
//! invariants.

#![expect(unsafe_code, reason = "owners and mutexes are linked through pointers")]

use ::core::cell::Cell;
use ::core::ptr;
use ::core::sync::atomic::{AtomicPtr, Ordering};

use super::priority::bit_of;
use super::thread::ThreadBlock;
use super::waiter::WaitList;

/// Set in the owner's word while a thread waits for the mutex.
pub const WAITED: usize = 1;
/// Set in the owner's word if the mutex is a [`WithCeiling`].
pub const CEILING: usize = 2;
/// Set in a link to a mutex: INVARIANT(plain).
pub const PLAIN: usize = 1;

/// The owner and the waiters of a mutex. 16 bytes.
#[repr(C)]
pub struct Ownership {
    pub(in crate::core) waiters: WaitList<()>,
    /// INVARIANT(owner).
    pub(in crate::core) owner: AtomicPtr<ThreadBlock>,
    /// The next mutex that the owner has: INVARIANT(held), INVARIANT(plain).
    pub(in crate::core) next: Cell<*const Self>,
}

// SAFETY: every field but `owner` is touched only under the kernel's lock.
unsafe impl Send for Ownership {}
// SAFETY: the same.
unsafe impl Sync for Ownership {}

impl ::core::fmt::Debug for Ownership {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        let owner = self.owner().map(|control| control.about.name);
        formatter.debug_struct("Ownership").field("owner", &owner).finish_non_exhaustive()
    }
}

impl Ownership {
    /// Makes a mutex without an owner.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            waiters: WaitList::new(),
            owner: AtomicPtr::new(ptr::null_mut()),
            next: Cell::new(ptr::null()),
        }
    }

    /// Returns the owner, if the mutex has one.
    #[inline(always)]
    pub fn owner(&self) -> Option<&'static ThreadBlock> {
        let owner = self.owner.load(Ordering::Relaxed);
        // SAFETY: INVARIANT(owner); control blocks live for ever.
        unsafe { owner.map_addr(|word| word & !(WAITED | CEILING)).as_ref() }
    }

    /// Returns `CEILING` if the mutex has a ceiling and an owner, else 0.
    #[inline(always)]
    pub(in crate::core) fn kind(&self) -> usize {
        self.owner.load(Ordering::Relaxed).addr() & CEILING
    }

    #[inline(always)]
    pub(in crate::core) fn set_owner(&self, owner: &ThreadBlock, marks: usize) {
        let owner = ptr::from_ref(owner).cast_mut();
        self.owner.store(owner.map_addr(|address| address | marks), Ordering::Relaxed);
    }
}

/// A mutex with a ceiling, which is the lowest priority that its owner can have.
#[derive(Debug)]
#[repr(C)]
pub struct WithCeiling {
    pub(in crate::core) ownership: Ownership,
    /// The ceiling's bit.
    pub(in crate::core) bit: u32,
}

impl WithCeiling {
    /// Makes a mutex without an owner.
    #[must_use]
    pub const fn new(ceiling: u8) -> Self {
        Self { ownership: Ownership::new(), bit: bit_of(ceiling) }
    }

    /// Returns the lowest priority that the owner can have.
    #[inline(always)]
    pub const fn ceiling(&self) -> u8 {
        self.bit.trailing_zeros() as u8
    }

    /// Returns the part that a mutex without a ceiling has too.
    #[inline(always)]
    pub const fn ownership(&self) -> &Ownership {
        &self.ownership
    }

    /// Returns the ceiling of the mutex that `ownership` is a part of.
    ///
    /// # Safety
    /// `ownership` is the first field of a `WithCeiling` that has been entered.
    #[inline(always)]
    pub(in crate::core) unsafe fn of(ownership: &Ownership) -> u8 {
        let this = ptr::with_exposed_provenance::<Self>(ptr::from_ref(ownership).addr());
        // SAFETY: the caller's; the entry has exposed the address.
        unsafe { (*this).ceiling() }
    }
}
