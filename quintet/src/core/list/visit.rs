//! Visits, which grant waiters their demands one by one.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use super::{GRANTED, Search, WaitList};
use crate::core::lock::KernelLock;
use crate::core::record::WakeTarget;
use crate::core::section::kernel_and_wake;

/// The result of a visit to a waiter.
#[must_use]
pub enum Visit {
    /// The waiter was granted its demand, and has to be woken. There may be more waiters.
    Granted(WakeTarget),
    /// No waiter was granted anything. Release the lock, and continue.
    Again,
    /// There are no more waiters.
    End,
}

/// Calls `next` for each waiter, in a section of the lock of its own, until there are no more
/// waiters. Wakes the waiters that were granted something. From every context that the kernel knows
/// of.
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
    /// Visits the first waiter. If `grants` returns `true` for the waiter's demand, takes the
    /// waiter out and marks the waiter as granted.
    #[inline(always)]
    pub fn grant_first(&self, _lock: &KernelLock<'_>, grants: impl FnOnce(&D) -> bool) -> Visit {
        let Some(head) = self.head.get() else { return Visit::End };
        // SAFETY: INVARIANT(linked-alive).
        let first = unsafe { head.as_ref() };
        if grants(&first.demand) { Visit::Granted(self.pop_first(first)) } else { Visit::Again }
    }

    /// Visits the only waiter. If `grants` returns `true` for the waiter's demand, takes the waiter
    /// out and marks the waiter as granted. If there are several waiters,
    /// [visits](Self::grant_next) none of them.
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

    /// Visits the next waiter towards the tail. If `grants` returns `true` for the waiter's demand,
    /// takes the waiter out and marks the waiter as granted.
    pub fn grant_next(
        &self,
        lock: &KernelLock<'_>,
        search: &mut Search<D>,
        grants: impl FnOnce(&D) -> bool,
    ) -> Visit {
        let passed = search.reached(lock, self);
        let next = match passed {
            // SAFETY: INVARIANT(linked-alive): no waiter was unlinked since.
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
        // SAFETY: the waiter is linked in this list.
        let target = unsafe { self.remove(lock, waiter, GRANTED) };
        search.pause(lock, self, passed);
        Visit::Granted(target)
    }
}

#[cfg(test)]
mod tests;
