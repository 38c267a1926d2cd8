//! [`ThreadFlags`]: 32 flags that belong to one thread.
//!
//! ```text
//!   others:    set ──> flags ──> does the owner wait for them, and is it enough?
//!                                   │ no                     │ yes: granted there and then
//!                                   v                        v
//!   the owner: wait ──> enough? ── no ──> marked, waits ──> ready, with the granted flags
//! ```
//!
//! Only one thread waits for the flags, their owner. So there is no list. A waiting owner has a
//! mark in its own control block, in the words that link a thread in a list. A context that sets
//! flags finds the waiting owner there, grants the set flags in the same section, and makes the
//! owner ready. So a wait costs less than with [`Flags`](super::Flags), for which any number of
//! threads and tasks wait.

#![expect(unsafe_code, reason = "a thread that waits is switched from")]

use ::core::cell::Cell;
use ::core::fmt;
use ::core::hint::cold_path;
use ::core::marker::PhantomData;
use ::core::ops::Deref;
use ::core::ptr::NonNull;

use super::flags::NotSet;
use crate::arch::switch;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::{Section, kernel};
use crate::core::scheduler::{MARK, SCHEDULER, ThreadBlock};
use crate::sync::operation::{Operation, TimedOut, sealed::Sealed};
use crate::thread::CurrentThread;
#[cfg(feature = "time")]
use embassy_time::Instant;

#[cfg(test)]
mod tests;
#[cfg(feature = "time")]
mod timed;

/// 32 flags that belong to one thread. Every context can set them, and their owner waits for any or
/// all of some.
///
/// These flags are a notification with its reason. When a thread has begun, it [owns](Self::own)
/// the flags, and then waits by the returned value. Flags may be set before. If several threads or
/// tasks wait for the same flags, use [`Flags`](super::Flags). Thread flags are a static, or lent
/// for ever in another way.
///
/// ```
/// use quintet::sync::{Operation, Owned, ThreadFlags};
/// use quintet::thread::CurrentThread;
///
/// const RECEIVED: u32 = 1;
/// const BUTTON: u32 = 2;
///
/// static EVENTS: ThreadFlags = ThreadFlags::new();
///
/// // A thread.
/// fn control(this: &CurrentThread<'_>) -> Result<(), Owned> {
///     let events = EVENTS.own(this)?;
///     loop {
///         let came = events.take_any(RECEIVED | BUTTON).block(this);
///         if came & BUTTON != 0 {
///             // ...
///         }
///     }
/// }
///
/// // An interrupt task, or any other context.
/// fn received() {
///     EVENTS.set(RECEIVED);
/// }
/// # let _ = control;
/// # received();
/// # assert_eq!(EVENTS.get(), RECEIVED);
/// ```
///
/// Only the owner can wait:
///
/// ```compile_fail
/// use quintet::sync::ThreadFlags;
///
/// static EVENTS: ThreadFlags = ThreadFlags::new();
///
/// EVENTS.take_any(1); // only `EVENTS.own(this)?` has that
/// ```
///
/// and the ownership stays in the owner's thread:
///
/// ```compile_fail,E0277
/// use quintet::sync::thread_flags::OwnFlags;
///
/// fn goes_anywhere<T: Send>(_: T) {}
///
/// fn give_away(events: OwnFlags<'_>) {
///     goes_anywhere(events);
/// }
/// ```
///
/// # Contexts
/// Setting, clearing and looking: every task, interrupt task, `init` and `idle`; not kernel-free
/// interrupts (see [`sync`](crate::sync#contexts)).
///
/// # Cost
/// 8 bytes. Every operation takes the same few instructions in one section of the kernel's lock.
#[repr(C, align(8))]
pub struct ThreadFlags {
    board: KernelCell<Board>,
}

/// The data that the lock guards.
struct Board {
    flags: Cell<u32>,
    /// The thread that may wait for the flags.
    owner: Cell<Option<&'static ThreadBlock>>,
}

/// The flags belong to a thread already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owned;

impl fmt::Display for Owned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the flags belong to a thread already: one at a time waits for them")
    }
}

impl ::core::error::Error for Owned {}

/// The way of a wait, as the distance of the thread's mark from the flags: [`MARK`], with these.
///
/// For all wanted flags at once, rather than any of them.
const ALL: usize = 2;
/// To clear the granted flags.
const TAKE: usize = 4;

