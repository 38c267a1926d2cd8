//! A queue for the arguments of up to 32 spawns, on their way to a task.
//!
//! A spawn claims a slot by its bit, writes the arguments, takes a ticket, and publishes the slot
//! by its bit in another word. The task's level takes the published slot with the smallest ticket.
//! So arguments arrive in the order of their spawns, and no context waits for another one: a spawn
//! that is interrupted half-way delays no other spawn of any priority.
//!
//! ```text
//!   claimed    1 1 1 0     slots that a spawn has taken
//!   published  1 0 1 0     slots whose arguments are there; slot 1 is being written
//!   tickets    8 - 7 -     slot 2 is next
//! ```
//!
//! Cost: the arguments, 4 bytes for each slot, and 12 more. A spawn always takes the same time,
//! except for a retry each time that another spawn comes between two of its instructions. To take
//! arguments, the level looks at each published slot, which is 32 at most.

#![expect(unsafe_code, reason = "arguments go from one context to another")]

use ::core::cell::UnsafeCell;
use ::core::mem::MaybeUninit;
use ::core::sync::atomic::AtomicU32;

use crate::arch::words;

/// The bit of slot 0.
const FIRST: u32 = 0x8000_0000;

/// Places for the arguments of up to `SLOTS` spawns; `SLOTS` is from 1 to 32.
pub struct Queue<T, const SLOTS: usize> {
    /// The slots that a spawn has taken, a bit for each.
    claimed: AtomicU32,
    /// The slots whose arguments wait, a bit for each.
    published: AtomicU32,
    /// The next ticket.
    next: AtomicU32,
    /// The tickets of the published slots.
    tickets: [AtomicU32; SLOTS],
    /// The arguments in the published slots.
    values: [UnsafeCell<MaybeUninit<T>>; SLOTS],
}

// SAFETY: `claimed` and `published` hand each value from the spawn that claimed its slot to the
// level. The arguments are `Send`, or don't leave their level, as `put` demands.
unsafe impl<T, const SLOTS: usize> Sync for Queue<T, SLOTS> {}

impl<T, const SLOTS: usize> Queue<T, SLOTS> {
    /// Makes an empty queue.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(SLOTS >= 1 && SLOTS <= 32, "a queue has 1 to 32 slots") };
        Self {
            claimed: AtomicU32::new(0),
            published: AtomicU32::new(0),
            next: AtomicU32::new(0),
            tickets: [const { AtomicU32::new(0) }; SLOTS],
            values: [const { UnsafeCell::new(MaybeUninit::uninit()) }; SLOTS],
        }
    }

    /// Puts arguments into a slot; the caller then wakes the task. From any context.
    ///
    /// # Errors
    /// If all slots are claimed, returns `value`.
    ///
    /// # Safety
    /// `T` is `Send`, or the caller runs in the level that takes.
    pub unsafe fn put(&self, value: T) -> Result<(), T> {
        let Some(bit) = self.claim() else { return Err(value) };
        let slot = bit.leading_zeros() as usize;
        // SAFETY: the claim makes the slot the caller's.
        unsafe { (*self.values[slot].get()).write(value) };
        let ticket = words::add(&self.next, 1);
        words::put(&self.tickets[slot], ticket);
        words::set(&self.published, bit);
        Ok(())
    }

    /// Takes the arguments that were put first, with their slot's bit. The slot stays claimed until
    /// the level [frees](Self::free) the slot.
    ///
    /// # Safety
    /// From the task's level only, never nested.
    pub unsafe fn take(&self) -> Option<(T, u32)> {
        let mut published = words::get(&self.published);
        let mut first = None;
        // Once for each published slot.
        while published != 0 {
            let slot = published.leading_zeros() as usize;
            published &= !(FIRST >> slot);
            let ticket = words::get(&self.tickets[slot]);
            if first.is_none_or(|(_, smallest)| is_before(ticket, smallest)) {
                first = Some((slot, ticket));
            }
        }
        let (slot, _) = first?;
        let bit = FIRST >> slot;
        words::clear(&self.published, bit);
        // SAFETY: the slot was published, and no other context takes from the slot.
        let value = unsafe { (*self.values[slot].get()).assume_init_read() };
        Some((value, bit))
    }

    /// Lets another spawn claim a slot.
    ///
    /// # Safety
    /// `bit` came from [`take`](Self::take), and is freed once.
    #[inline(always)]
    pub unsafe fn free(&self, bit: u32) {
        words::clear(&self.claimed, bit);
    }

    /// Returns `true` if no arguments wait.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        words::get(&self.published) == 0
    }

    /// Claims a slot, if one is free. Tries again each time that another spawn came between.
    fn claim(&self) -> Option<u32> {
        loop {
            let claimed = words::get(&self.claimed);
            let slot = (!claimed).leading_zeros();
            if slot as usize >= SLOTS {
                return None;
            }
            let bit = FIRST >> slot;
            if words::replace(&self.claimed, claimed, claimed | bit) {
                return Some(bit);
            }
        }
    }
}

impl<T, const SLOTS: usize> Default for Queue<T, SLOTS> {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns `true` if `ticket` was given before `other`. Tickets wrap, but at most 32 are in use.
const fn is_before(ticket: u32, other: u32) -> bool {
    ticket.wrapping_sub(other).cast_signed() < 0
}

#[cfg(test)]
mod tests;
