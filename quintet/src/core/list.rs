//! Wait lists: who waits for an object, the most urgent first, first come first served among equals.
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
//! A waiter lies in the future (or, with threads, on the stack) of the one who waits, so a list
//! needs no memory but its two ends. Everything here happens under the kernel's lock.
//!
//! # Bounds
//! [`WaitList::pop`], [`WaitList::unlink`] and a place at either end of the list take the same few
//! instructions whatever the number of waiters. A place *within* the list is searched for from the
//! tail, in sections of at most [`STEPS`] steps with the lock open between them
//! ([`WaitList::link`] then says [`Linked::Again`]). A search that finds that somebody unlinked a
//! waiter meanwhile begins anew: on one core that is a more urgent context, so a search begins
//! anew at most once for each time it is preempted. Waiters of one priority never search.
//! [`WaitList::grant_next`] visits waiters in sections of the same length.
//!
//! # Invariants
//! - INVARIANT(kernel-only): fields of a waiter that is linked or granted are touched under the
//!   kernel's lock only. Its state may be read without it.
//! - INVARIANT(linked-alive): a linked waiter is pinned, and unlinked before its memory is reused.
//! - INVARIANT(one-list): a waiter is linked in one list only, and unlinked from the same one.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::cell::Cell;
use ::core::marker::PhantomPinned;
use ::core::pin::Pin;
use ::core::ptr::NonNull;
use ::core::sync::atomic::{AtomicU8, Ordering};
use ::core::task::Waker;

use crate::core::guarded::Guarded;
use crate::core::lock::Kernel;

/// The most steps that a search makes in one section.
pub const STEPS: usize = 2;

/// In no list, and nothing granted.
const IDLE: u8 = 0;
/// In a list.
const LINKED: u8 = 1;
/// Out of the list, with what it waited for; its owner has not seen it yet.
const GRANTED: u8 = 2;

/// How a waiter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// In no list, and nothing granted.
    Idle,
    /// In a list.
    Linked,
    /// Out of the list, with what it waited for.
    Granted,
}

/// One who waits, with what exactly it wants.
pub struct Waiter<D> {
    /// Towards the tail.
    next: Cell<Option<NonNull<Self>>>,
    /// Towards the head.
    previous: Cell<Option<NonNull<Self>>>,
    /// Whom to wake; there as long as the waiter is linked.
    waker: Cell<Option<Waker>>,
    /// What it wants.
    demand: D,
    /// How urgent it is; larger is more urgent.
    priority: Cell<u8>,
    /// `IDLE`, `LINKED` or `GRANTED`.
    state: AtomicU8,
    /// Lists point to it.
    _pinned: PhantomPinned,
}

// SAFETY: INVARIANT(kernel-only): contexts take turns.
unsafe impl<D: Send> Send for Waiter<D> {}
// SAFETY: the same.
unsafe impl<D: Send> Sync for Waiter<D> {}

impl<D> Waiter<D> {
    /// A waiter in no list.
    #[must_use]
    pub const fn new(demand: D) -> Self {
        Self {
            next: Cell::new(None),
            previous: Cell::new(None),
            waker: Cell::new(None),
            demand,
            priority: Cell::new(0),
            state: AtomicU8::new(IDLE),
            _pinned: PhantomPinned,
        }
    }

    /// What it wants.
    #[inline(always)]
    pub const fn demand(&self) -> &D {
        &self.demand
    }

    /// Whether it is in no list and has nothing. Only its owner changes that, and so needs no lock
    /// to ask.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.state.load(Ordering::Relaxed) == IDLE
    }

    /// How it stands.
    #[inline(always)]
    pub fn state(&self, _lock: &Kernel<'_>) -> State {
        match self.state.load(Ordering::Relaxed) {
            IDLE => State::Idle,
            LINKED => State::Linked,
            _ => State::Granted,
        }
    }

    /// How urgent it is, as it was when it was last linked.
    pub fn priority(&self, _lock: &Kernel<'_>) -> u8 {
        self.priority.get()
    }

    /// The owner of a granted waiter has seen it.
    #[inline(always)]
    pub fn taken(&self, _lock: &Kernel<'_>) {
        self.state.store(IDLE, Ordering::Relaxed);
    }

    /// Wakes `waker` from now on, and returns the one that it replaces.
    pub fn replace_waker(&self, _lock: &Kernel<'_>, waker: Waker) -> Option<Waker> {
        self.waker.replace(Some(waker))
    }

    /// Whether it is linked with a waker that does the same as `waker`.
    pub fn will_wake(&self, _lock: &Kernel<'_>, waker: &Waker) -> bool {
        let own = self.waker.take();
        let same = own.as_ref().is_some_and(|own| own.will_wake(waker));
        self.waker.set(own);
        same
    }
}

