//! Thread blocks, each the control block of a thread: what the scheduler has to know of a thread.
//!
//! ```text
//!   a waiter:      next  previous  priority, state, room   table            data  demand
//!   the same       links           priority, base,         promoted, ...    next  previous
//!   words:                         ceiling, notified                        └── ring ───┘
//!   its own flags: mark  mask
//! ```
//!
//! A thread that waits for one object is linked there with a waiter of its own, which names it: by
//! a null table, and a pointer to the control block. While it is linked it is in no ring, holds no
//! ceiling, and isn't held back from being ready; so three words of the waiter serve twice. Where
//! it wants something of its own, a pointer to that is in `previous`. Where it waits for flags of
//! its own, it is in no list: the links have the address of the flags, marked, and which it wants.
//!
//! # Invariants
//! - INVARIANT(own-waiter): while the thread's own waiter is linked, the four bytes from `promoted`
//!   on are 0, and `next` points to the control block: they are the waiter's wake target, which
//!   names the thread. Lists don't touch the state of a thread's waiter.
//! - INVARIANT(marked): the first link is an address with the lowest bit set only while the thread
//!   waits for flags of its own, which are there. No waiter has such an address.
//! - INVARIANT(flags-apart): otherwise the first link of a thread points to no flags that it owns.
//!   It keeps the address of who was behind the thread in a list, once; but a thread that comes to
//!   own flags forgets that, and from then on they stay where they are, so no waiter is there.
//! - INVARIANT(demand): who takes a waiter out that has a demand puts `previous` back, before the
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

/// How a thread stands, beside being ready or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// It runs, is ready to, or waits. The first: INVARIANT(own-waiter).
    Alive,
    /// It has not started, or has ended.
    Ended,
    /// It is about to start: somebody prepares its stack.
    #[cfg(feature = "statistics")]
    Starting,
}

impl State {
    /// In which a thread is started.
    #[cfg(not(feature = "statistics"))]
    pub const READY_TO_START: Self = Self::Ended;
    /// In which a thread is started.
    #[cfg(feature = "statistics")]
    pub const READY_TO_START: Self = Self::Starting;
}

/// What the scheduler has to know of a thread: its control block.
///
/// The assembly in `arch` knows the fields up to `links`, and the ring.
#[repr(C)]
pub struct ThreadBlock {
    /// Where its registers are, while it doesn't run.
    pub(in crate::core) stack_pointer: Cell<*mut u32>,
    /// The bit of its priority; 0 while it is suspended.
    pub(in crate::core) bit: Cell<u32>,
    /// What preempts it: bits above.
    pub(in crate::core) limit: Cell<u32>,
    /// Where it waits: INVARIANT(place).
    pub(in crate::core) place: Cell<*const WaitList<()>>,
    /// The links of its own waiter: lists write them. While the thread is parked, which is no wait
    /// in a list, the first points to the control block itself; while it awaits a wake, the same
    /// with [`AWAITS`]; while it waits for flags of its own, INVARIANT(marked).
    links: [Cell<Option<NonNull<Waiter<()>>>>; 2],
    /// Its priority, with what it inherits: that of its own waiter.
    pub(in crate::core) priority: Cell<u8>,
    /// Its priority, 1 to 31, without what it inherits; 0 for idle.
    pub(in crate::core) base: Cell<u8>,
    /// The ceiling that it is under, noted; 0 without one. Parking looks at it and the next field.
    pub(in crate::core) ceiling: Cell<u8>,
    /// Whether it was notified before it parked.
    pub(in crate::core) notified: Cell<bool>,
    /// Where a pointer begins on a host.
    #[cfg(target_pointer_width = "64")]
    _align: Cell<u32>,
    /// Whether it is put where it belongs when it leaves a ceiling: it was preempted under one, and
    /// is in the ring of that; or its turn is over, or its priority has changed.
    pub(in crate::core) promoted: Cell<bool>,
    /// How it stands.
    pub(in crate::core) state: Cell<State>,
    /// Whether it would be ready, were it not suspended; whether it waits elsewhere; and whether
    /// its turn is over.
    besides: Cell<u8>,
    /// INVARIANT(own-waiter).
    _zero: Cell<u8>,
    /// The rest of the table there.
    #[cfg(target_pointer_width = "64")]
    _rest: Cell<u32>,
    /// The next in its ring.
    pub(in crate::core) next: Cell<NonNull<Self>>,
    /// The one before it in its ring.
    pub(in crate::core) previous: Cell<NonNull<Self>>,
    /// The first of the mutexes that it has and that count for its priority.
    pub(in crate::core) held: Cell<*const Ownership>,
    /// The next of those that were woken from anywhere, marked. If it isn't among them, null, or
    /// that a wake is noted.
    pub(in crate::core) deferred_next: AtomicPtr<Self>,
    /// Who waits for its end.
    pub(in crate::core) joiner: Cell<*const Self>,
    /// What doesn't change.
    pub about: &'static ThreadInfo,
    /// How often it was switched to, and how long it ran.
    #[cfg(feature = "statistics")]
    pub(in crate::core) tally: Tally,
    /// Rings and lists point to it.
    _pinned: PhantomPinned,
}

