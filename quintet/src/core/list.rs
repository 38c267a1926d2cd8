//! Wait lists: the most urgent waiter first, and first come first served among equals.
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
//! A waiter lies in the future, or on the stack, of who waits: a list needs only its two ends.
//! Everything here happens under the kernel's lock.
//!
//! # Bounds
//! [`WaitList::pop`], [`WaitList::unlink`] and a place at either end of the list take the same few
//! instructions whatever the number of waiters. A place *within* the list is searched for from the
//! tail, one step in each section of the lock ([`WaitList::link`] then says [`Linked::Again`]). A
//! search begins anew if its own priority has changed, or the list is not as it was: the [last
//! search to pause](search) was another, a waiter was linked beside others, unlinked or given
//! another priority, or an end of the list is another, as where the head was popped. On one core
//! that is the doing of a more urgent context, so a search begins anew at most once for each time
//! it is preempted. Waiters of one priority never search. [`WaitList::grant_next`] visits one
//! waiter in each section.
//!
//! # Invariants
//! - INVARIANT(sorted): whenever the lock is free, no waiter is less urgent than the next.
//! - INVARIANT(kernel-only): a list and the waiters in it are touched under the kernel's lock only.
//!   A state may be read without it: while it is `IDLE` or `GRANTED`, only the waiter's owner
//!   changes it.
//! - INVARIANT(idle-owned): an idle waiter is its owner's, who needs no lock.
//! - INVARIANT(waker-inside): a linked waiter holds whom to wake. Taking it out of the list takes
//!   it.
//! - INVARIANT(linked-alive): a linked waiter is pinned, and unlinked before its memory is reused.
//! - INVARIANT(one-list): a waiter is linked in one list only, and unlinked from the same one.
//! - INVARIANT(ends): `tail` means something only while there is a head, and the head's `previous`
//!   nothing at all. So taking the head out writes one word.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::cell::{Cell, UnsafeCell};
use ::core::marker::PhantomPinned;
use ::core::mem::{self, MaybeUninit};
use ::core::ptr::NonNull;
use ::core::sync::atomic::{AtomicU8, Ordering, compiler_fence};

use crate::core::lock::Kernel;
#[cfg(threads)]
use crate::core::scheduler::Control;
use crate::core::wake::Wakee;

pub use demand::Demand;
pub use search::{Search, Searcher};
pub use visit::{Visit, visit_all};

mod demand;
mod link;
#[cfg(threads)]
mod order;
mod search;
mod visit;

/// In no list, and nothing granted.
const IDLE: u8 = 0;
/// In a list.
const LINKED: u8 = 1;
/// Out of the list, with what it waited for; its owner has not seen it yet.
const GRANTED: u8 = 2;

/// How granting publishes a waiter, and its owner sees that. One core needs no barrier. The lock
/// keeps the compiler's order where it is granted, and a fence where that is seen; on the host
/// threads stand for interrupts.
const PUBLISH: Ordering =
    if cfg!(target_os = "none") { Ordering::Relaxed } else { Ordering::Release };