/// What came of an attempt to link a waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Linked {
    /// It is in the list.
    Done,
    /// The lock has been held long enough. Release it, and try again.
    Again,
}

/// What came of a visit to some waiters.
#[must_use]
pub enum Visit {
    /// One was granted what it wants; its waker is to be woken when the lock is released. There may
    /// be more.
    Granted(Option<Waker>),
    /// None of these. Release the lock, and go on.
    Again,
    /// There are no more.
    End,
}

/// How far a search among the waiters has come.
pub struct Search<D> {
    /// The last waiter that it passed.
    passed: Option<NonNull<Waiter<D>>>,
}

// SAFETY: the pointer is used under the lock only.
unsafe impl<D: Send> Send for Search<D> {}

impl<D> Search<D> {
    /// Has not begun.
    #[must_use]
    pub const fn new() -> Self {
        Self { passed: None }
    }

    /// Where it goes on, if it paused and what it reached is still linked there: nothing was unlinked
    /// from any list since.
    fn reached(&self, lock: &Kernel<'_>) -> Option<NonNull<Waiter<D>>> {
        if SEARCHER.get(lock).get() == self.address() { self.passed } else { None }
    }

    /// Leaves the lock to others, to go on behind `passed`, which is linked.
    fn pause(&mut self, lock: &Kernel<'_>, passed: Option<NonNull<Waiter<D>>>) {
        self.passed = passed;
        SEARCHER.get(lock).set(self.address());
    }

    /// Tells it from other searches that are under way: it isn't moved meanwhile, and if it were it
    /// would begin anew.
    fn address(&self) -> usize {
        ::core::ptr::from_ref(self).addr()
    }
}

/// Which search was the last to pause, by its address; 0 once a waiter was unlinked.
///
/// One for all lists: a search that is interrupted by another begins anew, and a list is a word
/// smaller.
static SEARCHER: Guarded<Cell<usize>> = Guarded::new(Cell::new(0));

/// Those who wait for one object.
pub struct WaitList<D> {
    head: Cell<Option<NonNull<Waiter<D>>>>,
    tail: Cell<Option<NonNull<Waiter<D>>>>,
}

// SAFETY: INVARIANT(kernel-only): contexts take turns.
unsafe impl<D: Send> Send for WaitList<D> {}

impl<D> WaitList<D> {
    /// Nobody waits.
    #[must_use]
    pub const fn new() -> Self {
        Self { head: Cell::new(None), tail: Cell::new(None) }
    }

    /// Links a waiter that is idle, behind all that are at least as urgent. Takes `waker` when it is
    /// done.
    ///
    /// # Safety
    /// The waiter is idle. It will be unlinked from this list, or granted, before its memory is
    /// reused: INVARIANT(linked-alive), INVARIANT(one-list). All calls with one `search` are for one
    /// waiter and one list, which is not linked in between.
    pub unsafe fn link(
        &self,
        lock: &Kernel<'_>,
        waiter: Pin<&Waiter<D>>,
        priority: u8,
        waker: &mut Option<Waker>,
        search: &mut Search<D>,
    ) -> Linked {
        let place = match (self.head.get(), self.tail.get()) {
            (Some(head), Some(tail)) => {
                // SAFETY: INVARIANT(linked-alive).
                let (first, last) = unsafe { (head.as_ref(), tail.as_ref()) };
                if last.priority.get() >= priority {
                    Some(tail)
                } else if first.priority.get() < priority {
                    None
                } else {
                    match search.step(lock, tail, priority) {
                        Some(place) => Some(place),
                        None => return Linked::Again,
                    }
                }
            }
            _ => None,
        };
        waiter.priority.set(priority);
        waiter.waker.set(waker.take());
        // SAFETY: the caller's, and `place` is linked in this list: nothing was unlinked since it
        // was found.
        unsafe { self.link_behind(place, waiter.get_ref()) };
        Linked::Done
    }

