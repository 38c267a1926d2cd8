//! Searches among waiters, with one step in each section of the lock.
//!
//! # Invariants
//! - INVARIANT(same): a list has not changed if its ends have not, and if since then waiters were
//!   only popped, or one was linked while the list was empty. (In the latter case both ends are
//!   that waiter.)
//! - INVARIANT(ranked): during a search, only a waiter that is alone in its list changes its
//!   priority, and the search is for one priority. So the waiters that the search has passed are
//!   less urgent than this priority, the head isn't, and the search ends behind the head.

#![expect(unsafe_code, reason = "a search holds a pointer to a waiter")]

use ::core::cell::Cell;
use ::core::ptr::NonNull;

use super::{WaitList, Waiter};
use crate::arch::at_hand;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::KernelLock;

/// The progress of a search among waiters.
pub struct Search<D> {
    /// The last waiter that the search passed.
    passed: Option<NonNull<Waiter<D>>>,
    /// The ends of the list at that time.
    ends: Option<[NonNull<Waiter<D>>; 2]>,
    /// The priority whose place the search looks for; 0 for a visit.
    #[cfg(threads)]
    priority: u8,
}

// SAFETY: the pointer is used only under the lock.
unsafe impl<D: Send> Send for Search<D> {}

impl<D> Search<D> {
    /// Makes a search that has not begun.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            passed: None,
            ends: None,
            #[cfg(threads)]
            priority: 0,
        }
    }

    /// Searches for the place of `priority`. If the priority has changed since the last step, the
    /// search begins anew: a searching thread may be given another priority between two steps.
    #[cfg(threads)]
    pub(super) const fn search_for(&mut self, priority: u8) {
        if self.priority != priority {
            self.priority = priority;
            self.passed = None;
        }
    }

    /// Returns the waiter at which the search continues, if the search has paused and this waiter
    /// is still linked in `list`: INVARIANT(same).
    pub(super) fn reached(
        &self,
        lock: &KernelLock<'_>,
        list: &WaitList<D>,
    ) -> Option<NonNull<Waiter<D>>> {
        if SEARCHER.get(lock).get() != self.address() {
            return None;
        }
        // Word by word: a comparison of the arrays would be a loop.
        let ([head, tail], [head_then, tail_then]) = (list.ends()?, self.ends?);
        if head == head_then && tail == tail_then { self.passed } else { None }
    }

    /// Notes that the search continues behind `passed`, which is linked in `list`, before the
    /// caller releases the lock.
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

    /// Returns a number that tells this search from other searches under way. A search isn't moved
    /// meanwhile; a moved search would begin anew.
    fn address(&self) -> usize {
        ::core::ptr::from_ref(self).addr()
    }
}

/// The address of the search that was the last to pause. 0 once a waiter was linked beside others,
/// given another priority, or unlinked other than by [`WaitList::pop`]. (A pop changes the ends of
/// the list: INVARIANT(same).)
///
/// All lists share this word, so that a list is a word smaller. A search that is interrupted by
/// another search begins anew.
static SEARCHER: KernelCell<Cell<usize>> = KernelCell::new(Cell::new(0));

/// Notes that the walk of the record at this address is the last to pause. A walk looks at more
/// than one list, so it notes itself what it has reached.
#[cfg(threads)]
pub fn pause_walk<T>(walk: &T, lock: &KernelLock<'_>) {
    SEARCHER.get(lock).set(::core::ptr::from_ref(walk).addr());
}

/// Returns `true` if the walk was the last to pause, and no list has changed since.
#[cfg(threads)]
pub fn is_undisturbed<T>(walk: &T, lock: &KernelLock<'_>) -> bool {
    SEARCHER.get(lock).get() == ::core::ptr::from_ref(walk).addr()
}

/// Lets every search begin anew, as a list has changed.
#[inline(always)]
pub fn disturb(lock: &KernelLock<'_>) {
    SEARCHER.get(lock).set(0);
}

/// A reference to the word that names the last search to pause. For searches whose progress is
/// stored in the waiter itself.
#[derive(Clone, Copy)]
pub struct Searcher(&'static KernelCell<Cell<usize>>);

impl Searcher {
    /// Returns the word's address in a register, before the section that needs the address begins.
    #[inline(always)]
    #[must_use]
    pub fn at_hand() -> Self {
        // SAFETY: the same reference.
        Self(unsafe { &*at_hand(&raw const SEARCHER) })
    }

    /// Returns the last waiter that the search of `waiter` passed, if the search has paused and
    /// that waiter is still linked in the list with these ends: INVARIANT(same). There were several
    /// waiters when the search paused. So if the head is the same and there are still several
    /// waiters, no waiter was popped.
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
        // SAFETY: the search has paused since the waiter was prepared, as the waiter stores the
        // head.
        same.then(|| unsafe { waiter.next.get().unwrap_unchecked() })
    }

    /// Notes that the search continues behind `passed`, before the caller releases the lock. A
    /// waiter that isn't linked has room for the note.
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

    /// Lets every search begin anew, as a list has changed.
    #[inline(always)]
    pub(super) fn disturb(self, lock: &KernelLock<'_>) {
        self.0.get(lock).set(0);
    }
}

/// Links a waiter before `passed`, which is less urgent, if that is the waiter's place. Otherwise
/// returns the waiter before `passed`.
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
    // SAFETY: the new waiter is the caller's.
    let waiter = unsafe { own.as_ref() };
    waiter.previous.set(before);
    waiter.next.set(Some(passed));
    Ok(())
}
