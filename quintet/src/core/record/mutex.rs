//! What is kept of a mutex of threads: who has it, and who waits for it. `core::ownership` says
//! what must stay true of it.

#![expect(unsafe_code, reason = "owners and mutexes are linked through pointers")]

use ::core::cell::Cell;
use ::core::ptr;
use ::core::sync::atomic::{AtomicPtr, Ordering};

use super::priority::bit_of;
use super::thread::ThreadBlock;
use super::waiter::WaitList;

/// Somebody waits for the mutex.
pub const WAITED: usize = 1;
/// The mutex is a [`WithCeiling`].
pub const CEILING: usize = 2;
/// In a link to a mutex: INVARIANT(plain).
pub const PLAIN: usize = 1;

/// Who has a mutex, and who waits for it. 16 bytes.
#[repr(C)]
pub struct Ownership {
    pub(in crate::core) waiters: WaitList<()>,
    /// INVARIANT(owner).
    pub(in crate::core) owner: AtomicPtr<ThreadBlock>,
    /// The next that its owner has: INVARIANT(held), INVARIANT(plain).
    pub(in crate::core) next: Cell<*const Self>,
}

// SAFETY: everything but `owner` is touched under the kernel's lock.
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
    /// Nobody has it.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            waiters: WaitList::new(),
            owner: AtomicPtr::new(ptr::null_mut()),
            next: Cell::new(ptr::null()),
        }
    }

    /// The owner, if anybody has it.
    #[inline(always)]
    pub fn owner(&self) -> Option<&'static ThreadBlock> {
        let owner = self.owner.load(Ordering::Relaxed);
        // SAFETY: INVARIANT(owner); control blocks live for ever.
        unsafe { owner.map_addr(|word| word & !(WAITED | CEILING)).as_ref() }
    }

    /// Whether it has a ceiling, while it has an owner.
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

/// The same with a ceiling: the priority that whoever has it has at least.
#[derive(Debug)]
#[repr(C)]
pub struct WithCeiling {
    pub(in crate::core) ownership: Ownership,
    /// The ceiling's bit.
    pub(in crate::core) bit: u32,
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

    /// The ceiling of the one whose ownership this is.
    ///
    /// # Safety
    /// It is the first field of one, which has been entered.
    #[inline(always)]
    pub(in crate::core) unsafe fn of(ownership: &Ownership) -> u8 {
        let this = ptr::with_exposed_provenance::<Self>(ptr::from_ref(ownership).addr());
        // SAFETY: the caller's; entering has exposed it.
        unsafe { (*this).ceiling() }
    }
}
