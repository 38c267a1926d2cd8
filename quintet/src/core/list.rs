//! Wait lists: the most urgent waiter comes first, and equals are served in the order of their
//! arrival.
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
//! A waiter lies in the waiting future, or on the stack of the waiting thread, so a list needs only
//! its two ends. All code here runs under the kernel's lock.
//!
//! # Bounds
//! [`WaitList::pop`], [`WaitList::unlink`] and a link at either end of the list take the same few
//! instructions for any number of waiters. A place *within* the list is searched for from the tail,
//! one step in each section of the lock ([`WaitList::link`] then returns [`Linked::Again`]).
//!
//! A search begins anew if the waiter's own priority has changed, or if the list has changed. The
//! list counts as changed if another search was the [last to pause](search), or if a waiter was
//! linked beside others, unlinked or given another priority. The same holds if an end of the list
//! has changed, for example because the head was popped. On one core only a more urgent context can
//! do this, so a search begins anew at most once for each time that the search is preempted.
//! Waiters of one priority never search. [`WaitList::grant_next`] visits one waiter in each
//! section.
//!
//! # Invariants
//! - INVARIANT(sorted): whenever the lock is free, no waiter is less urgent than the next.
//! - INVARIANT(kernel-only): a list and the waiters in it are touched only under the kernel's lock.
//!   A state may be read without the lock: while the state is `IDLE` or `GRANTED`, only the
//!   waiter's owner changes the state.
//! - INVARIANT(idle-owned): an idle waiter belongs to its owner, which needs no lock.
//! - INVARIANT(waker-inside): a linked waiter holds a wake target. Code that takes the waiter out
//!   of the list takes the target too.
//! - INVARIANT(linked-alive): a linked waiter is pinned, and is unlinked before its memory is
//!   reused.
//! - INVARIANT(one-list): a waiter is linked in one list only, and unlinked from the same list.
//! - INVARIANT(ends): `tail` is valid only while there is a head, and the head's `previous` is
//!   never valid. So only one word is written to take the head out.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

#[cfg(threads)]
use ::core::hint::cold_path;
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
pub mod search;
mod visit;

/// The result of an attempt to link a waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Linked {
    /// The waiter is in the list.
    Done,
    /// The lock has been held long enough. Release it, and try again.
    Again,
}

impl<D> WaitList<D> {
    /// Returns the first waiter and the last, if there is a waiter.
    fn ends(&self) -> Option<[NonNull<Waiter<D>>; 2]> {
        // SAFETY: INVARIANT(ends): there is a head.
        self.head.get().map(|head| [head, unsafe { self.tail.get().assume_init() }])
    }

    /// Returns `true` if no waiter is in the list.
    #[inline(always)]
    pub fn is_empty(&self, _lock: &KernelLock<'_>) -> bool {
        self.head.get().is_none()
    }

    /// Returns the address of the first waiter; 0 if no waiter is in the list.
    #[cfg(threads)]
    #[inline(always)]
    pub fn head_address(&self, _lock: &KernelLock<'_>) -> usize {
        // SAFETY: null stands for no waiter. The provenance isn't needed.
        unsafe { self.head.as_ptr().cast::<*const Waiter<D>>().read() }.addr()
    }

    /// Takes the first waiter out, marks the waiter as granted, and returns the target to wake.
    /// Returns `None` if the list is empty.
    #[inline(always)]
    pub fn pop(&self, _lock: &KernelLock<'_>) -> Option<WakeTarget> {
        // SAFETY: INVARIANT(linked-alive).
        self.head.get().map(|head| self.pop_first(unsafe { head.as_ref() }))
    }

    /// Takes `first` out, which is the first waiter.
    #[inline(always)]
    fn pop_first(&self, first: &Waiter<D>) -> WakeTarget {
        self.head.set(first.next.get());
        // SAFETY: INVARIANT(waker-inside).
        let target = unsafe { first.take_target() };
        // A thread that only this grant wakes needs no state: the thread knows when it runs again.
        if !target.is_thread() {
            #[cfg(threads)]
            cold_path();
            first.state.store(GRANTED, PUBLISH);
        }
        target
    }

    /// Takes a linked waiter out, and returns the waiter's wake target.
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
            // SAFETY: INVARIANT(linked-alive), INVARIANT(ends): the waiter isn't the head.
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
        // The last step: from then on, a granted waiter belongs to its owner. A thread knows when
        // it runs again.
        if !target.is_thread() {
            waiter.state.store(state, PUBLISH);
        }
        target
    }

    /// Takes a linked waiter out that no longer wants to wait. The caller drops the returned target
    /// after the release of the lock.
    ///
    /// # Safety
    /// The waiter is linked in this list.
    pub unsafe fn unlink(&self, lock: &KernelLock<'_>, waiter: &Waiter<D>) -> WakeTarget {
        // SAFETY: the caller's.
        unsafe { self.remove(lock, waiter, IDLE) }
    }
}
