//! Control blocks: what the scheduler has to know of a thread.

#![expect(unsafe_code, reason = "threads are linked through pointers")]

use ::core::cell::Cell;
use ::core::ptr::{self, NonNull};
use ::core::sync::atomic::{AtomicBool, AtomicPtr};

use super::limit::{bit_of, is_ceiling, limit_of};
use crate::arch::switch::Entry;
use crate::core::list::{WaitList, Waiter};
use crate::core::lock::Kernel;
use crate::core::ownership::Ownership;

/// How a thread stands, beside being ready or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// It has not started, or has ended.
    Ended,
    /// It runs, is ready to, or waits for an object.
    Alive,
    /// It waits until somebody unparks it.
    Parked,
}

/// What the scheduler has to know of a thread: its control block.
///
/// The assembly in `arch` knows the fields up to `waiter`.
#[repr(C)]
pub struct Control {
    /// Where its registers are, while it doesn't run.
    pub(super) stack_pointer: Cell<*mut u32>,
    /// The bit of its priority; 0 while it is suspended.
    pub(super) bit: Cell<u32>,
    /// What preempts it: bits above.
    pub(super) limit: Cell<u32>,
    /// The next in its ring.
    pub(super) next: Cell<NonNull<Self>>,
    /// The one before it in its ring.
    pub(super) previous: Cell<NonNull<Self>>,
    /// Where it waits: INVARIANT(place).
    pub(super) place: Cell<*const WaitList<()>>,
    /// Its place among those who wait for an object; holds its priority, with what it inherits.
    pub waiter: Waiter<()>,
    /// The first of the mutexes that it has and that count for its priority.
    pub(super) held: Cell<*const Ownership>,
    /// The next of those that were unparked from anywhere.
    pub(super) unparked_next: AtomicPtr<Self>,
    /// Whether it is among those.
    pub(super) unparked: AtomicBool,
    /// Whether it was unparked before it parked.
    pub(super) notified: Cell<bool>,
    /// How it stands.
    pub(super) state: Cell<State>,
    /// Whether it is held: it isn't ready whatever happens.
    pub(super) suspended: Cell<bool>,
    /// Whether it would be ready, were it not suspended.
    pub(super) held_ready: Cell<bool>,
    /// Whether it was preempted under a ceiling, and is in the ring of that.
    pub(super) promoted: Cell<bool>,
    /// The limit of a thread at the ceiling that it is under; 0 without one.
    pub(super) ceiling: Cell<u32>,
    /// Whether its stack has a guard.
    #[cfg(armv7m)]
    pub(super) guarded: Cell<bool>,
    /// Its priority, 1 to 31, without what it inherits; 0 for idle.
    pub(super) base: Cell<u8>,
    /// Whether it has a place among waiters, although it may be ready.
    pub(super) has_place: Cell<bool>,
    /// Who waits for its end.
    pub joiners: WaitList<()>,
    /// What doesn't change.
    pub about: &'static About,
}

/// What is known of a thread at compile time.
#[derive(Debug)]
#[repr(C)]
pub struct About {
    /// Its name.
    pub name: &'static str,
    /// The lowest address of its stack.
    pub stack: *mut u32,
    /// The size of its stack, in bytes.
    pub stack_size: usize,
    /// The resources that it uses with others.
    pub resources: &'static [Held],
    /// Its first function, which gets a null pointer.
    pub entry: Entry,
}

// SAFETY: the stack is the thread's; whoever looks at it answers for that.
unsafe impl Sync for About {}

/// A resource that a thread may hold.
#[derive(Debug)]
pub struct Held {
    /// Its name.
    pub name: &'static str,
    /// Its ceiling; 0 if that is one of levels.
    pub ceiling: u8,
}

// SAFETY: everything is touched under the kernel's lock, or by the thread itself.
unsafe impl Sync for Control {}
// SAFETY: the same.
unsafe impl Send for Control {}

impl Control {
    /// The control block, to be put into `this`, of a thread that has not started.
    ///
    /// # Safety
    /// `this` is where the returned value is put, and it doesn't move.
    #[must_use]
    pub const unsafe fn new(this: *const Self, priority: u8, about: &'static About) -> Self {
        // SAFETY: the caller's: the address of a static.
        let own = unsafe { NonNull::new_unchecked(this.cast_mut()) };
        Self {
            stack_pointer: Cell::new(ptr::null_mut()),
            bit: Cell::new(bit_of(priority)),
            limit: Cell::new(limit_of(bit_of(priority))),
            next: Cell::new(own),
            previous: Cell::new(own),
            place: Cell::new(ptr::null()),
            waiter: Waiter::of_thread(this, priority, ()),
            held: Cell::new(ptr::null()),
            unparked_next: AtomicPtr::new(ptr::null_mut()),
            unparked: AtomicBool::new(false),
            notified: Cell::new(false),
            state: Cell::new(State::Ended),
            suspended: Cell::new(false),
            held_ready: Cell::new(false),
            promoted: Cell::new(false),
            ceiling: Cell::new(0),
            #[cfg(armv7m)]
            guarded: Cell::new(false),
            base: Cell::new(priority),
            has_place: Cell::new(false),
            joiners: WaitList::new(),
            about,
        }
    }

    /// How it stands.
    #[inline]
    pub const fn state(&self, _lock: &Kernel<'_>) -> State {
        self.state.get()
    }

    /// Its priority, with what it inherits; 0 for idle.
    #[inline]
    pub const fn priority(&self, _lock: &Kernel<'_>) -> u8 {
        self.waiter.own_priority()
    }

    /// Its priority, with what it inherits, as it stands when it begins to wait.
    #[inline]
    pub const fn waiting_priority(&self) -> u8 {
        self.waiter.own_priority()
    }

    /// Its priority, without what it inherits.
    #[inline]
    pub const fn base(&self, _lock: &Kernel<'_>) -> u8 {
        self.base.get()
    }

    /// Whether its stack has a guard.
    #[cfg(armv7m)]
    pub const fn is_guarded(&self, _lock: &Kernel<'_>) -> bool {
        self.guarded.get()
    }

    /// Notes that its stack has a guard.
    #[cfg(armv7m)]
    pub fn set_guarded(&self, _lock: &Kernel<'_>) {
        self.guarded.set(true);
    }

    /// The same, of the running thread.
    #[inline(always)]
    pub const fn own_base(&self) -> u8 {
        self.base.get()
    }

    /// Whether it is suspended.
    #[inline]
    pub const fn is_suspended(&self, _lock: &Kernel<'_>) -> bool {
        self.suspended.get()
    }

    /// The ceiling that it is under, or its own priority.
    pub fn ceiling(&self) -> u8 {
        31 - self.true_limit().leading_zeros() as u8
    }

    /// Whether it runs under a ceiling of threads.
    #[inline]
    pub const fn is_under_ceiling(&self) -> bool {
        is_ceiling(self.limit.get())
    }

    /// Its slot, by its bit.
    #[inline(always)]
    pub(super) const fn slot(&self) -> usize {
        self.bit.get().leading_zeros() as usize
    }

    pub(super) const fn own(&self) -> NonNull<Self> {
        NonNull::from_ref(self)
    }
}
