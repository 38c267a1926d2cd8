//! Linking: a waiter goes behind all waiters that are at least as urgent.
//!
//! The waiter's place is at an end of the list, or is [searched](super::search) for from the tail,
//! one step in each section of the lock. Meanwhile the waiter stores the progress of the search: a
//! waiter that isn't linked has free links. A thread's own waiter has a separate [`Search`], as the
//! priority of the waiter may change meanwhile.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::mem::MaybeUninit;
use ::core::pin::Pin;
use ::core::ptr::NonNull;
use ::core::sync::atomic::Ordering;

#[cfg(threads)]
use super::Search;
use super::search::{self, Searcher};
use super::{LINKED, Linked, WaitList, Waiter};
use crate::core::lock::KernelLock;

impl<D> WaitList<D> {
    /// Links a waiter of `priority` behind all waiters that are at least as urgent. During the
    /// search for a place, the waiter stores the progress of the search.
    ///
    /// # Safety
    /// The waiter is idle, and was [prepared](Waiter::prepare) with this priority before the first
    /// call for this list. The waiter will be unlinked from this list, or granted, before the
    /// waiter's memory is reused: INVARIANT(linked-alive), INVARIANT(one-list).
    #[inline(always)]
    pub unsafe fn link(
        &self,
        lock: &KernelLock<'_>,
        waiter: Pin<&Waiter<D>>,
        priority: u8,
        searcher: Searcher,
    ) -> Linked {
        let waiter = waiter.get_ref();
        let place = match self.ends() {
            None => {
                // INVARIANT(same): no search needs to know of this.
                waiter.next.set(None);
                self.link_alone(NonNull::from(waiter));
                waiter.state.store(LINKED, Ordering::Relaxed);
                return Linked::Done;
            }
            // SAFETY: the caller's.
            Some(ends) => unsafe { self.place(lock, waiter, priority, ends, searcher) },
        };
        if place == Linked::Done {
            searcher.disturb(lock);
            waiter.state.store(LINKED, Ordering::Relaxed);
        }
        place
    }

    /// Links a waiter in a list with the ends `ends`, or continues the search.
    ///
    /// # Safety
    /// As for [`link`](Self::link).
    #[inline(always)]
    unsafe fn place(
        &self,
        lock: &KernelLock<'_>,
        waiter: &Waiter<D>,
        priority: u8,
        ends: [NonNull<Waiter<D>>; 2],
        searcher: Searcher,
    ) -> Linked {
        let place = match searcher.reached(lock, waiter, ends) {
            // SAFETY: the caller's.
            None => unsafe { self.link_at_either_end::<true>(waiter.into(), priority, ends) },
            // SAFETY: the caller's; `passed` is linked and isn't the head, as the head was more
            // urgent.
            Some(passed) => unsafe { search::link_before(passed, waiter.into(), priority) },
        };
        let Err(passed) = place else { return Linked::Done };
        searcher.pause(lock, waiter, passed, ends);
        Linked::Again
    }

    /// Links a thread's waiter at the tail or at the head, if its place is there.
    ///
    /// # Safety
    /// As for [`link`](Self::link).
    #[cfg(threads)]
    #[inline(always)]
    pub unsafe fn link_first(
        &self,
        lock: &KernelLock<'_>,
        waiter: Pin<&Waiter<D>>,
        priority: u8,
    ) -> Linked {
        let own = NonNull::from(waiter.get_ref());
        match self.ends() {
            None => self.link_alone(own),
            Some(ends) => {
                // SAFETY: the caller's.
                if unsafe { self.link_at_either_end::<false>(own, priority, ends) }.is_err() {
                    return Linked::Again;
                }
            }
        }
        search::disturb(lock);
        Linked::Done
    }

    /// Links a waiter in an empty list.
    #[inline(always)]
    fn link_alone(&self, own: NonNull<Waiter<D>>) {
        self.head.set(Some(own));
        self.tail.set(MaybeUninit::new(own));
    }

