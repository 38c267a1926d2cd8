//! Thread blocks. Each is the control block of a thread, with everything that the scheduler has to
//! know of the thread.
//!
//! ```text
//!   a waiter:      next  previous  priority, state, room   table            data  demand
//!   the same       links           priority, base,         promoted, ...    next  previous
//!   words:                         ceiling, notified                        └── ring ───┘
//!   its own flags: mark  mask
//! ```
//!
//! A thread that waits for one object is linked there by its own waiter. This waiter names the
//! thread by a null table and a pointer to the control block. While the waiter is linked, the
//! thread is in no ring, holds no ceiling, and isn't held back from being ready; so three words of
//! the waiter serve twice. If the thread has a demand, `previous` points to the demand. If the
//! thread waits for its own flags, the thread is in no list. Then the links contain the marked
//! address of the flags, and the mask of the wanted flags.
//!
//! # Invariants
//! - INVARIANT(own-waiter): while the thread's own waiter is linked, the four bytes from `promoted`
//!   on are 0, and `next` points to the control block. These words are the waiter's wake target,
//!   which names the thread. Lists don't touch the state of a thread's waiter.
//! - INVARIANT(marked): the first link is an address with the lowest bit set only while the thread
//!   waits for its own flags, which are at that address. No waiter has such an address.
//! - INVARIANT(flags-apart): otherwise the first link of a thread points to no flags that the
//!   thread owns. The link may keep the address of a waiter that once was behind the thread in a
//!   list. But a thread that becomes the owner of flags clears the link. From then on the flags
//!   stay at their address, so no waiter is there.
//! - INVARIANT(demand): code that takes out a waiter with a demand restores `previous` before the
//!   thread is made ready.

#![expect(unsafe_code, reason = "threads are linked through pointers")]

use ::core::cell::Cell;
use ::core::marker::PhantomPinned;
use ::core::mem::offset_of;
use ::core::ptr::{self, NonNull};
use ::core::sync::atomic::AtomicPtr;

use super::mutex::Ownership;
use super::priority::{bit_of, is_ceiling, limit_of};
#[cfg(feature = "statistics")]
use super::tally::Tally;
use super::waiter::{WaitList, Waiter};
use super::wake_target::WakeTarget;
use crate::core::lock::KernelLock;

/// The state of a thread, apart from being ready or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// The thread runs, is ready to run, or waits. Must be the first: INVARIANT(own-waiter).
    Alive,
    /// The thread has not started, or has ended.
    Ended,
    /// The thread is about to start: another context prepares the thread's stack.
    #[cfg(feature = "statistics")]
    Starting,
}

impl State {
    /// The state from which a thread is started.
    #[cfg(not(feature = "statistics"))]
    pub const READY_TO_START: Self = Self::Ended;
    /// The state from which a thread is started.
    #[cfg(feature = "statistics")]
    pub const READY_TO_START: Self = Self::Starting;
}

/// The control block of a thread: everything that the scheduler has to know of the thread.
///
/// The assembly in `arch` knows the fields up to `links`, and the ring.
#[repr(C)]
pub struct ThreadBlock {
    /// The address of the saved registers, while the thread doesn't run.
    pub(in crate::core) stack_pointer: Cell<*mut u32>,
    /// The bit of the thread's priority; 0 while the thread is suspended or moves to another ring.
    pub(in crate::core) bit: Cell<u32>,
    /// The limit: a thread with a larger bit preempts.
    pub(in crate::core) limit: Cell<u32>,
    /// The place where the thread waits: INVARIANT(place).
    pub(in crate::core) place: Cell<*const WaitList<()>>,
    /// The links of the thread's own waiter. Lists write them. A parked thread waits in no list;
    /// then the first link points to the control block itself. While the thread awaits a wake, the
    /// first link has the same address with [`AWAITS`]. While the thread waits for its own flags,
    /// INVARIANT(marked).
    links: [Cell<Option<NonNull<Waiter<()>>>>; 2],
    /// The thread's priority, including inherited priorities. The priority of its own waiter.
    pub(in crate::core) priority: Cell<u8>,
    /// The thread's priority, 1 to 31, without inherited priorities; 0 for idle.
    pub(in crate::core) base: Cell<u8>,
    /// The encoded ceiling that the thread is under; 0 without a ceiling. A thread that parks looks
    /// at this field and the next one.
    pub(in crate::core) ceiling: Cell<u8>,
    /// `true` if the thread was notified before the thread parked.
    pub(in crate::core) notified: Cell<bool>,
    /// Padding up to a pointer, on a host.
    #[cfg(target_pointer_width = "64")]
    _align: Cell<u32>,
    /// `true` if the thread moves to another ring when the thread leaves a ceiling. The thread was
    /// preempted under a ceiling and is in the ring of that ceiling, or its turn is over, or its
    /// priority has changed.
    pub(in crate::core) promoted: Cell<bool>,
    /// The state of the thread.
    pub(in crate::core) state: Cell<State>,
    /// The marks `HELD_READY`, `HAS_PLACE`, `TURN_IS_OVER` and `MOVES`.
    pub(super) besides: Cell<u8>,
    /// INVARIANT(own-waiter).
    _zero: Cell<u8>,
    /// The rest of the waiter's table, on a host.
    #[cfg(target_pointer_width = "64")]
    _rest: Cell<u32>,
    /// The next thread in the ring.
    pub(in crate::core) next: Cell<NonNull<Self>>,
    /// The previous thread in the ring.
    pub(in crate::core) previous: Cell<NonNull<Self>>,
    /// The first mutex that the thread has and that counts for the thread's priority.
    pub(in crate::core) held: Cell<*const Ownership>,
    /// The next thread among those that were woken from any context, with a mark. If this thread
    /// isn't among them, null, or the note that a wake has come.
    pub(in crate::core) deferred_next: AtomicPtr<Self>,
    /// The thread that waits for the end of this one.
    pub(in crate::core) joiner: Cell<*const Self>,
    /// The constant part.
    pub about: &'static ThreadInfo,
    /// The number of switches to the thread, and the time that the thread ran.
    #[cfg(feature = "statistics")]
    pub(in crate::core) tally: Tally,
    /// Rings and lists point to the control block.
    _pinned: PhantomPinned,
}

