//! The free and the queued slots of a channel, in one of two forms.
//!
//! One form is a ring. A slot is filled as soon as it is taken from the free ones, and freed as
//! soon as it is taken from the queue, so the order of slots never changes. The other form has two
//! lists of slots' numbers, with slots that are in neither list meanwhile. Both take a byte for
//! each slot, and a few instructions for each step, under the kernel's lock. The channel's type
//! decides the form.
//!
//! Long rings and lists begin with all zeros, which take no room in the program's image. In such a
//! ring, the slot behind a slot is computed: it has the next lower number. In a list, a free slot's
//! link is the distance from the slot's successor to the next free slot, and the queue's links are
//! numbers plus 1.

#![expect(unsafe_code, reason = "slots are not checked against the bounds again")]

use ::core::cell::Cell;
use ::core::sync::atomic::{AtomicU8, Ordering};

use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::sync::tokens::Tokens;

/// Stands for an empty queue of a list, or for the end of the queue.
const NONE: u8 = 0;

/// The free and the queued slots.
pub struct Links<const N: usize> {
    /// The first free slot of a list.
    free: Cell<u8>,
    /// The first queued slot of a ring; the first of a list, plus 1.
    head: Cell<u8>,
    /// The first free slot of a ring; the last queued slot of a list.
    tail: Cell<u8>,
    /// The next slot, for each slot of a short ring, and for each free or queued slot of a list.
    next: [Cell<u8>; N],
}

impl<const N: usize> Links<N> {
    /// Makes links with all slots free: a short ring, or all zeros.
    pub const fn new(zeros: bool) -> Self {
        let next = [const { Cell::new(NONE) }; N];
        let mut slot = 1;
        while !zeros && slot < N {
            next[slot - 1].replace(slot as u8);
            slot += 1;
        }
        Self { free: Cell::new(0), head: Cell::new(NONE), tail: Cell::new(0), next }
    }

    /// Takes a slot out of the free ones of a ring, and queues it. The slot is one of the
    /// channel's. It is free if any slot is free.
    #[inline(always)]
    pub fn append(&self, zeros: bool) -> u8 {
        let slot = self.tail.get();
        self.tail.set(self.behind(slot, zeros));
        slot
    }

    /// Takes the first slot out of the queue of a ring, and frees it. The slot is one of the
    /// channel's. It is queued if any slot is queued.
    #[inline(always)]
    pub fn remove(&self, zeros: bool) -> u8 {
        let slot = self.head.get();
        self.head.set(self.behind(slot, zeros));
        slot
    }

    /// Returns the slot behind another one in a ring.
    #[inline(always)]
    fn behind(&self, slot: u8, zeros: bool) -> u8 {
        if !zeros {
            // SAFETY: the slot is one of the channel's.
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
    /// The links are lists, and there is a free slot.
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
    /// The links are lists; the slot is one of the channel's, and in neither list.
    #[inline(always)]
    pub unsafe fn release(&self, slot: u8) {
        let distance = self.free.replace(slot).wrapping_sub(slot).wrapping_sub(1);
        // SAFETY: the caller's.
        unsafe { self.next(slot) }.set(distance);
    }

    /// Puts a slot at the end of the queue.
    ///
    /// # Safety
    /// The links are lists; the slot is one of the channel's, and in neither list.
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
    /// The links are lists, and there is a queued slot.
    #[inline(always)]
    pub unsafe fn take(&self) -> u8 {
        let slot = self.head.get().wrapping_sub(1);
        // SAFETY: the caller's.
        self.head.set(unsafe { self.next(slot) }.get());
        slot
    }

    /// Returns the link of a slot.
    ///
    /// # Safety
    /// The slot is one of the channel's.
    #[inline(always)]
    unsafe fn next(&self, slot: u8) -> &Cell<u8> {
        // SAFETY: the caller's.
        unsafe { self.next.get_unchecked(usize::from(slot)) }
    }
}

/// Counts the slots of a channel, if they aren't counted yet: before its first message.
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