    /// Links a waiter at the tail or at the head of a list with these ends. Returns the tail if the
    /// waiter's place is between the ends. `HAS_SEARCHED`: the waiter may store the progress of a
    /// search.
    ///
    /// # Safety
    /// As for [`link`](Self::link).
    #[inline(always)]
    unsafe fn link_at_either_end<const HAS_SEARCHED: bool>(
        &self,
        own: NonNull<Waiter<D>>,
        priority: u8,
        [head, tail]: [NonNull<Waiter<D>>; 2],
    ) -> Result<(), NonNull<Waiter<D>>> {
        // SAFETY: INVARIANT(linked-alive); the new waiter is the caller's.
        let (waiter, first, last) = unsafe { (own.as_ref(), head.as_ref(), tail.as_ref()) };
        if last.priority.get() >= priority {
            last.next.set(Some(own));
            if HAS_SEARCHED {
                waiter.next.set(None);
            }
            waiter.previous.set(tail);
            self.tail.set(MaybeUninit::new(own));
            return Ok(());
        }
        if first.priority.get() < priority {
            first.previous.set(own);
            waiter.next.set(Some(head));
            self.head.set(Some(own));
            return Ok(());
        }
        Err(tail)
    }
}

/// Waiters of threads, without the type of their demands. These functions are rarely called, so all
/// lists share one copy.
#[cfg(threads)]
impl WaitList<()> {
    /// Links the waiter of a thread. The waiter [always names](Waiter::of_thread) the thread, has
    /// no state, and may have a demand.
    ///
    /// # Safety
    /// As for [`link`](Self::link). All calls with one `search` are for one waiter and one list.
    #[inline(never)]
    pub unsafe fn link_thread(
        &self,
        lock: &KernelLock<'_>,
        waiter: NonNull<Waiter<()>>,
        priority: u8,
        search: &mut Search<()>,
    ) -> Linked {
        search.search_for(priority);
        let linked = match search.reached(lock, self) {
            // SAFETY: the caller's.
            None => unsafe { self.link_at_end(lock, waiter, priority) },
            // SAFETY: the caller's; `passed` is linked. `passed` isn't the head, as `link_at_end`
            // found a head that is more urgent, and no waiter was unlinked since.
            Some(passed) => unsafe {
                let linked = search::link_before(passed, waiter, priority);
                search::disturb(lock);
                linked
            },
        };
        match linked {
            Ok(()) => Linked::Done,
            Err(passed) => {
                search.pause(lock, self, Some(passed));
                Linked::Again
            }
        }
    }

    /// Links a waiter as [`link`](Self::link) does, but in less code.
    ///
    /// # Safety
    /// As for [`link`](Self::link). All calls with one `search` are for one waiter and one list.
    #[inline(always)]
    pub unsafe fn link_cold(
        &self,
        lock: &KernelLock<'_>,
        waiter: Pin<&Waiter<()>>,
        priority: u8,
        search: &mut Search<()>,
    ) -> Linked {
        let waiter = waiter.get_ref();
        waiter.next.set(None);
        // SAFETY: the caller's.
        let linked = unsafe { self.link_thread(lock, waiter.into(), priority, search) };
        if linked == Linked::Done {
            waiter.state.store(LINKED, Ordering::Relaxed);
        }
        linked
    }

    /// Links a waiter at the tail or at the head. Returns the tail if the waiter's place is between
    /// the ends.
    ///
    /// # Safety
    /// As for [`link`](Self::link).
    #[inline(always)]
    unsafe fn link_at_end(
        &self,
        lock: &KernelLock<'_>,
        waiter: NonNull<Waiter<()>>,
        priority: u8,
    ) -> Result<(), NonNull<Waiter<()>>> {
        match self.ends() {
            None => self.link_alone(waiter),
            // SAFETY: the caller's.
            Some(ends) => unsafe { self.link_at_either_end::<false>(waiter, priority, ends)? },
        }
        search::disturb(lock);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