/// What every word of a stack is that has never been used. Zeros cost nothing, but a frame of zeros
/// looks like it: so with the feature `statistics` a start fills the stack.
pub const UNTOUCHED: u32 = if cfg!(feature = "statistics") { 0xa5a5_a5a5 } else { 0 };

/// A thread's first function.
pub type Entry = unsafe extern "C" fn(*mut ());

/// What is known of a thread at compile time.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadInfo {
    /// Its name.
    pub name: &'static str,
    /// The lowest address of its stack.
    pub stack: *mut u32,
    /// The size of its stack, in bytes.
    pub stack_size: usize,
    /// The resources that it uses with others.
    pub resources: &'static [Held],
    /// Its first function, which gets a null pointer; none if it takes arguments, so that it has to
    /// be started with them.
    pub entry: Option<Entry>,
}

// SAFETY: the stack is the thread's; whoever looks at it answers for that.
unsafe impl Sync for ThreadInfo {}

/// A resource that a thread may hold.
#[derive(Debug)]
pub struct Held {
    /// Its name.
    pub name: &'static str,
    /// Its ceiling; 0 if that is one of levels.
    pub ceiling: u8,
}

/// In the first link: it waits for flags of its own.
pub const MARK: usize = 1;
/// In the first link, beside its own address: it awaits a wake.
const AWAITS: usize = 2;

/// In `besides`: it would be ready, were it not suspended.
pub(in crate::core) const HELD_READY: u8 = 1;
/// In `besides`: it has a place among waiters, although it may be ready.
const HAS_PLACE: u8 = 2;
/// In `besides`: its turn is over, but it was under a ceiling.
#[cfg(feature = "time")]
const TURN_IS_OVER: u8 = 4;

/// Where that is.
pub(in crate::core) const BESIDES: usize = offset_of!(ThreadBlock, besides);
/// Where its own waiter is.
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

// SAFETY: everything is touched under the kernel's lock, or by the thread itself.
unsafe impl Sync for ThreadBlock {}
// SAFETY: the same.
unsafe impl Send for ThreadBlock {}

impl ThreadBlock {
    /// The control block, to be put into `this`, of a thread that has not started.
    ///
    /// # Safety
    /// `this` is where the returned value is put, and it doesn't move.
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

    /// How it stands.
    #[inline]
    pub(crate) const fn state(&self, _lock: &KernelLock<'_>) -> State {
        self.state.get()
    }

    /// Notes that it is about to start, if it has ended.
    #[cfg(feature = "statistics")]
    pub(crate) fn begin_to_start(&self, _lock: &KernelLock<'_>) -> bool {
        let has_ended = self.state.get() == State::Ended;
        if has_ended {
            self.state.set(State::Starting);
        }
        has_ended
    }