const SEE: Ordering = if cfg!(target_os = "none") { Ordering::Relaxed } else { Ordering::Acquire };

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
///
/// The assembly in `arch` knows the first field, and that a list begins with its head.
#[repr(C)]
pub struct Waiter<D> {
    /// Towards the tail.
    next: Cell<Option<NonNull<Self>>>,
    /// Towards the head.
    previous: Cell<NonNull<Self>>,
    /// How urgent it is; larger is more urgent.
    priority: Cell<u8>,
    /// `IDLE`, `LINKED` or `GRANTED`.
    state: AtomicU8,
    /// Its owner's. A wait notes in the first byte whether it has entered a list, and not seen that
    /// it is out of it. For a thread's [own](Control::waiter): what that keeps here.
    room: UnsafeCell<MaybeUninit<[u8; 2]>>,
    /// Whom to wake.
    wakee: UnsafeCell<MaybeUninit<Wakee>>,
    /// What it wants. Behind the rest, so that waiters are alike but for it.
    demand: D,
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
        Self::with(MaybeUninit::uninit(), 0, MaybeUninit::new([0; 2]), demand)
    }

    /// A waiter for a thread that nobody else wakes while it is linked. It always holds its thread.
    #[cfg(threads)]
    #[must_use]
    pub const fn of_thread(control: *const Control, priority: u8, demand: D) -> Self {
        let wakee = MaybeUninit::new(Wakee::of_thread(control));
        Self::with(wakee, priority, MaybeUninit::uninit(), demand)
    }

    const fn with(
        wakee: MaybeUninit<Wakee>,
        priority: u8,
        room: MaybeUninit<[u8; 2]>,
        demand: D,
    ) -> Self {
        Self {
            next: Cell::new(None),
            previous: Cell::new(NonNull::dangling()),
            priority: Cell::new(priority),
            state: AtomicU8::new(IDLE),
            room: UnsafeCell::new(room),
            wakee: UnsafeCell::new(wakee),
            demand,
            _pinned: PhantomPinned,
        }
    }

    /// What it wants.
    #[inline(always)]
    pub const fn demand(&self) -> &D {
        &self.demand
    }

    /// Whether its owner has noted that it has entered a list. The owner needs no lock to ask, and
    /// as nobody else writes it, the compiler knows it where the owner has just written it.
    #[inline(always)]
    pub fn has_entered(&self) -> bool {
        // SAFETY: the first byte is initialised, and the owner's alone.
        unsafe { self.room.get().cast::<bool>().read() }
    }

    /// Notes whether it has entered a list. For the owner.
    #[inline(always)]
    pub fn set_entered(&self, entered: bool) {
        // SAFETY: the owner's alone.
        unsafe { self.room.get().cast::<bool>().write(entered) };
    }

    /// Whether it is in no list and has nothing. Its owner needs no lock to ask.
    #[cfg(all(threads, feature = "time"))]
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.state.load(Ordering::Relaxed) == IDLE
    }

    /// Whether it was granted what it wants, which its owner has then seen. A "no" may be over at
    /// once. Its owner needs no lock: nobody else touches a granted waiter.
    #[inline(always)]
    #[must_use]
    pub fn take_grant(&self) -> bool {
        let granted = self.state.load(SEE) == GRANTED;
        if granted {
            // What was granted is read behind this.
            compiler_fence(Ordering::Acquire);
            self.saw_grant();
        }
        granted
    }

    /// The owner has seen that it was granted what it wants. Needs no lock.
    #[inline(always)]
    pub fn saw_grant(&self) {
        self.state.store(IDLE, Ordering::Relaxed);
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

    /// How urgent it is, as the list that it is in knows it.
    pub fn priority(&self, _lock: &Kernel<'_>) -> u8 {
        self.priority.get()
    }

    /// Whom to wake, and how urgent it is, once it is linked.
    ///
    /// # Safety
    /// The caller owns the waiter, which is idle: INVARIANT(idle-owned). The waker is taken back,
    /// or goes with [`WaitList::link`].
    pub unsafe fn prepare(&self, wakee: Wakee, priority: u8) {
        self.priority.set(priority);
        // It isn't any list's head: a search of an earlier time doesn't go on.
        self.previous.set(NonNull::from(self));
        // SAFETY: INVARIANT(idle-owned).
        unsafe { (*self.wakee.get()).write(wakee) };
    }

    /// How urgent it is, once it is linked, for one that [always holds](Self::of_thread) its
    /// thread.
    ///
    /// # Safety
    /// The caller owns the waiter, which is idle: INVARIANT(idle-owned).
    #[cfg(threads)]
    #[inline(always)]
    pub unsafe fn prepare_thread(&self, priority: u8) {
        self.priority.set(priority);
        self.next.set(None);
    }

    /// Takes the waker back.
    ///
    /// # Safety
    /// The caller owns the waiter, which is idle, and has prepared it.
    pub unsafe fn take_back(&self) -> Wakee {
        // SAFETY: the caller's.
        unsafe { self.take_wakee() }
    }

    /// Wakes `waker` from now on, and leaves there the one that it replaces.
    ///
    /// # Safety
    /// The waiter is linked.
    pub unsafe fn swap_wakee(&self, _lock: &Kernel<'_>, wakee: &mut Wakee) {
        // SAFETY: INVARIANT(waker-inside).
        mem::swap(unsafe { (*self.wakee.get()).assume_init_mut() }, wakee);
    }

    /// Moves the wakee out.
    ///
    /// # Safety
    /// There is one, and it is not used again.
    #[inline(always)]
    unsafe fn take_wakee(&self) -> Wakee {
        // SAFETY: the caller's.
        unsafe { (*self.wakee.get()).assume_init_read() }
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

/// Those who wait for one object.
#[repr(C)]
pub struct WaitList<D> {
    head: Cell<Option<NonNull<Waiter<D>>>>,
    tail: Cell<MaybeUninit<NonNull<Waiter<D>>>>,
}

// SAFETY: INVARIANT(kernel-only): contexts take turns.
unsafe impl<D: Send> Send for WaitList<D> {}

impl<D> WaitList<D> {
    /// Nobody waits.
    #[must_use]
    pub const fn new() -> Self {
        let tail = MaybeUninit::new(NonNull::dangling());
        Self { head: Cell::new(None), tail: Cell::new(tail) }
    }

    /// The same of zeros, for large objects that take no room in the program's image if they begin
    /// so. Small ones are better off with other first values, beside the control blocks, where the
    /// same register reaches both.
    #[must_use]
    pub const fn zeros() -> Self {
        Self { head: Cell::new(None), tail: Cell::new(MaybeUninit::zeroed()) }
    }

    /// The first waiter and the last, if anybody waits.
    fn ends(&self) -> Option<[NonNull<Waiter<D>>; 2]> {
        // SAFETY: INVARIANT(ends): there is a head.
        self.head.get().map(|head| [head, unsafe { self.tail.get().assume_init() }])
    }

    /// Whether nobody waits.
    #[inline(always)]
    pub fn is_empty(&self, _lock: &Kernel<'_>) -> bool {
        self.head.get().is_none()
    }

    /// Takes the first waiter out, marks it granted, and returns whom to wake. None if nobody
    /// waits.
    #[inline(always)]
    pub fn pop(&self, _lock: &Kernel<'_>) -> Option<Wakee> {
        // SAFETY: INVARIANT(linked-alive).
        self.head.get().map(|head| self.pop_first(unsafe { head.as_ref() }))
    }

    /// The same with `first`, which is the first waiter.
    #[inline(always)]
    fn pop_first(&self, first: &Waiter<D>) -> Wakee {
        self.head.set(first.next.get());
        // SAFETY: INVARIANT(waker-inside).
        let wakee = unsafe { first.take_wakee() };
        // A thread that nobody else wakes knows by going on.
        if !wakee.is_thread() {
            first.state.store(GRANTED, PUBLISH);
        }
        wakee
    }

    /// Takes a linked waiter out, and returns whom it wakes.
    ///
    /// # Safety
    /// The waiter is linked in this list.
    #[inline(always)]
    unsafe fn remove(&self, lock: &Kernel<'_>, waiter: &Waiter<D>, state: u8) -> Wakee {
        let next = waiter.next.get();
        if self.head.get() == Some(NonNull::from(waiter)) {
            self.head.set(next);
        } else {
            let previous = waiter.previous.get();
            // SAFETY: INVARIANT(linked-alive), INVARIANT(ends): it isn't the head.
            unsafe { previous.as_ref() }.next.set(next);
            match next {
                // SAFETY: INVARIANT(linked-alive).
                Some(next) => unsafe { next.as_ref() }.previous.set(previous),
                None => self.tail.set(MaybeUninit::new(previous)),
            }
        }
        search::disturb(lock);
        // SAFETY: INVARIANT(waker-inside).
        let wakee = unsafe { waiter.take_wakee() };
        // Last: a granted waiter is its owner's. A thread knows by going on.
        if !wakee.is_thread() {
            waiter.state.store(state, PUBLISH);
        }
        wakee
    }

    /// Takes a linked waiter out that no longer wants to wait. What is returned is dropped when the
    /// lock is released.
    ///
    /// # Safety
    /// The waiter is linked in this list.
    pub unsafe fn unlink(&self, lock: &Kernel<'_>, waiter: &Waiter<D>) -> Wakee {
        // SAFETY: the caller's.
        unsafe { self.remove(lock, waiter, IDLE) }
    }
}
