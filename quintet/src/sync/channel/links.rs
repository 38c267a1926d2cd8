//! Which slots of a channel are free, and which are queued.
//!
//! Either a ring, in which a slot is filled as soon as it is taken from the free ones, and freed as
//! soon as it is taken from the queue: what is behind each slot never changes. Or two lists of
//! slots' numbers, with slots that are in neither meanwhile. A byte a slot, and a few instructions
//! each, under the kernel's lock. Which of the two it is, is decided when it is made.
//!
//! Long rings and lists begin with all zeros, which take no room in the program's image. In such a
//! ring, what is behind a slot is computed: the one with the next lower number. In a list, a free
//! slot's link is how far behind its successor the next free slot is, and the queue's links are
//! numbers plus 1.

#![expect(unsafe_code, reason = "slots are not checked against the bounds again")]

use ::core::cell::Cell;
use ::core::sync::atomic::{AtomicU8, Ordering};

use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::sync::tokens::Tokens;

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
    /// For each slot of a short ring, and each of a list that is free or queued, the one behind it.
    next: [Cell<u8>; N],
}

impl<const N: usize> Links<N> {
    /// All slots are free; in a short ring, or with all zeros.
    pub const fn new(zeros: bool) -> Self {
        let next = [const { Cell::new(NONE) }; N];
        let mut slot = 1;
        while !zeros && slot < N {
            next[slot - 1].replace(slot as u8);
            slot += 1;
        }
        Self { free: Cell::new(0), head: Cell::new(NONE), tail: Cell::new(0), next }
    }

    /// Takes a slot out of the free ones of a ring, and queues it. It is one of the channel's; it
    /// is free if any is.
    #[inline(always)]
    pub fn append(&self, zeros: bool) -> u8 {
        let slot = self.tail.get();
        self.tail.set(self.behind(slot, zeros));
        slot
    }

    /// Takes the first slot out of the queue of a ring, and frees it. It is one of the channel's;
    /// it is queued if any is.
    #[inline(always)]
    pub fn remove(&self, zeros: bool) -> u8 {
        let slot = self.head.get();
        self.head.set(self.behind(slot, zeros));
        slot
    }

    /// The slot behind another one in a ring.
    #[inline(always)]
    fn behind(&self, slot: u8, zeros: bool) -> u8 {
        if !zeros {
            // SAFETY: it is one of the channel's.
            return unsafe { self.next(slot) }.get();
        }
        if N.is_power_of_two() {
            return slot.wrapping_sub(1) & (N - 1) as u8;
        }
        if slot == 0 { (N - 1) as u8 } else { slot - 1 }
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

/// Counts the slots of a channel, if that was not done yet: before its first message.
#[cold]
#[inline(never)]
pub fn begin(free: &KernelCell<Tokens>, used: &AtomicU8, slots: u8) {
    kernel(|lock| {
        if used.load(Ordering::Relaxed) == 0 {
            used.store(slots, Ordering::Relaxed);
            free.get(lock).begin(lock, u16::from(slots));
        }
    });
}