    /// Its priority, with what it inherits; 0 for idle.
    #[inline]
    pub(crate) const fn priority(&self, _lock: &KernelLock<'_>) -> u8 {
        self.priority.get()
    }

    /// Its priority, with what it inherits, as it stands when it begins to wait.
    #[inline]
    pub(crate) const fn waiting_priority(&self) -> u8 {
        self.priority.get()
    }

    /// Its priority, without what it inherits.
    #[inline]
    pub(crate) const fn base(&self, _lock: &KernelLock<'_>) -> u8 {
        self.base.get()
    }

    /// The same, of the running thread.
    #[inline(always)]
    pub(crate) const fn own_base(&self) -> u8 {
        self.base.get()
    }

    /// Its own waiter.
    #[inline(always)]
    pub(crate) const fn waiter(&self) -> &Waiter<()> {
        // SAFETY: its fields are those of a waiter from `links` on, as is asserted below, and its
        // wake target names the thread: INVARIANT(own-waiter).
        unsafe { &*ptr::from_ref(self).byte_add(OWN_WAITER).cast() }
    }

    /// Whether no other thread of its priority is ready.
    #[inline]
    pub(crate) fn is_alone(&self, _lock: &KernelLock<'_>) -> bool {
        self.next.get() == self.own()
    }

    /// Says what its own waiter wants. The thread is in no ring, or about to leave one in which it
    /// is alone: who does that doesn't look at `previous`.
    #[inline(always)]
    pub(crate) fn set_demand(&self, wanted: NonNull<()>) {
        self.previous.set(wanted.cast());
    }

    /// It wants nothing any more: INVARIANT(demand).
    #[inline(always)]
    pub(crate) fn end_demand(&self) {
        self.previous.set(self.own());
    }

    /// Notes who waits for its end.
    pub(crate) fn set_joiner(&self, joiner: &'static Self, _lock: &KernelLock<'_>) {
        self.joiner.set(joiner);
    }

