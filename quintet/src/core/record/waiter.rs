//! Waiters, and the lists of the waiters for one object.
//!
//! A waiter lies in the waiting future, or on the stack of the waiting thread, so a list needs only
//! its two ends. All code here runs under the kernel's lock, by the rules of `core::list`.

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

/// The waiter is in no list, and was granted nothing.
pub(in crate::core) const IDLE: u8 = 0;
/// The waiter is in a list.
pub(in crate::core) const LINKED: u8 = 1;
/// The waiter is out of the list, and was granted what it wants. The owner has not seen this yet.
pub(in crate::core) const GRANTED: u8 = 2;

/// The ordering by which a grant publishes a waiter. One core needs no barrier. The lock keeps the
/// compiler's order at the grant, and a fence keeps this order at the owner. On the host, threads
/// stand for interrupts.
pub(in crate::core) const PUBLISH: Ordering =
    if cfg!(target_os = "none") { Ordering::Relaxed } else { Ordering::Release };
const SEE: Ordering = if cfg!(target_os = "none") { Ordering::Relaxed } else { Ordering::Acquire };

/// The state of a waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The waiter is in no list, and was granted nothing.
    Idle,
    /// The waiter is in a list.
    Linked,
    /// The waiter is out of the list, and was granted what it wants.
    Granted,
}

/// A waiter, with its demand.
///
/// The assembly in `arch` knows the first field, and that a list begins with its head.
#[repr(C)]
pub struct Waiter<D> {
    /// Towards the tail.
    pub(in crate::core) next: Cell<Option<NonNull<Self>>>,
    /// Towards the head.
    pub(in crate::core) previous: Cell<NonNull<Self>>,
    /// The urgency of the waiter; larger is more urgent.
    pub(in crate::core) priority: Cell<u8>,
    /// `IDLE`, `LINKED` or `GRANTED`.
    pub(in crate::core) state: AtomicU8,
    /// Two bytes for the owner. In the first byte, a wait notes that the waiter has entered a list,
    /// until the wait has seen that the waiter left the list. In a thread's
    /// [own](ThreadBlock::waiter) waiter, the thread's ceiling and notification.
    room: UnsafeCell<MaybeUninit<[u8; 2]>>,
    /// The target to wake.
    target: UnsafeCell<MaybeUninit<WakeTarget>>,
    /// The waiter's demand. The last field, so that all waiters have the same layout before the
    /// demand.
    pub(in crate::core) demand: D,
    /// Lists point to the waiter.
    _pinned: PhantomPinned,
}

// SAFETY: INVARIANT(kernel-only): contexts take turns.
unsafe impl<D: Send> Send for Waiter<D> {}
// SAFETY: the same.
unsafe impl<D: Send> Sync for Waiter<D> {}

impl<D> Waiter<D> {
    /// Makes a waiter that is in no list.
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

    /// Returns the demand.
    #[inline(always)]
    pub const fn demand(&self) -> &D {
        &self.demand
    }

    /// Returns `true` if the owner has noted that the waiter entered a list. The owner needs no
    /// lock to ask. No other context writes this byte, so the compiler knows the value where the
    /// owner has just written the byte.
    #[inline(always)]
    pub fn has_entered(&self) -> bool {
        // SAFETY: the first byte is initialised, and only the owner uses this byte.
        unsafe { self.room.get().cast::<bool>().read() }
    }

    /// Notes whether the waiter has entered a list. For the owner.
    #[inline(always)]
    pub fn set_entered(&self, entered: bool) {
        // SAFETY: only the owner uses this byte.
        unsafe { self.room.get().cast::<bool>().write(entered) };
    }

