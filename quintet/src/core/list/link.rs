//! Linking: a waiter goes behind all that are at least as urgent.
//!
//! Its place is at an end of the list, or is [searched](super::search) for from the tail, one step
//! in each section of the lock. Meanwhile the waiter holds how far the search has come: it isn't
//! linked, so its links are free. A thread's own waiter, whose priority may change meanwhile, has a
//! [`Search`] beside it.

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
    /// Links a waiter of `priority`, behind all that are at least as urgent. While its place is
    /// searched for, the waiter holds how far the search has come.
    ///
    /// # Safety
    /// The waiter is idle, and was [prepared](Waiter::prepare) with this priority before the first
    /// call for this list. It will be unlinked from this list, or granted, before its memory is
    /// reused: INVARIANT(linked-alive), INVARIANT(one-list).
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
                // INVARIANT(same): no search has to know.
                waiter.next.set(None);
                self.link_alone(NonNull::from(waiter));
                waiter.state.store(LINKED, Ordering::Relaxed);
                return Linked::Done;
            }
            // SAFETY: handed on.
            Some(ends) => unsafe { self.place(lock, waiter, priority, ends, searcher) },
        };
        if place == Linked::Done {
            searcher.disturb(lock);
            waiter.state.store(LINKED, Ordering::Relaxed);
        }
        place
    }

    /// Links a waiter in a list with these ends, or searches on.
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
            // SAFETY: handed on.
            None => unsafe { self.link_at_either_end::<true>(waiter.into(), priority, ends) },
            // SAFETY: handed on; `passed` is linked, and not the head, which was more urgent.
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
                // SAFETY: handed on.
                if unsafe { self.link_at_either_end::<false>(own, priority, ends) }.is_err() {
                    return Linked::Again;
                }
            }
        }
        search::disturb(lock);
        Linked::Done
    }

    /// Links a waiter where there is no other.
    #[inline(always)]
    fn link_alone(&self, own: NonNull<Waiter<D>>) {
        self.head.set(Some(own));
        self.tail.set(MaybeUninit::new(own));
    }

    /// Links a waiter at the tail or at the head of a list with these ends. If its place is between
    /// them, returns the tail. `HAS_SEARCHED`: it may hold how far a search has come.
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
        // SAFETY: INVARIANT(linked-alive); the new one is the caller's.
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

/// Waiters of threads, whatever they want: what happens rarely is here once for all lists.
#[cfg(threads)]
impl WaitList<()> {
    /// Links the waiter of a thread, which [always holds](Waiter::of_thread) that and has no state.
    /// It may be one that wants something.
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
            // SAFETY: handed on.
            None => unsafe { self.link_at_end(lock, waiter, priority) },
            // SAFETY: handed on; `passed` is linked, and not the head, as `link_at_end` found a
            // head that is more urgent and nothing was unlinked since.
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
        // SAFETY: handed on.
        let linked = unsafe { self.link_thread(lock, waiter.into(), priority, search) };
        if linked == Linked::Done {
            waiter.state.store(LINKED, Ordering::Relaxed);
        }
        linked
    }

    /// Links a waiter at the tail or at the head. If its place is between them, returns the tail.
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
            // SAFETY: handed on.
            Some(ends) => unsafe { self.link_at_either_end::<false>(waiter, priority, ends)? },
        }
        search::disturb(lock);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
