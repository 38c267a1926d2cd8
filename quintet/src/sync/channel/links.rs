//! Which slots of a channel are free, and which are queued.
//!
//! Either a ring, in which a slot is filled as soon as it is taken from the free ones, and freed as
//! soon as it is taken from the queue: what is behind each slot never changes. Or two lists of
//! slots' numbers, with slots that are in neither meanwhile. A byte a slot, and a few instructions
//! each, under the kernel's lock. Which of the two it is, is decided when it is made.
//!
//! Lists begin with all zeros, which take no room in the program's image: a free slot's link is how
//! far behind its successor the next free slot is, and the queue's links are numbers plus 1.

#![expect(unsafe_code, reason = "slots are not checked against the bounds again")]

use ::core::cell::Cell;

/// A list's queue is empty, or has nothing behind.
const NONE: u8 = 0;

/// Which slots are free, and which are queued.
pub struct Links<const N: usize> {
    /// A list's first free slot.
    free: Cell<u8>,
    /// A ring's first queued slot; a list's, plus 1.
    head: Cell<u8>,
    /// A ring's first free slot; a list's last queued slot.
    tail: Cell<u8>,
    /// For each slot of a ring, and each of a list that is free or queued, the one behind it.
    next: [Cell<u8>; N],
}

impl<const N: usize> Links<N> {
    /// All slots are free; in a ring, or in lists.
    pub const fn new(ring: bool) -> Self {
        let next = [const { Cell::new(NONE) }; N];
        let mut slot = 1;
        while ring && slot < N {
            next[slot - 1].replace(slot as u8);
            slot += 1;
        }
        Self { free: Cell::new(0), head: Cell::new(NONE), tail: Cell::new(0), next }
    }

    /// Takes a slot out of the free ones of a ring, and queues it.
    ///
    /// # Safety
    /// It is a ring, and a slot is free.
    #[inline(always)]
    pub unsafe fn append(&self) -> u8 {
        let slot = self.tail.get();
        // SAFETY: the caller's.
        self.tail.set(unsafe { self.next(slot) }.get());
        slot
    }

    /// Takes the first slot out of the queue of a ring, and frees it.
    ///
    /// # Safety
    /// It is a ring, and a slot is queued.
    #[inline(always)]
    pub unsafe fn remove(&self) -> u8 {
        let slot = self.head.get();
        // SAFETY: the caller's.
        self.head.set(unsafe { self.next(slot) }.get());
        slot
    }

    /// Takes a slot out of the free list.
    ///
    /// # Safety
    /// These are lists, and there is one.
    #[inline(always)]
    pub unsafe fn claim(&self) -> u8 {
        let slot = self.free.get();
        // SAFETY: the caller's.
        let distance = unsafe { self.next(slot) }.get();
        self.free.set(slot.wrapping_add(1).wrapping_add(distance));
        slot
    }

    /// Puts a slot into the free list.
    ///
    /// # Safety
    /// These are lists; the slot is one of the channel's, and in neither.
    #[inline(always)]
    pub unsafe fn release(&self, slot: u8) {
        let distance = self.free.replace(slot).wrapping_sub(slot).wrapping_sub(1);
        // SAFETY: the caller's.
        unsafe { self.next(slot) }.set(distance);
    }

    /// Puts a slot at the end of the queue.
    ///
    /// # Safety
    /// These are lists; the slot is one of the channel's, and in neither.
    #[inline(always)]
    pub unsafe fn publish(&self, slot: u8) {
        let tail = self.tail.replace(slot);
        if self.head.get() == NONE {
            self.head.set(slot + 1);
        } else {
            // SAFETY: the queue has a slot, so it has a last one.
            unsafe { self.next(tail) }.set(slot + 1);
        }
        // SAFETY: the caller's.
        unsafe { self.next(slot) }.set(NONE);
    }

    /// Takes the first slot out of the queue.
    ///
    /// # Safety
    /// These are lists, and there is one.
    #[inline(always)]
    pub unsafe fn take(&self) -> u8 {
        let slot = self.head.get().wrapping_sub(1);
        // SAFETY: the caller's.
        self.head.set(unsafe { self.next(slot) }.get());
        slot
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
