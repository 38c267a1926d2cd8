//! Visits: waiters are granted what they want one by one.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use super::{GRANTED, Search, WaitList};
use crate::core::lock::KernelLock;
use crate::core::record::WakeTarget;
use crate::core::section::kernel_and_wake;

/// What came of a visit to some waiters.
#[must_use]
pub enum Visit {
    /// One was granted what it wants, and is to be woken. There may be more.
    Granted(WakeTarget),
    /// None of these. Release the lock, and go on.
    Again,
    /// There are no more.
    End,
}

/// Visits waiters by `next` until there are no more, one in each section of the lock, and wakes
/// those that were granted something. From every context that the kernel knows of.
#[inline(always)]
pub fn visit_all<D>(mut next: impl FnMut(&KernelLock<'_>, &mut Search<D>) -> Visit) {
    let mut search = Search::new();
    let mut ended = false;
    while !ended {
        ended = kernel_and_wake(|lock| match next(lock, &mut search) {
            Visit::Granted(target) => (false, Some(target)),
            Visit::Again => (false, None),
            Visit::End => (true, None),
        });
    }
}

impl<D> WaitList<D> {
    /// Visits the first waiter. If `grants` says yes to what it wants, takes it out and marks it
    /// granted.
    #[inline(always)]
    pub fn grant_first(&self, _lock: &KernelLock<'_>, grants: impl FnOnce(&D) -> bool) -> Visit {
        let Some(head) = self.head.get() else { return Visit::End };
        // SAFETY: INVARIANT(linked-alive).
        let first = unsafe { head.as_ref() };
        if grants(&first.demand) { Visit::Granted(self.pop_first(first)) } else { Visit::Again }
    }

    /// Visits the only waiter. If `grants` says yes to what it wants, takes it out and marks it
    /// granted. If there are several, [visits](Self::grant_next) none of them.
    #[inline(always)]
    pub fn grant_only(&self, lock: &KernelLock<'_>, grants: impl FnOnce(&D) -> bool) -> Visit {
        // SAFETY: INVARIANT(linked-alive).
        if self.head.get().is_some_and(|head| unsafe { head.as_ref() }.next.get().is_some()) {
            return Visit::Again;
        }
        match self.grant_first(lock, grants) {
            Visit::Again => Visit::End,
            visit => visit,
        }
    }

    /// Visits the next waiter towards the tail. If `grants` says yes to what it wants, takes it out
    /// and marks it granted.
    pub fn grant_next(
        &self,
        lock: &KernelLock<'_>,
        search: &mut Search<D>,
        grants: impl FnOnce(&D) -> bool,
    ) -> Visit {
        let passed = search.reached(lock, self);
        let next = match passed {
            // SAFETY: INVARIANT(linked-alive): nothing was unlinked since.
            Some(passed) => unsafe { passed.as_ref() }.next.get(),
            None => self.head.get(),
        };
        let Some(next) = next else { return Visit::End };
        // SAFETY: INVARIANT(linked-alive).
        let waiter = unsafe { next.as_ref() };
        if !grants(&waiter.demand) {
            search.pause(lock, self, Some(next));
            return Visit::Again;
        }
        // SAFETY: it is linked in this list.
        let target = unsafe { self.remove(lock, waiter, GRANTED) };
        search.pause(lock, self, passed);
        Visit::Granted(target)
    }
}