const _: () = assert!(align_of::<ThreadFlags>() > MARK + ALL + TAKE);
const _: () = assert!(size_of::<ThreadFlags>() == 8 || cfg!(not(target_os = "none")));

impl ThreadFlags {
    /// Makes flags without an owner; none is set.
    #[must_use]
    pub const fn new() -> Self {
        Self { board: KernelCell::new(Board { flags: Cell::new(0), owner: Cell::new(None) }) }
    }

    /// Makes the thread the owner, until the returned value is dropped.
    ///
    /// # Errors
    /// [`Owned`] if a thread owns the flags already.
    pub fn own<'a>(&'static self, this: &'a CurrentThread<'_>) -> Result<OwnFlags<'a>, Owned> {
        let control = this.thread().control();
        kernel(|lock| {
            let owner = &self.board.get(lock).owner;
            if owner.get().is_some() {
                return Err(Owned);
            }
            owner.set(Some(control));
            control.forget_links(lock);
            Ok(OwnFlags { flags: self, in_thread: PhantomData })
        })
    }

    /// Sets flags. If their owner waits for them, and enough flags are set, grants them to the
    /// owner.
    #[inline]
    pub fn set(&self, flags: u32) {
        let section = Section::begin();
        let board = self.board.get(&section);
        board.flags.set(board.flags.get() | flags);
        if let Some(owner) = board.owner.get()
            && let Some((how, mask)) = owner.wanted(self, &section)
            && let Some(hits) = board.take(how, mask)
        {
            owner.end_wanted(hits, &section);
            // SAFETY: the owner waited, and is in no list.
            return unsafe { section.ready(owner) };
        }
        // So a context that begins to wait continues after the grant without a jump.
        cold_path();
        section.end();
    }

    /// Clears flags. Returns all flags that were set before.
    #[inline]
    pub fn clear(&self, flags: u32) -> u32 {
        kernel(|lock| {
            let own = &self.board.get(lock).flags;
            own.replace(own.get() & !flags)
        })
    }

    /// Returns the flags that are set. Another context may change them at any time.
    #[inline]
    #[must_use]
    pub fn get(&self) -> u32 {
        kernel(|lock| self.board.get(lock).flags.get())
    }

    /// Returns the mark of a thread that waits for these flags.
    #[inline(always)]
    const fn mark(&self, how: usize) -> NonNull<()> {
        // SAFETY: the distance is below the size, by the assertions.
        unsafe { NonNull::from_ref(self).cast::<()>().byte_add(how | MARK) }
    }
}

impl Board {
    /// Takes the wanted flags, if enough of them are set.
    #[inline(always)]
    fn take(&self, how: usize, mask: u32) -> Option<u32> {
        let set = self.flags.get();
        let hits = set & mask;
        // For a mask, all flags is the largest possible number, and any flag is a number other than
        // 0.
        let least = if how & ALL != 0 { mask } else { 1 };
        if hits < least {
            return None;
        }
        if how & TAKE != 0 {
            self.flags.set(set & !hits);
        }
        Some(hits)
    }
}

impl Default for ThreadFlags {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ThreadFlags {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ThreadFlags({:#010x})", self.get())
    }
}

/// The ownership of flags, by which the thread may wait for them. If you drop this value, the
/// ownership ends.
///
/// `wait_any` and `wait_all` leave flags unchanged, `take_any` and `take_all` clear the flags that
/// they waited for. A wait for no flag ends at once with `_all`, and never with `_any`.
///
/// ```
/// use quintet::sync::{NotSet, Operation, ThreadFlags};
/// use quintet::thread::CurrentThread;
///
/// const START: u32 = 1 << 0;
/// const STOP: u32 = 1 << 1;
/// static COMMANDS: ThreadFlags = ThreadFlags::new();
///
/// fn thread(this: &CurrentThread<'_>) {
///     let own = COMMANDS.own(this).expect("no other thread owns them");
///     own.wait_any(START | STOP).block(this);
///     if own.try_take_all(START | STOP) == Err(NotSet) {
///         own.take_any(START | STOP).block(this);
///     }
/// }
/// # let _ = thread;
///
/// // From everywhere else.
/// COMMANDS.set(START);
/// assert_eq!(COMMANDS.get(), START);
/// assert_eq!(COMMANDS.clear(START | STOP), START);
/// ```
pub struct OwnFlags<'a> {
    flags: &'a ThreadFlags,
    /// The ownership can't leave its thread.
    in_thread: PhantomData<*mut ()>,
}

impl OwnFlags<'_> {
    /// Returns the flags of `mask` that are set, if any is set.
    ///
    /// # Errors
    /// [`NotSet`] if none is set.
    #[inline]
    pub fn try_any(&self, mask: u32) -> Result<u32, NotSet> {
        self.attempt(0, mask)
    }

