//! Searches among waiters: one step in each section of the lock.
//!
//! # Invariants
//! - INVARIANT(same): a list whose ends are as they were is the same as it was, if since then
//!   waiters were only popped, or one was linked while the list was empty. (Its ends are one waiter
//!   then.)
//! - INVARIANT(ranked): while a search is under way, no waiter's priority changes but that of one
//!   that is alone, and it is for one priority. So what it has passed is less urgent, the head
//!   isn't, and it ends behind that.

#![expect(unsafe_code, reason = "a search holds a pointer to a waiter")]

use ::core::cell::Cell;
use ::core::ptr::NonNull;

use super::{WaitList, Waiter};
use crate::arch::at_hand;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::KernelLock;

/// How far a search among the waiters has come.
pub struct Search<D> {
    /// The last waiter that it passed.
    passed: Option<NonNull<Waiter<D>>>,
    /// The ends of the list, when it did.
    ends: Option<[NonNull<Waiter<D>>; 2]>,
    /// The priority whose place it searches for; 0 if it visits.
    #[cfg(threads)]
    priority: u8,
}

// SAFETY: the pointer is used under the lock only.
unsafe impl<D: Send> Send for Search<D> {}

impl<D> Search<D> {
    /// Has not begun.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            passed: None,
            ends: None,
            #[cfg(threads)]
            priority: 0,
        }
    }

    /// Searches for the place of `priority`: anew, if it was another before. Who searches may be
    /// given another one between two steps.
    #[cfg(threads)]
    pub(super) const fn search_for(&mut self, priority: u8) {
        if self.priority != priority {
            self.priority = priority;
            self.passed = None;
        }
    }

    /// Where it goes on, if it paused and what it reached is still linked in `list`:
    /// INVARIANT(same).
    pub(super) fn reached(
        &self,
        lock: &KernelLock<'_>,
        list: &WaitList<D>,
    ) -> Option<NonNull<Waiter<D>>> {
        if SEARCHER.get(lock).get() != self.address() {
            return None;
        }
        // Word by word: a comparison of the whole would be a loop.
        let ([head, tail], [head_then, tail_then]) = (list.ends()?, self.ends?);
        if head == head_then && tail == tail_then { self.passed } else { None }
    }

    /// Leaves the lock to others, to go on behind `passed`, which is linked in `list`.
    pub(super) fn pause(
        &mut self,
        lock: &KernelLock<'_>,
        list: &WaitList<D>,
        passed: Option<NonNull<Waiter<D>>>,
    ) {
        self.passed = passed;
        self.ends = list.ends();
        SEARCHER.get(lock).set(self.address());
    }

    /// Tells it from other searches that are under way: it isn't moved meanwhile, and if it were it
    /// would begin anew.
    fn address(&self) -> usize {
        ::core::ptr::from_ref(self).addr()
    }
}

/// Which search was the last to pause, by its address; 0 once a waiter was linked beside others,
/// unlinked other than by [`WaitList::pop`], or given another priority. (What is popped shows in
/// the ends of the list: INVARIANT(same).)
///
/// One for all lists: a search that is interrupted by another begins anew, and a list is a word
/// smaller.
static SEARCHER: KernelCell<Cell<usize>> = KernelCell::new(Cell::new(0));

/// Lets whoever searches begin anew: a list has changed.
#[inline(always)]
pub fn disturb(lock: &KernelLock<'_>) {
    SEARCHER.get(lock).set(0);
}

/// Where it is noted which search was the last to pause: for searches of waiters for their own
/// place, whose state is in the waiter.
#[derive(Clone, Copy)]
pub struct Searcher(&'static KernelCell<Cell<usize>>);

impl Searcher {
    /// The address, in a register before a section begins that needs it.
    #[inline(always)]
    #[must_use]
    pub fn at_hand() -> Self {
        // SAFETY: the same reference.
        Self(unsafe { &*at_hand(&raw const SEARCHER) })
    }

    /// The last waiter that the search of `waiter` passed, if it paused and what it reached is
    /// still linked in the list, which has these ends: INVARIANT(same). There were several waiters
    /// when it paused. So while the head is the same, and there are several, nobody was popped.
    #[inline(always)]
    pub(super) fn reached<D>(
        self,
        lock: &KernelLock<'_>,
        waiter: &Waiter<D>,
        [head, tail]: [NonNull<Waiter<D>>; 2],
    ) -> Option<NonNull<Waiter<D>>> {
        let own = ::core::ptr::from_ref(waiter).addr();
        let paused = self.0.get(lock).get() == own;
        let same = paused && waiter.previous.get() == head && head != tail;
        // SAFETY: it has paused since it was prepared, as it knows the head.
        same.then(|| unsafe { waiter.next.get().unwrap_unchecked() })
    }

    /// Leaves the lock to others, to go on behind `passed`. A waiter that isn't linked has room for
    /// that.
    #[inline(always)]
    pub(super) fn pause<D>(
        self,
        lock: &KernelLock<'_>,
        waiter: &Waiter<D>,
        passed: NonNull<Waiter<D>>,
        [head, _tail]: [NonNull<Waiter<D>>; 2],
    ) {
        waiter.next.set(Some(passed));
        waiter.previous.set(head);
        self.0.get(lock).set(::core::ptr::from_ref(waiter).addr());
    }

    /// Lets whoever searches begin anew: a list has changed.
    #[inline(always)]
    pub(super) fn disturb(self, lock: &KernelLock<'_>) {
        self.0.get(lock).set(0);
    }
}

/// Links a waiter before `passed`, which is less urgent, if it belongs there. If it doesn't,
/// returns what is before `passed`.
///
/// # Safety
/// As for [`WaitList::link`]; `passed` is linked, and not the head.
#[inline(always)]
pub(super) unsafe fn link_before<D>(
    passed: NonNull<Waiter<D>>,
    own: NonNull<Waiter<D>>,
    priority: u8,
) -> Result<(), NonNull<Waiter<D>>> {
    // SAFETY: INVARIANT(linked-alive).
    let next = unsafe { passed.as_ref() };
    let before = next.previous.get();
    // SAFETY: INVARIANT(linked-alive), INVARIANT(ends): `passed` isn't the head, by
    // INVARIANT(ranked).
    let previous = unsafe { before.as_ref() };
    if previous.priority.get() < priority {
        return Err(before);
    }
    previous.next.set(Some(own));
    next.previous.set(own);
    // SAFETY: the new one is the caller's.
    let waiter = unsafe { own.as_ref() };
    waiter.previous.set(before);
    waiter.next.set(Some(passed));
    Ok(())
}
