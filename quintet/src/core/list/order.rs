//! Moves of threads' waiters to their new places, when the priorities of the waiters change.
//!
//! ```text
//!   7, 5, 4, W(1)   to 6   7, 5, W(4), 4   to 6   7, W(5), 5, 4   to 6   7, W(6), 5, 4
//! ```
//!
//! In each section of the lock, a waiter changes places with one neighbour, and takes the priority
//! of that neighbour. So the list is in order after every section, even if other contexts link,
//! move or take out waiters before the next section. The waiter stays linked meanwhile, so that a
//! context with something to grant finds the waiter.
//!
//! This code doesn't depend on the type of the demand, so that any thread's waiter can be moved.
//! Lists and waiters have the same layout up to the demand, which is the last field.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::mem::MaybeUninit;
use ::core::ptr::NonNull;

use super::{Linked, WaitList, Waiter, search};
use crate::core::lock::KernelLock;

impl<D> WaitList<D> {
    /// Returns the priority of the first waiter; 0 if the list is empty.
    #[inline(always)]
    pub fn first_priority(&self, _lock: &KernelLock<'_>) -> u8 {
        // SAFETY: INVARIANT(linked-alive).
        self.head.get().map_or(0, |head| unsafe { head.as_ref() }.priority.get())
    }

    /// Returns `true` if `waiter` is the only waiter in the list.
    #[inline(always)]
    pub fn is_alone(&self, waiter: &Waiter<D>, _lock: &KernelLock<'_>) -> bool {
        self.head.get() == Some(NonNull::from(waiter)) && waiter.next.get().is_none()
    }

    /// Moves a waiter by one place towards the place of `priority`: before all less urgent waiters,
    /// and behind all more urgent ones. At that place the waiter gets the priority. Constant time.
    ///
    /// # Safety
    /// The waiter is linked in this list.
    #[inline(always)]
    pub unsafe fn move_waiter(
        &self,
        lock: &KernelLock<'_>,
        waiter: &Waiter<D>,
        priority: u8,
    ) -> Linked {
        search::disturb(lock);
        let Some((passed, [first, second])) = self.to_pass(waiter, priority) else {
            waiter.priority.set(priority);
            return Linked::Done;
        };
        waiter.priority.set(passed);
        // SAFETY: both are linked, one behind the other.
        unsafe { self.swap(first, second) };
        Linked::Again
    }

    /// Returns the two waiters that have to change places so that `waiter` comes closer to the
    /// place of `priority`, and the priority of the other waiter. Returns `None` if `waiter` is at
    /// its place.
    #[inline(always)]
    fn to_pass<'a>(&self, waiter: &'a Waiter<D>, priority: u8) -> Option<(u8, [&'a Waiter<D>; 2])> {
        if self.head.get() != Some(NonNull::from(waiter)) {
            // SAFETY: INVARIANT(linked-alive), INVARIANT(ends): the waiter isn't the head.
            let previous = unsafe { waiter.previous.get().as_ref() };
            if previous.priority.get() < priority {
                return Some((previous.priority.get(), [previous, waiter]));
            }
        }
        // SAFETY: INVARIANT(linked-alive).
        let next = unsafe { waiter.next.get()?.as_ref() };
        (next.priority.get() > priority).then(|| (next.priority.get(), [waiter, next]))
    }

    /// Lets `first` change places with `second`, which is the next waiter.
    ///
    /// # Safety
    /// Both are linked in this list.
    #[inline(always)]
    unsafe fn swap(&self, first: &Waiter<D>, second: &Waiter<D>) {
        let (own_first, own_second) = (NonNull::from(first), NonNull::from(second));
        let behind = second.next.get();
        if self.head.get() == Some(own_first) {
            self.head.set(Some(own_second));
        } else {
            let before = first.previous.get();
            // SAFETY: INVARIANT(linked-alive), INVARIANT(ends): `first` isn't the head.
            unsafe { before.as_ref() }.next.set(Some(own_second));
            second.previous.set(before);
        }
        second.next.set(Some(own_first));
        first.previous.set(own_second);
        first.next.set(behind);
        match behind {
            // SAFETY: INVARIANT(linked-alive).
            Some(behind) => unsafe { behind.as_ref() }.previous.set(own_first),
            None => self.tail.set(MaybeUninit::new(own_first)),
        }
    }
}

#[cfg(test)]
mod tests;