    /// Links a waiter behind `place`; at the head if there is none.
    ///
    /// # Safety
    /// As for [`link`](Self::link); `place` is linked in this list.
    unsafe fn link_behind(&self, place: Option<NonNull<Waiter<D>>>, waiter: &Waiter<D>) {
        let own = Some(NonNull::from(waiter));
        let next = match place {
            // SAFETY: INVARIANT(linked-alive).
            Some(place) => unsafe { place.as_ref() }.next.replace(own),
            None => self.head.replace(own),
        };
        match next {
            // SAFETY: INVARIANT(linked-alive).
            Some(next) => unsafe { next.as_ref() }.previous.set(own),
            None => self.tail.set(own),
        }
        waiter.previous.set(place);
        waiter.next.set(next);
        waiter.state.store(LINKED, Ordering::Relaxed);
    }

    /// Takes the first waiter out, marks it granted, and returns its waker, to be woken when the
    /// lock is released. None if nobody waits.
    #[inline(always)]
    pub fn pop(&self, lock: &Kernel<'_>) -> Option<Waker> {
        let head = self.head.get()?;
        // SAFETY: INVARIANT(linked-alive).
        let first = unsafe { head.as_ref() };
        let next = first.next.get();
        self.head.set(next);
        match next {
            // SAFETY: INVARIANT(linked-alive).
            Some(next) => unsafe { next.as_ref() }.previous.set(None),
            None => self.tail.set(None),
        }
        SEARCHER.get(lock).set(0);
        let waker = first.waker.take();
        first.state.store(GRANTED, Ordering::Relaxed);
        waker
    }

    /// Takes a linked waiter out, and returns its waker, to be dropped (or, if the waiter was
    /// granted what it wants, woken) when the lock is released.
    ///
    /// # Safety
    /// The waiter is linked in this list.
    unsafe fn remove(&self, lock: &Kernel<'_>, waiter: &Waiter<D>, state: u8) -> Option<Waker> {
        let (previous, next) = (waiter.previous.get(), waiter.next.get());
        match previous {
            // SAFETY: INVARIANT(linked-alive).
            Some(previous) => unsafe { previous.as_ref() }.next.set(next),
            None => self.head.set(next),
        }
        match next {
            // SAFETY: INVARIANT(linked-alive).
            Some(next) => unsafe { next.as_ref() }.previous.set(previous),
            None => self.tail.set(previous),
        }
        SEARCHER.get(lock).set(0);
        waiter.state.store(state, Ordering::Relaxed);
        waiter.waker.take()
    }

    /// Goes on towards the tail, for at most [`STEPS`] waiters, until `grants` says yes to one. Takes
    /// that one out, and marks it granted.
    pub fn grant_next(
        &self,
        lock: &Kernel<'_>,
        search: &mut Search<D>,
        grants: impl Fn(&D) -> bool,
    ) -> Visit {
        let mut passed = search.reached(lock);
        for _ in 0..STEPS {
            let next = match passed {
                // SAFETY: INVARIANT(linked-alive).
                Some(passed) => unsafe { passed.as_ref() }.next.get(),
                None => self.head.get(),
            };
            let Some(next) = next else { return Visit::End };
            // SAFETY: INVARIANT(linked-alive).
            let waiter = unsafe { next.as_ref() };
            if grants(&waiter.demand) {
                // SAFETY: it is linked in this list.
                let waker = unsafe { self.remove(lock, waiter, GRANTED) };
                search.pause(lock, passed);
                return Visit::Granted(waker);
            }
            passed = Some(next);
        }
        search.pause(lock, passed);
        Visit::Again
    }

    /// Takes a linked waiter out that no longer wants to wait, and returns its waker, to be dropped
    /// when the lock is released.
    ///
    /// # Safety
    /// The waiter is linked in this list.
    pub unsafe fn unlink(&self, lock: &Kernel<'_>, waiter: &Waiter<D>) -> Option<Waker> {
        // SAFETY: the caller's.
        unsafe { self.remove(lock, waiter, IDLE) }
    }
}

impl<D> Search<D> {
    /// Goes on towards the head, for at most [`STEPS`] steps, until a waiter is at least as urgent as
    /// `priority`. The head is.
    fn step(
        &mut self,
        lock: &Kernel<'_>,
        tail: NonNull<Waiter<D>>,
        priority: u8,
    ) -> Option<NonNull<Waiter<D>>> {
        let mut passed = self.reached(lock).unwrap_or(tail);
        for _ in 0..STEPS {
            // SAFETY: INVARIANT(linked-alive): `passed` is linked.
            let previous = unsafe { passed.as_ref() }.previous.get()?;
            // SAFETY: the same.
            if unsafe { previous.as_ref() }.priority.get() >= priority {
                return Some(previous);
            }
            passed = previous;
        }
        self.pause(lock, Some(passed));
        None
    }
}