/// The value of each stack word that has never been used. Zeros cost nothing, but a frame of zeros
/// looks like an unused part. So with the feature `statistics`, the start of a thread fills the
/// stack.
pub const UNTOUCHED: u32 = if cfg!(feature = "statistics") { 0xa5a5_a5a5 } else { 0 };

/// A thread's first function.
pub type Entry = unsafe extern "C" fn(*mut ());

/// The facts about a thread that are known at compile time.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadInfo {
    /// The name of the thread.
    pub name: &'static str,
    /// The lowest address of the stack.
    pub stack: *mut u32,
    /// The size of the stack, in bytes.
    pub stack_size: usize,
    /// The resources that the thread shares with others.
    pub resources: &'static [Held],
    /// The first function, which gets a null pointer. `None` if the thread takes arguments, so that
    /// its starter must provide them.
    pub entry: Option<Entry>,
}

// SAFETY: the stack is the thread's; code that reads the stack answers for this.
unsafe impl Sync for ThreadInfo {}

/// A resource that a thread may hold.
#[derive(Debug)]
pub struct Held {
    /// The name of the resource.
    pub name: &'static str,
    /// The ceiling of the resource; 0 if that is a ceiling of levels.
    pub ceiling: u8,
}

/// In the first link: the thread waits for its own flags.
pub const MARK: usize = 1;
/// In the first link, with the thread's own address: the thread awaits a wake.
const AWAITS: usize = 2;

/// The offset of `besides`.
pub(in crate::core) const BESIDES: usize = offset_of!(ThreadBlock, besides);
/// The offset of the thread's own waiter.
pub(in crate::core) const OWN_WAITER: usize = offset_of!(ThreadBlock, links);

const _: () = {
    const fn own(offset: usize) -> usize {
        offset - OWN_WAITER
    }
    let target = Waiter::<()>::TARGET;
    assert!(own(offset_of!(ThreadBlock, priority)) == Waiter::<()>::PRIORITY);
    assert!(own(offset_of!(ThreadBlock, base)) == Waiter::<()>::STATE);
    assert!(own(offset_of!(ThreadBlock, ceiling)) == Waiter::<()>::ROOM);
    assert!(own(offset_of!(ThreadBlock, notified)) == Waiter::<()>::ROOM + 1);
    assert!(own(offset_of!(ThreadBlock, promoted)) == target + WakeTarget::TABLE);
    assert!(own(offset_of!(ThreadBlock, next)) == target + WakeTarget::DATA);
    assert!(own(offset_of!(ThreadBlock, previous)) == Waiter::<*const ()>::DEMAND);
    let tally = if cfg!(feature = "statistics") { 12 } else { 0 };
    assert!(size_of::<ThreadBlock>() == 56 + tally || cfg!(not(target_os = "none")));
};

// SAFETY: every field is touched only under the kernel's lock, or by the thread itself.
unsafe impl Sync for ThreadBlock {}
// SAFETY: the same.
unsafe impl Send for ThreadBlock {}