    /// Returns `true` if the waiter is in no list and was granted nothing. The owner needs no lock
    /// to ask.
    #[cfg(all(threads, feature = "time"))]
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.state.load(Ordering::Relaxed) == IDLE
    }

    /// Returns `true` if the waiter was granted its demand, and notes that the owner has seen this.
    /// `false` may be out of date at once. The owner needs no lock: no other context touches a
    /// granted waiter.
    #[inline(always)]
    #[must_use]
    pub fn take_grant(&self) -> bool {
        let granted = self.state.load(SEE) == GRANTED;
        if granted {
            // The granted value is read after this fence.
            compiler_fence(Ordering::Acquire);
            self.saw_grant();
        }
        granted
    }

    /// Notes that the owner has seen the grant. Needs no lock.
    #[inline(always)]
    pub fn saw_grant(&self) {
        self.state.store(IDLE, Ordering::Relaxed);
    }

    /// Returns the state of the waiter.
    #[inline(always)]
    pub fn state(&self, _lock: &KernelLock<'_>) -> State {
        match self.state.load(Ordering::Relaxed) {
            IDLE => State::Idle,
            LINKED => State::Linked,
            _ => State::Granted,
        }
    }

    /// Returns the urgency of the waiter, as the waiter's list knows it.
    pub fn priority(&self, _lock: &KernelLock<'_>) -> u8 {
        self.priority.get()
    }

    /// Sets the target to wake and the urgency, for the time when the waiter is linked.
    ///
    /// # Safety
    /// The caller owns the waiter, which is idle: INVARIANT(idle-owned). The caller takes the waker
    /// back, or gives it away with [`WaitList::link`].
    pub unsafe fn prepare(&self, target: WakeTarget, priority: u8) {
        self.priority.set(priority);
        // The waiter isn't the head of any list, so that a search that found this waiter earlier
        // doesn't go on from here.
        self.previous.set(NonNull::from(self));
        // SAFETY: INVARIANT(idle-owned).
        unsafe { (*self.target.get()).write(target) };
    }

    /// Sets the urgency of a waiter that [always names](Self::of_thread) its thread, for the time
    /// when the waiter is linked.
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
    /// The caller owns the waiter, which is idle and prepared.
    pub unsafe fn take_back(&self) -> WakeTarget {
        // SAFETY: the caller's.
        unsafe { self.take_target() }
    }

    /// Lets the waiter wake `target` from now on, and leaves the replaced target in `target`.
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
    /// There is a wake target, and it is not used again.
    #[inline(always)]
    pub(in crate::core) unsafe fn take_target(&self) -> WakeTarget {
        // SAFETY: the caller's.
        unsafe { (*self.target.get()).assume_init_read() }
    }
}

#[cfg(threads)]
impl<D> Waiter<D> {
    /// The offset of the priority.
    pub const PRIORITY: usize = offset_of!(Self, priority);
    /// The offset of the state. A thread's own waiter keeps another value there.
    pub const STATE: usize = offset_of!(Self, state);
    /// The offset of the demand.
    pub const DEMAND: usize = offset_of!(Self, demand);
    /// The offset of the two bytes that a thread's own waiter uses for the thread.
    pub const ROOM: usize = offset_of!(Self, room);
    /// The offset of the wake target.
    pub const TARGET: usize = offset_of!(Self, target);

    /// Changes the urgency of an idle waiter.
    #[inline(always)]
    pub fn set_priority(&self, priority: u8, _lock: &KernelLock<'_>) {
        self.priority.set(priority);
    }

    /// Returns `true` if the waiter was granted its demand. For a waiter whose owner is woken by a
    /// waker. The owner needs no lock to ask.
    #[inline(always)]
    pub fn is_granted(&self) -> bool {
        self.state.load(Ordering::Relaxed) == GRANTED
    }

    /// Returns this waiter without the type of its demand.
    pub const fn any(&self) -> &Waiter<()> {
        // SAFETY: the fields up to the demand are the same.
        unsafe { &*::core::ptr::from_ref(self).cast() }
    }
}

/// The waiters for one object.
#[repr(C)]
pub struct WaitList<D> {
    pub(in crate::core) head: Cell<Option<NonNull<Waiter<D>>>>,
    pub(in crate::core) tail: Cell<MaybeUninit<NonNull<Waiter<D>>>>,
}

// SAFETY: INVARIANT(kernel-only): contexts take turns.
unsafe impl<D: Send> Send for WaitList<D> {}

impl<D> WaitList<D> {
    /// Makes a list without waiters.
    #[must_use]
    pub const fn new() -> Self {
        let tail = MaybeUninit::new(NonNull::dangling());
        Self { head: Cell::new(None), tail: Cell::new(tail) }
    }

    /// Makes a list without waiters that consists of zeros. Large objects that begin as zeros take
    /// no room in the program's image. For small objects, `new` is better: they then lie beside the
    /// control blocks, where the same register reaches both.
    #[must_use]
    pub const fn zeros() -> Self {
        Self { head: Cell::new(None), tail: Cell::new(MaybeUninit::zeroed()) }
    }

    /// Returns this list without the type of its waiters' demands.
    #[cfg(threads)]
    pub const fn any(&self) -> &WaitList<()> {
        // SAFETY: the layout is the same. Waiters are read only up to their demand.
        unsafe { &*::core::ptr::from_ref(self).cast() }
    }
}
