//! Waiters, and the lists of those who wait for one object.
//!
//! A waiter lies in the future, or on the stack, of who waits: a list needs only its two ends.
//! Everything here happens under the kernel's lock, by what `core::list` says.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::cell::{Cell, UnsafeCell};
use ::core::marker::PhantomPinned;
#[cfg(threads)]
use ::core::mem::offset_of;
use ::core::mem::{self, MaybeUninit};
use ::core::ptr::NonNull;
use ::core::sync::atomic::{AtomicU8, Ordering, compiler_fence};

use super::wake_target::WakeTarget;
use crate::core::lock::KernelLock;

/// In no list, and nothing granted.
pub(in crate::core) const IDLE: u8 = 0;
/// In a list.
pub(in crate::core) const LINKED: u8 = 1;
/// Out of the list, with what it waited for; its owner has not seen it yet.
pub(in crate::core) const GRANTED: u8 = 2;

/// How granting publishes a waiter, and its owner sees that. One core needs no barrier. The lock
/// keeps the compiler's order where it is granted, and a fence where that is seen; on the host
/// threads stand for interrupts.
pub(in crate::core) const PUBLISH: Ordering =
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
    pub(in crate::core) next: Cell<Option<NonNull<Self>>>,
    /// Towards the head.
    pub(in crate::core) previous: Cell<NonNull<Self>>,
    /// How urgent it is; larger is more urgent.
    pub(in crate::core) priority: Cell<u8>,
    /// `IDLE`, `LINKED` or `GRANTED`.
    pub(in crate::core) state: AtomicU8,
    /// Its owner's. A wait notes in the first byte whether it has entered a list, and not seen that
    /// it is out of it. For a thread's [own](ThreadBlock::waiter): what that keeps here.
    room: UnsafeCell<MaybeUninit<[u8; 2]>>,
    /// Whom to wake.
    target: UnsafeCell<MaybeUninit<WakeTarget>>,
    /// What it wants. Behind the rest, so that waiters are alike but for it.
    pub(in crate::core) demand: D,
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

    pub(super) const fn with(
        target: MaybeUninit<WakeTarget>,
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
            target: UnsafeCell::new(target),
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
    pub fn state(&self, _lock: &KernelLock<'_>) -> State {
        match self.state.load(Ordering::Relaxed) {
            IDLE => State::Idle,
            LINKED => State::Linked,
            _ => State::Granted,
        }
    }

    /// How urgent it is, as the list that it is in knows it.
    pub fn priority(&self, _lock: &KernelLock<'_>) -> u8 {
        self.priority.get()
    }

    /// Whom to wake, and how urgent it is, once it is linked.
    ///
    /// # Safety
    /// The caller owns the waiter, which is idle: INVARIANT(idle-owned). The waker is taken back,
    /// or goes with [`WaitList::link`].
    pub unsafe fn prepare(&self, target: WakeTarget, priority: u8) {
        self.priority.set(priority);
        // It isn't any list's head: a search of an earlier time doesn't go on.
        self.previous.set(NonNull::from(self));
        // SAFETY: INVARIANT(idle-owned).
        unsafe { (*self.target.get()).write(target) };
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
    pub unsafe fn take_back(&self) -> WakeTarget {
        // SAFETY: the caller's.
        unsafe { self.take_target() }
    }

    /// Wakes `waker` from now on, and leaves there the one that it replaces.
    ///
    /// # Safety
    /// The waiter is linked.
    pub unsafe fn swap_target(&self, _lock: &KernelLock<'_>, target: &mut WakeTarget) {
        // SAFETY: INVARIANT(waker-inside).
        mem::swap(unsafe { (*self.target.get()).assume_init_mut() }, target);
    }

    /// Moves the wake target out.
    ///
    /// # Safety
    /// There is one, and it is not used again.
    #[inline(always)]
    pub(in crate::core) unsafe fn take_target(&self) -> WakeTarget {
        // SAFETY: the caller's.
        unsafe { (*self.target.get()).assume_init_read() }
    }
}

#[cfg(threads)]
impl<D> Waiter<D> {
    /// Where its priority is.
    pub const PRIORITY: usize = offset_of!(Self, priority);
    /// Where its state is, which a thread's own has other use for.
    pub const STATE: usize = offset_of!(Self, state);
    /// Where what it wants is.
    pub const DEMAND: usize = offset_of!(Self, demand);
    /// Where two bytes are that a thread's own has for it.
    pub const ROOM: usize = offset_of!(Self, room);
    /// Where whom to wake is.
    pub const TARGET: usize = offset_of!(Self, target);

    /// Changes how urgent it is, while it is idle.
    #[inline(always)]
    pub fn set_priority(&self, priority: u8, _lock: &KernelLock<'_>) {
        self.priority.set(priority);
    }

    /// Whether it was granted what it waits for, where its owner is woken by a waker. Its owner
    /// needs no lock to ask.
    #[inline(always)]
    pub fn is_granted(&self) -> bool {
        self.state.load(Ordering::Relaxed) == GRANTED
    }

    /// This waiter, with what it wants left aside.
    pub const fn any(&self) -> &Waiter<()> {
        // SAFETY: its fields up to the demand are the same.
        unsafe { &*::core::ptr::from_ref(self).cast() }
    }
}

/// Those who wait for one object.
#[repr(C)]
pub struct WaitList<D> {
    pub(in crate::core) head: Cell<Option<NonNull<Waiter<D>>>>,
    pub(in crate::core) tail: Cell<MaybeUninit<NonNull<Waiter<D>>>>,
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

    /// This list, and one of its waiters, with what the waiter wants left aside.
    #[cfg(threads)]
    pub const fn any(&self) -> &WaitList<()> {
        // SAFETY: it has the same layout. Waiters are reached up to their demand only.
        unsafe { &*::core::ptr::from_ref(self).cast() }
    }
}