impl ThreadBlock {
    /// Makes the control block of a thread that has not started, to be put into `this`.
    ///
    /// # Safety
    /// The returned value is put at `this`, and doesn't move from there.
    #[must_use]
    pub const unsafe fn new(this: *const Self, priority: u8, about: &'static ThreadInfo) -> Self {
        // SAFETY: the caller's: the address of a static.
        let own = unsafe { NonNull::new_unchecked(this.cast_mut()) };
        Self {
            stack_pointer: Cell::new(ptr::null_mut()),
            bit: Cell::new(bit_of(priority)),
            limit: Cell::new(limit_of(bit_of(priority))),
            place: Cell::new(ptr::null()),
            links: [const { Cell::new(None) }; 2],
            priority: Cell::new(priority),
            base: Cell::new(priority),
            ceiling: Cell::new(0),
            notified: Cell::new(false),
            #[cfg(target_pointer_width = "64")]
            _align: Cell::new(0),
            promoted: Cell::new(false),
            state: Cell::new(State::Ended),
            besides: Cell::new(0),
            _zero: Cell::new(0),
            #[cfg(target_pointer_width = "64")]
            _rest: Cell::new(0),
            next: Cell::new(own),
            previous: Cell::new(own),
            held: Cell::new(ptr::null()),
            deferred_next: AtomicPtr::new(ptr::null_mut()),
            joiner: Cell::new(ptr::null()),
            about,
            #[cfg(feature = "statistics")]
            tally: Tally::new(),
            _pinned: PhantomPinned,
        }
    }

    /// Returns the state of the thread.
    #[inline]
    pub(crate) const fn state(&self, _lock: &KernelLock<'_>) -> State {
        self.state.get()
    }

    /// Notes that the thread is about to start, if the thread has ended. Returns whether this was
    /// the case.
    #[cfg(feature = "statistics")]
    pub(crate) fn begin_to_start(&self, _lock: &KernelLock<'_>) -> bool {
        let has_ended = self.state.get() == State::Ended;
        if has_ended {
            self.state.set(State::Starting);
        }
        has_ended
    }

    /// Returns the thread's priority, including inherited priorities; 0 for idle.
    #[inline]
    pub(crate) const fn priority(&self, _lock: &KernelLock<'_>) -> u8 {
        self.priority.get()
    }

    /// Returns the thread's priority, including inherited priorities, at the beginning of a wait.
    #[inline]
    pub(crate) const fn waiting_priority(&self) -> u8 {
        self.priority.get()
    }

    /// Returns the thread's priority, without inherited priorities.
    #[inline]
    pub(crate) const fn base(&self, _lock: &KernelLock<'_>) -> u8 {
        self.base.get()
    }

    /// Returns the running thread's priority, without inherited priorities.
    #[inline(always)]
    pub(crate) const fn own_base(&self) -> u8 {
        self.base.get()
    }

    /// Returns the thread's own waiter.
    #[inline(always)]
    pub(crate) const fn waiter(&self) -> &Waiter<()> {
        // SAFETY: from `links` on, the fields are those of a waiter, as is asserted above, and the
        // wake target names the thread: INVARIANT(own-waiter).
        unsafe { &*ptr::from_ref(self).byte_add(OWN_WAITER).cast() }
    }

    /// Returns `true` if no other thread of the priority is ready.
    #[inline]
    pub(crate) fn is_alone(&self, _lock: &KernelLock<'_>) -> bool {
        self.next.get() == self.own()
    }

    /// Sets the demand of the thread's own waiter. The thread is in no ring, or is about to leave a
    /// ring in which the thread is alone: code that takes such a thread out doesn't read
    /// `previous`.
    #[inline(always)]
    pub(crate) fn set_demand(&self, wanted: NonNull<()>) {
        self.previous.set(wanted.cast());
    }

    /// Clears the demand of the thread's own waiter: INVARIANT(demand).
    #[inline(always)]
    pub(crate) fn end_demand(&self) {
        self.previous.set(self.own());
    }

    /// Notes the thread that waits for the end of this one.
    pub(crate) fn set_joiner(&self, joiner: &'static Self, _lock: &KernelLock<'_>) {
        self.joiner.set(joiner);
    }

