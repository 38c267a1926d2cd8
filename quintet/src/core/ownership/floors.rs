//! The floors of a thread: the lowest priorities that the thread can have because of its mutexes.
//!
//! A thread may have any number of mutexes that count. So a walk along them looks at one mutex in
//! each section of the lock. If something has changed between two sections, the walk begins anew.
//! On one core only a more urgent context can change something, so a walk begins anew at most once
//! for each time that the walk is preempted.
//!
//! # Why a walk misses nothing
//! INVARIANT(same-floors): if the walk was the last to [pause](search::pause_walk), nothing has
//! [disturbed](search::disturb) it since, and the thread's first mutex is the same, then the floors
//! that the walk has passed are as they were, and the last passed mutex is still in the list.
//!
//! - A floor changes with the first waiter of the mutex. All links, unlinkings and moves of waiters
//!   for a mutex that counts disturb. (The assembly links only the first waiter of a mutex that
//!   didn't count, so such a mutex becomes the first of the list.)
//! - A mutex enters the list at its beginning, so the first mutex is another one then.
//! - A mutex leaves the list when its last waiter gives up, whose unlinking disturbs, or when its
//!   owner leaves it. Owners are threads: none runs during a walk for another thread, and a thread
//!   that looks at its own floors leaves nothing meanwhile.
//!
//! The base isn't part of the walk, and is read at its end. A change of the base disturbs.
//!
//! After the end of the walk, the result is [current](Floors::is_current) until something disturbs
//! the walk, if no thread runs meanwhile.

#![expect(unsafe_code, reason = "mutexes are linked through pointers")]

use ::core::ptr;

use super::held::plainly;
use crate::core::list::search;
use crate::core::lock::{KernelLock, kernel, take_pending_interrupts};
use crate::core::record::Ownership;
use crate::core::record::ThreadBlock;

/// A walk along the mutexes of a thread that count for its priority.
pub struct Floors<'a> {
    control: &'a ThreadBlock,
    /// A mutex that doesn't count, or null.
    without: *const Ownership,
    /// The last mutex that was passed; null if the walk has not begun.
    passed: *const Ownership,
    /// The thread's first mutex at that time.
    first: *const Ownership,
    /// The highest of the floors that were passed.
    highest: u8,
}

impl<'a> Floors<'a> {
    /// Makes a walk along the mutexes of a thread, which has not begun.
    pub const fn of(control: &'a ThreadBlock) -> Self {
        Self::without(control, ptr::null())
    }

    /// Makes a walk along the mutexes of a thread, of which `without` doesn't count.
    pub const fn without(control: &'a ThreadBlock, without: *const Ownership) -> Self {
        Self { control, without, highest: 0, passed: ptr::null(), first: ptr::null() }
    }

    /// Returns the thread's effective priority, and what `also` returns in the same section. Passes
    /// each mutex in a section of its own.
    #[inline(always)]
    pub fn effective<T>(&mut self, also: impl Fn(&KernelLock<'_>) -> T) -> (u8, T) {
        loop {
            let section = |lock: &KernelLock<'_>| Some((self.pass(lock)?, also(lock)));
            if let Some(found) = kernel(section) {
                return found;
            }
            take_pending_interrupts();
        }
    }

    /// Returns `true` if the result of the walk is still the thread's effective priority. In a
    /// pause, since the walk began.
    #[inline(always)]
    pub fn is_current(&self, lock: &KernelLock<'_>) -> bool {
        search::is_undisturbed(self, lock)
    }

    /// Notes that the caller has disturbed the walk, but none of the floors.
    #[inline(always)]
    pub fn resume(&self, lock: &KernelLock<'_>) {
        search::pause_walk(self, lock);
    }

    /// Passes one more mutex. Returns the effective priority if there is no further one.
    #[inline(always)]
    pub(super) fn pass(&mut self, lock: &KernelLock<'_>) -> Option<u8> {
        let first = plainly(self.control.held().get());
        let goes_on = !self.passed.is_null()
            && ptr::eq(first, self.first)
            && search::is_undisturbed(self, lock);
        search::pause_walk(self, lock);
        let next = if goes_on {
            // SAFETY: INVARIANT(same-floors): the passed mutex is in the list, and lives.
            plainly(unsafe { &*self.passed }.next.get())
        } else {
            self.highest = 0;
            self.first = first;
            first
        };
        // SAFETY: INVARIANT(held): mutexes in a list live.
        let Some(mutex) = (unsafe { next.as_ref() }) else {
            return Some(self.highest.max(self.control.base(lock)));
        };
        self.passed = next;
        if !ptr::eq(next, self.without) {
            self.highest = self.highest.max(mutex.priority_floor(lock));
        }
        None
    }
}