    /// Returns `mask`, if all its flags are set.
    ///
    /// # Errors
    /// [`NotSet`] if one isn't set.
    #[inline]
    pub fn try_all(&self, mask: u32) -> Result<u32, NotSet> {
        self.attempt(ALL, mask)
    }

    /// Clears and returns the flags of `mask` that are set, if any is set.
    ///
    /// # Errors
    /// [`NotSet`] if none is set.
    #[inline]
    pub fn try_take_any(&self, mask: u32) -> Result<u32, NotSet> {
        self.attempt(TAKE, mask)
    }

    /// Clears and returns `mask`, if all its flags are set.
    ///
    /// # Errors
    /// [`NotSet`] if one isn't set; nothing is cleared.
    #[inline]
    pub fn try_take_all(&self, mask: u32) -> Result<u32, NotSet> {
        self.attempt(ALL | TAKE, mask)
    }

    /// Waits until any flag of `mask` is set. Returns the flags that are set.
    #[inline]
    pub const fn wait_any(&self, mask: u32) -> OwnWaiting<'_> {
        self.wait(0, mask)
    }

    /// Waits until all flags of `mask` are set at once. Returns `mask`.
    #[inline]
    pub const fn wait_all(&self, mask: u32) -> OwnWaiting<'_> {
        self.wait(ALL, mask)
    }

    /// Waits until any flag of `mask` is set. Clears and returns the flags that are set.
    #[inline]
    pub const fn take_any(&self, mask: u32) -> OwnWaiting<'_> {
        self.wait(TAKE, mask)
    }

    /// Waits until all flags of `mask` are set at once. Clears and returns them.
    #[inline]
    pub const fn take_all(&self, mask: u32) -> OwnWaiting<'_> {
        self.wait(ALL | TAKE, mask)
    }

    const fn wait(&self, how: usize, mask: u32) -> OwnWaiting<'_> {
        OwnWaiting { flags: self.flags, how, mask, in_thread: PhantomData }
    }

    #[inline(always)]
    fn attempt(&self, how: usize, mask: u32) -> Result<u32, NotSet> {
        kernel(|lock| self.flags.board.get(lock).take(how, mask)).ok_or(NotSet)
    }
}

/// The operation of [`OwnFlags::wait_any`] and the like.
#[must_use = "nothing waits before the thread blocks on it"]
pub struct OwnWaiting<'a> {
    flags: &'a ThreadFlags,
    how: usize,
    mask: u32,
    /// As the ownership, the operation can't leave its thread.
    in_thread: PhantomData<*mut ()>,
}

debug_by_name!([] OwnWaiting<'_>: "OwnWaiting");

impl Sealed for OwnWaiting<'_> {}

impl Operation for OwnWaiting<'_> {
    type Output = u32;
    type Error = TimedOut;

    #[inline(always)]
    fn block(self, _this: &CurrentThread<'_>) -> u32 {
        let Self { flags, how, mask, .. } = self;
        let section = Section::begin();
        if let Some(hits) = flags.board.get(&section).take(how, mask) {
            section.end();
            return hits;
        }
        cold_path();
        // SAFETY: the running thread owns the flags. Neither the ownership nor this operation,
        // which borrows it, can leave the thread, and only the ownership's end lets another thread
        // become the owner. `set` makes the thread ready.
        unsafe { switch::wait_for_own(flags.mark(how), section.into_saved(), mask) };
        SCHEDULER.running().granted()
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(self, _this: &CurrentThread<'_>, deadline: Instant) -> Result<u32, TimedOut> {
        timed::until(self.flags, self.how, self.mask, deadline)
    }
}

/// The operations for every context.
impl Deref for OwnFlags<'_> {
    type Target = ThreadFlags;

    #[inline(always)]
    fn deref(&self) -> &ThreadFlags {
        self.flags
    }
}

impl Drop for OwnFlags<'_> {
    #[inline]
    fn drop(&mut self) {
        kernel(|lock| self.flags.board.get(lock).owner.set(None));
    }
}

impl fmt::Debug for OwnFlags<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.flags, formatter)
    }
}