    /// Returns the thread that waits for the end of this one.
    pub(crate) const fn joiner(&self, _lock: &KernelLock<'_>) -> Option<&'static Self> {
        // SAFETY: control blocks live for ever.
        unsafe { self.joiner.get().as_ref() }
    }

    /// Takes the thread that waits for the end of this one, which has ended.
    pub(crate) fn take_joiner(&self, lock: &KernelLock<'_>) -> Option<&'static Self> {
        let joiner = self.joiner(lock);
        self.joiner.set(ptr::null());
        joiner
    }

    /// Returns `true` if the thread waits for a notification.
    #[inline(always)]
    pub(in crate::core) fn is_parked(&self) -> bool {
        self.links[0].get() == Some(self.own().cast())
    }

    /// Notes whether the thread waits for a notification.
    #[inline(always)]
    pub(in crate::core) fn set_parked(&self, parked: bool) {
        self.links[0].set(if parked { Some(self.own().cast()) } else { None });
    }

    /// Returns `true` if the thread waits for a wake by its waker.
    #[inline(always)]
    pub(in crate::core) fn awaits_wake(&self) -> bool {
        self.mark() == self.own().addr().get() + AWAITS
    }

    /// Notes that the thread awaits a wake, as no wake is noted.
    #[inline(always)]
    pub(crate) fn set_awaits_wake(&self, _lock: &KernelLock<'_>) {
        let mark = self.own().map_addr(|address| address | AWAITS);
        self.links[0].set(Some(mark.cast()));
    }

    /// Notes that the thread no longer awaits a wake. Returns whether the thread did.
    #[inline(always)]
    pub(in crate::core) fn end_awaiting(&self) -> bool {
        let awaits = self.awaits_wake();
        if awaits {
            self.links[0].set(None);
        }
        awaits
    }

    /// Returns `true` if the thread waits in no list: the thread is parked, awaits a wake, or waits
    /// for its own flags.
    #[inline(always)]
    pub(in crate::core) fn is_in_no_list(&self) -> bool {
        self.is_parked() || self.awaits_wake() || self.mark() & MARK != 0
    }

    /// Returns the first link, which has [`MARK`] if the thread waits for its own flags.
    #[inline(always)]
    pub(in crate::core) fn mark(&self) -> usize {
        self.links[0].get().map_or(0, |link| link.addr().get())
    }

    /// Notes that the thread waits for flags at `own`, and wants those in `mask`. `own` is at most
    /// seven bytes before `mark`. A switch in assembly does this itself.
    #[inline(always)]
    #[cfg(any(plain_switch, not(target_os = "none")))]
    pub(crate) fn set_wanted(&self, mark: NonNull<()>, mask: u32) {
        self.links[0].set(Some(mark.cast()));
        self.links[1].set(NonNull::new(ptr::without_provenance_mut(mask as usize)));
    }

    /// Returns the distance from `own` to the mark, and the mask of the wanted flags, if the thread
    /// waits for the flags at `own`. Flags are aligned to 8 bytes, so the distance is in the lowest
    /// three bits. These flags are the thread's: INVARIANT(flags-apart).
    #[inline(always)]
    pub(crate) fn wanted<T>(&self, own: &T, _lock: &KernelLock<'_>) -> Option<(usize, u32)> {
        let distance = self.mark().wrapping_sub(ptr::from_ref(own).addr());
        (distance < 8).then(|| (distance, self.word()))
    }

    /// Clears the link to the waiter that was behind the thread in a list: INVARIANT(flags-apart).
    /// For the running thread, which is in no list.
    #[inline(always)]
    pub(crate) fn forget_links(&self, _lock: &KernelLock<'_>) {
        self.links[0].set(None);
    }

    /// Ends the wait for the thread's own flags. The thread was granted `hits`, or no flags if the
    /// time is up.
    #[inline(always)]
    pub(crate) fn end_wanted(&self, hits: u32, _lock: &KernelLock<'_>) {
        self.links[0].set(None);
        self.links[1].set(NonNull::new(ptr::without_provenance_mut(hits as usize)));
    }

    /// Returns the flags that the thread was granted last. For the thread itself, which has not
    /// waited since.
    #[inline(always)]
    pub(crate) fn granted(&self) -> u32 {
        self.word()
    }

    #[inline(always)]
    fn word(&self) -> u32 {
        self.links[1].get().map_or(0, |link| link.addr().get() as u32)
    }

    /// Returns `true` if the thread is suspended. A suspended thread never becomes ready.
    #[inline]
    pub(crate) const fn is_suspended(&self, _lock: &KernelLock<'_>) -> bool {
        self.bit.get() == 0 && !self.moves()
    }

    /// Returns `true` if the thread runs under a ceiling of threads.
    #[inline]
    pub(crate) fn is_under_ceiling(&self) -> bool {
        is_ceiling(self.limit.get())
    }

    /// Returns the thread's slot, from the thread's bit.
    #[inline(always)]
    pub(in crate::core) const fn slot(&self) -> usize {
        self.bit.get().leading_zeros() as usize
    }

    pub(in crate::core) const fn own(&self) -> NonNull<Self> {
        NonNull::from_ref(self)
    }
}
