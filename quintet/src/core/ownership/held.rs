//! The mutexes that count for their owner's priority: their marks, and the owner's list of them.

#![expect(unsafe_code, reason = "mutexes are linked through pointers")]

use ::core::cell::Cell;
use ::core::ptr;
use ::core::sync::atomic::Ordering;

use crate::core::list::search;
use crate::core::lock::KernelLock;
use crate::core::record::Ownership;
use crate::core::record::mutex::{CEILING, PLAIN, WAITED};
use crate::core::scheduler::ThreadBlock;

/// In the link of a mutex: a thread that is about to wait has lent the owner a priority:
/// INVARIANT(lent).
const LENT: usize = 2;

impl Ownership {
    /// Marks that a thread waits for the mutex.
    #[inline(always)]
    pub(super) fn note_waited(&self, owner: &ThreadBlock, _lock: &KernelLock<'_>) {
        let word = self.owner.load(Ordering::Relaxed);
        self.owner.store(word.map_addr(|word| word | WAITED), Ordering::Relaxed);
        if word.addr() & (WAITED | CEILING) == 0 {
            self.link_to(owner);
        } else {
            // INVARIANT(plain).
            owner.held().set(plainly(owner.held().get()));
        }
    }

    /// Marks that a thread that is about to wait for the mutex lends the owner a priority.
    pub(super) fn note_lent(&self, owner: &ThreadBlock, lock: &KernelLock<'_>) {
        self.note_waited(owner, lock);
        self.next.set(self.next.get().map_addr(|address| address | LENT));
    }

    /// Returns `true` if a thread that is about to wait for the mutex has lent a priority.
    pub(super) fn is_lent(&self) -> bool {
        self.next.get().addr() & LENT != 0
    }

    #[inline(always)]
    pub(super) fn link_to(&self, owner: &ThreadBlock) {
        self.next.set(owner.held().get());
        owner.held().set(self);
    }

    /// Takes the mutex out of its owner's list, if `search` has reached the link to the mutex.
    /// Otherwise returns `false`: release the lock, and try again.
    #[inline(always)]
    pub(super) fn unlink_from(
        &self,
        owner: &ThreadBlock,
        search: &mut LinkSearch,
        lock: &KernelLock<'_>,
    ) -> bool {
        let first = owner.held();
        let link = if ptr::eq(plainly(first.get()), self) {
            first
        } else {
            // SAFETY: INVARIANT(held): the mutex is in the list; the others there live.
            let Some(link) = (unsafe { search.next(first, self, lock) }) else { return false };
            link
        };
        // The mark of a link is that of the mutex which has the link.
        let mark = if ptr::eq(link, first) { 0 } else { link.get().addr() & LENT };
        link.set(plainly(self.next.get()).map_addr(|address| address | mark));
        true
    }
}

/// A search for the link to a mutex in its owner's list, with one step in each section of the lock.
/// Mutexes are mostly left in the reverse order, so that the first link is the one. As for
/// [`Floors`](super::floors::Floors), INVARIANT(same-floors) says why a search misses nothing,
/// though the owner may run between two steps: it leaves a mutex of a longer list by [`propagate`]
/// alone, which replaces the word of the searches. (The assembly leaves a mutex only if it is alone
/// there.)
///
/// [`propagate`]: super::propagate
pub(super) struct LinkSearch {
    /// The last mutex that was passed; null if the search has not begun.
    passed: *const Ownership,
    /// The owner's first mutex at that time.
    first: *const Ownership,
}

impl LinkSearch {
    /// Makes a search that has not begun.
    pub(super) const fn new() -> Self {
        Self { passed: ptr::null(), first: ptr::null() }
    }

    /// Passes one more mutex. Returns the link to `mutex` if the passed mutex has it.
    ///
    /// # Safety
    /// `mutex` is in the list that begins with `first`, and isn't the first there.
    #[inline(never)]
    unsafe fn next<'a>(
        &mut self,
        first: &Cell<*const Ownership>,
        mutex: &Ownership,
        lock: &KernelLock<'_>,
    ) -> Option<&'a Cell<*const Ownership>> {
        let head = plainly(first.get());
        let goes_on = !self.passed.is_null()
            && ptr::eq(head, self.first)
            && search::is_undisturbed(self, lock);
        // SAFETY: INVARIANT(same-floors): the passed mutex is in the list, and lives.
        self.passed = if goes_on { plainly(unsafe { &*self.passed }.next.get()) } else { head };
        self.first = head;
        search::pause_walk(self, lock);
        // SAFETY: the caller's: `mutex` comes behind, so the list doesn't end here.
        let link = unsafe { &(*self.passed).next };
        ptr::eq(plainly(link.get()), mutex).then_some(link)
    }
}

/// Returns a link without `PLAIN` and `LENT`.
#[inline(always)]
pub(super) fn plainly(link: *const Ownership) -> *const Ownership {
    link.map_addr(|address| address & !(PLAIN | LENT))
}
