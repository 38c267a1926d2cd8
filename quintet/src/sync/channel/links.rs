//! Which slots of a channel are free, and which are queued: two lists of slots' numbers.
//!
//! A byte a slot: it is in one list at a time. Under the kernel's lock, a few instructions each.

#![expect(unsafe_code, reason = "slots are not checked against the bounds again")]

use ::core::cell::Cell;

/// No slot.
const NONE: u8 = u8::MAX;

/// Which slots are free, and which are queued.
pub struct Links<const N: usize> {
    /// The first free slot.
    free: Cell<u8>,
    /// The first queued slot.
    head: Cell<u8>,
    /// The last queued slot.
    tail: Cell<u8>,
    /// For each slot that is free or queued, the one behind it.
    next: [Cell<u8>; N],
}

impl<const N: usize> Links<N> {
    /// All slots are free.
    pub const fn new() -> Self {
        let next = [const { Cell::new(NONE) }; N];
        let mut slot = 1;
        while slot < N {
            next[slot - 1].replace(slot as u8);
            slot += 1;
        }
        Self { free: Cell::new(0), head: Cell::new(NONE), tail: Cell::new(NONE), next }
    }

    /// Takes a slot out of the free list.
    ///
    /// # Safety
    /// There is one.
    #[inline(always)]
    pub unsafe fn claim(&self) -> u8 {
        let slot = self.free.get();
        // SAFETY: the caller's.
        self.free.set(unsafe { self.next(slot) }.get());
        slot
    }

    /// Puts a slot at the end of the queue.
    ///
    /// # Safety
    /// The slot is one of the channel's, and in neither list.
    #[inline(always)]
    pub unsafe fn publish(&self, slot: u8) {
        let tail = self.tail.replace(slot);
        if self.head.get() == NONE {
            self.head.set(slot);
        } else {
            // SAFETY: the queue has a slot, so it has a last one.
            unsafe { self.next(tail) }.set(slot);
        }
        // SAFETY: the caller's.
        unsafe { self.next(slot) }.set(NONE);
    }

    /// Takes the first slot out of the queue.
    ///
    /// # Safety
    /// There is one.
    #[inline(always)]
    pub unsafe fn take(&self) -> u8 {
        let slot = self.head.get();
        // SAFETY: the caller's.
        self.head.set(unsafe { self.next(slot) }.get());
        slot
    }

    /// Puts a slot into the free list.
    ///
    /// # Safety
    /// The slot is one of the channel's, and in neither list.
    #[inline(always)]
    pub unsafe fn release(&self, slot: u8) {
        // SAFETY: the caller's.
        unsafe { self.next(slot) }.set(self.free.replace(slot));
    }

    /// What is behind a slot.
    ///
    /// # Safety
    /// The slot is one of the channel's.
    #[inline(always)]
    unsafe fn next(&self, slot: u8) -> &Cell<u8> {
        // SAFETY: the caller's.
        unsafe { self.next.get_unchecked(usize::from(slot)) }
    }
}
