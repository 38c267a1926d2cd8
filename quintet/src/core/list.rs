//! Wait lists: the most urgent waiter first, and first come first served among equals.
//!
//! ```text
//!               head                                        tail
//!   list ──────> waiter (3) <──> waiter (3) <──> waiter (1) <────── list
//!
//!                 link                          pop: granted
//!       IDLE ───────────────> LINKED ──────────────────────────> GRANTED
//!        ^                      │                                   │
//!        │  unlink: cancelled   │                                   │
//!        └──────────────────────┘                                   │
//!        └──────────────────────────────────────────────────────────┘
//!                 taken: the waiter's owner has seen it
//! ```
//!
//! A waiter lies in the future, or on the stack, of who waits: a list needs only its two ends.
//! Everything here happens under the kernel's lock.
//!
//! # Bounds
//! [`WaitList::pop`], [`WaitList::unlink`] and a place at either end of the list take the same few
//! instructions whatever the number of waiters. A place *within* the list is searched for from the
//! tail, one step in each section of the lock ([`WaitList::link`] then says [`Linked::Again`]). A
//! search begins anew if its own priority has changed, or the list is not as it was: the [last
//! search to pause](search) was another, a waiter was linked beside others, unlinked or given
//! another priority, or an end of the list is another, as where the head was popped. On one core
//! that is the doing of a more urgent context, so a search begins anew at most once for each time
//! it is preempted. Waiters of one priority never search. [`WaitList::grant_next`] visits one
//! waiter in each section.
//!
//! # Invariants
//! - INVARIANT(sorted): whenever the lock is free, no waiter is less urgent than the next.
//! - INVARIANT(kernel-only): a list and the waiters in it are touched under the kernel's lock only.
//!   A state may be read without it: while it is `IDLE` or `GRANTED`, only the waiter's owner
//!   changes it.
//! - INVARIANT(idle-owned): an idle waiter is its owner's, who needs no lock.
//! - INVARIANT(waker-inside): a linked waiter holds whom to wake. Taking it out of the list takes
//!   it.
//! - INVARIANT(linked-alive): a linked waiter is pinned, and unlinked before its memory is reused.
//! - INVARIANT(one-list): a waiter is linked in one list only, and unlinked from the same one.
//! - INVARIANT(ends): `tail` means something only while there is a head, and the head's `previous`
//!   nothing at all. So taking the head out writes one word.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::mem::MaybeUninit;
use ::core::ptr::NonNull;

use crate::core::lock::KernelLock;
use crate::core::record::WakeTarget;
use crate::core::record::waiter::{GRANTED, IDLE, LINKED, PUBLISH};

pub use crate::core::record::waiter::State;
pub use crate::core::record::{Demand, WaitList, Waiter};
pub use search::{Search, Searcher};
pub use visit::{Visit, visit_all};

mod link;
#[cfg(threads)]
mod order;
mod search;
mod visit;

/// What came of an attempt to link a waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Linked {
    /// It is in the list.
    Done,
    /// The lock has been held long enough. Release it, and try again.
    Again,
}

impl<D> WaitList<D> {
    /// The first waiter and the last, if anybody waits.
    fn ends(&self) -> Option<[NonNull<Waiter<D>>; 2]> {
        // SAFETY: INVARIANT(ends): there is a head.
        self.head.get().map(|head| [head, unsafe { self.tail.get().assume_init() }])
    }

    /// Whether nobody waits.
    #[inline(always)]
    pub fn is_empty(&self, _lock: &KernelLock<'_>) -> bool {
        self.head.get().is_none()
    }

    /// Takes the first waiter out, marks it granted, and returns whom to wake. None if nobody
    /// waits.
    #[inline(always)]
    pub fn pop(&self, _lock: &KernelLock<'_>) -> Option<WakeTarget> {
        // SAFETY: INVARIANT(linked-alive).
        self.head.get().map(|head| self.pop_first(unsafe { head.as_ref() }))
    }

    /// The same with `first`, which is the first waiter.
    #[inline(always)]
    fn pop_first(&self, first: &Waiter<D>) -> WakeTarget {
        self.head.set(first.next.get());
        // SAFETY: INVARIANT(waker-inside).
        let target = unsafe { first.take_target() };
        // A thread that nobody else wakes knows by going on.
        if !target.is_thread() {
            first.state.store(GRANTED, PUBLISH);
        }
        target
    }

    /// Takes a linked waiter out, and returns whom it wakes.
    ///
    /// # Safety
    /// The waiter is linked in this list.
    #[inline(always)]
    unsafe fn remove(&self, lock: &KernelLock<'_>, waiter: &Waiter<D>, state: u8) -> WakeTarget {
        let next = waiter.next.get();
        if self.head.get() == Some(NonNull::from(waiter)) {
            self.head.set(next);
        } else {
            let previous = waiter.previous.get();
            // SAFETY: INVARIANT(linked-alive), INVARIANT(ends): it isn't the head.
            unsafe { previous.as_ref() }.next.set(next);
            match next {
                // SAFETY: INVARIANT(linked-alive).
                Some(next) => unsafe { next.as_ref() }.previous.set(previous),
                None => self.tail.set(MaybeUninit::new(previous)),
            }
        }
        search::disturb(lock);
        // SAFETY: INVARIANT(waker-inside).
        let target = unsafe { waiter.take_target() };
        // Last: a granted waiter is its owner's. A thread knows by going on.
        if !target.is_thread() {
            waiter.state.store(state, PUBLISH);
        }
        target
    }

    /// Takes a linked waiter out that no longer wants to wait. What is returned is dropped when the
    /// lock is released.
    ///
    /// # Safety
    /// The waiter is linked in this list.
    pub unsafe fn unlink(&self, lock: &KernelLock<'_>, waiter: &Waiter<D>) -> WakeTarget {
        // SAFETY: the caller's.
        unsafe { self.remove(lock, waiter, IDLE) }
    }
}