    /// Who waits for its end.
    pub(crate) const fn joiner(&self, _lock: &KernelLock<'_>) -> Option<&'static Self> {
        // SAFETY: control blocks live for ever.
        unsafe { self.joiner.get().as_ref() }
    }

    /// Who waits for its end, which has come.
    pub(crate) fn take_joiner(&self, lock: &KernelLock<'_>) -> Option<&'static Self> {
        let joiner = self.joiner(lock);
        self.joiner.set(ptr::null());
        joiner
    }

    /// Whether it waits until it is notified.
    #[inline(always)]
    pub(in crate::core) fn is_parked(&self) -> bool {
        self.links[0].get() == Some(self.own().cast())
    }

    /// Notes whether it does.
    #[inline(always)]
    pub(in crate::core) fn set_parked(&self, parked: bool) {
        self.links[0].set(if parked { Some(self.own().cast()) } else { None });
    }

    /// Whether it waits until it is woken by its waker.
    #[inline(always)]
    pub(in crate::core) fn awaits_wake(&self) -> bool {
        self.mark() == self.own().addr().get() + AWAITS
    }

    /// Notes that it awaits one: none is noted.
    #[inline(always)]
    pub(crate) fn set_awaits_wake(&self, _lock: &KernelLock<'_>) {
        let mark = self.own().map_addr(|address| address | AWAITS);
        self.links[0].set(Some(mark.cast()));
    }

    /// Notes that it awaits none any more. Whether it did.
    #[inline(always)]
    pub(in crate::core) fn end_awaiting(&self) -> bool {
        let awaits = self.awaits_wake();
        if awaits {
            self.links[0].set(None);
        }
        awaits
    }

    /// Whether it waits in no list: it is parked, awaits a wake, or waits for flags of its own.
    #[inline(always)]
    pub(in crate::core) fn is_in_no_list(&self) -> bool {
        self.is_parked() || self.awaits_wake() || self.mark() & MARK != 0
    }

    /// The first link: with [`MARK`], if the thread waits for flags of its own.
    #[inline(always)]
    pub(in crate::core) fn mark(&self) -> usize {
        self.links[0].get().map_or(0, |link| link.addr().get())
    }

    /// Marks that it waits for the flags at `own`, up to seven bytes before `mark`, of which it
    /// wants `mask`. The assembly does so itself.
    #[inline(always)]
    #[cfg(not(target_os = "none"))]
    pub(crate) fn set_wanted(&self, mark: NonNull<()>, mask: u32) {
        self.links[0].set(Some(mark.cast()));
        self.links[1].set(NonNull::new(ptr::without_provenance_mut(mask as usize)));
    }

    /// How far behind `own` the mark is, if the thread waits for the flags there, and which of them
    /// it wants. Flags are aligned to 8 bytes: so the distance is in the lowest three bits. These
    /// are the thread's: INVARIANT(flags-apart).
    #[inline(always)]
    pub(crate) fn wanted<T>(&self, own: &T, _lock: &KernelLock<'_>) -> Option<(usize, u32)> {
        let distance = self.mark().wrapping_sub(ptr::from_ref(own).addr());
        (distance < 8).then(|| (distance, self.word()))
    }

    /// Forgets who was behind it in a list: INVARIANT(flags-apart). For the thread that runs, which
    /// is in none.
    #[inline(always)]
    pub(crate) fn forget_links(&self, _lock: &KernelLock<'_>) {
        self.links[0].set(None);
    }

    /// It was granted `hits` of them, or none as its time is up.
    #[inline(always)]
    pub(crate) fn end_wanted(&self, hits: u32, _lock: &KernelLock<'_>) {
        self.links[0].set(None);
        self.links[1].set(NonNull::new(ptr::without_provenance_mut(hits as usize)));
    }

    /// What it was granted last. For the thread itself, which has not waited since.
    #[inline(always)]
    pub(crate) fn granted(&self) -> u32 {
        self.word()
    }

    #[inline(always)]
    fn word(&self) -> u32 {
        self.links[1].get().map_or(0, |link| link.addr().get() as u32)
    }

    /// Whether it would be ready, were it not suspended.
    pub(in crate::core) const fn is_held_ready(&self) -> bool {
        self.besides.get() & HELD_READY != 0
    }

    /// Notes whether it would be ready, were it not suspended.
    pub(in crate::core) fn set_held_ready(&self, held_ready: bool) {
        self.note_besides(HELD_READY, held_ready);
    }

    /// Whether it has a place among waiters, although it may be ready.
    pub(crate) const fn has_place(&self) -> bool {
        self.besides.get() & HAS_PLACE != 0
    }

    /// Says whether the place counts even if the thread is ready.
    pub(crate) fn set_has_place(&self, has_place: bool, _lock: &KernelLock<'_>) {
        self.note_besides(HAS_PLACE, has_place);
    }

    /// Whether its turn is over, though it has gone on, under a ceiling.
    #[cfg(feature = "time")]
    pub(in crate::core) const fn turn_is_over(&self) -> bool {
        self.besides.get() & TURN_IS_OVER != 0
    }

    /// Notes whether it is.
    #[cfg(feature = "time")]
    pub(in crate::core) fn set_turn_is_over(&self, is_over: bool) {
        self.note_besides(TURN_IS_OVER, is_over);
    }

    fn note_besides(&self, bit: u8, on: bool) {
        let others = self.besides.get() & !bit;
        self.besides.set(if on { others | bit } else { others });
    }

    /// Whether it is suspended: it isn't ready whatever happens.
    #[inline]
    pub(crate) const fn is_suspended(&self, _lock: &KernelLock<'_>) -> bool {
        self.bit.get() == 0
    }

    /// Whether it runs under a ceiling of threads.
    #[inline]
    pub(crate) fn is_under_ceiling(&self) -> bool {
        is_ceiling(self.limit.get())
    }

    /// Its slot, by its bit.
    #[inline(always)]
    pub(in crate::core) const fn slot(&self) -> usize {
        self.bit.get().leading_zeros() as usize
    }

    pub(in crate::core) const fn own(&self) -> NonNull<Self> {
        NonNull::from_ref(self)
    }
}
