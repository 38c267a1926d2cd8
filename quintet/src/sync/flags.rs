//! [`Flags`]: up to 32 event flags. A waiter waits for any or all of some flags.
//!
//! `set` visits the waiters in their order, and grants each waiter its flags if they are set at
//! that moment: a waiter that takes flags leaves the other flags for the waiters behind it. The
//! visit runs in short sections of the kernel's lock, so the flags may change meanwhile. Each flag
//! in a grant was set, and no waiter misses a flag that stays set. No other thread runs before the
//! end of the visit.

#![expect(unsafe_code, reason = "futures are made of pinned ones")]

use ::core::cell::Cell;
use ::core::future::Future;
use ::core::pin::Pin;
use ::core::sync::atomic::{AtomicU32, Ordering};
use ::core::task::{Context, Poll};

use crate::core::kernel_cell::KernelCell;
use crate::core::list::{Demand, Visit, WaitList, visit_all};
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::WakeTarget;
use crate::core::section::{SectionEnd, kernel_and_then};
use crate::core::wait::{Supply, Wait};
#[cfg(threads)]
use crate::{
    core::wait::block_for,
    sync::operation::{Operation, TimedOut, sealed::Sealed},
    thread::CurrentThread,
};
#[cfg(all(threads, feature = "time"))]
use {super::until::until, embassy_time::Instant};

/// Up to 32 event flags.
///
/// Flags stay set until they are cleared or taken: `wait_any` and `wait_all` leave them unchanged,
/// `take_any` and `take_all` clear the flags that they waited for. A wait for no flag ends at once
/// with `_all`, and never with `_any`.
///
/// ```
/// use quintet::sync::{Flags, NotSet, Operation};
/// use quintet::thread::CurrentThread;
///
/// const RECEIVED: u32 = 1 << 0;
/// const SENT: u32 = 1 << 1;
/// static LINE: Flags = Flags::new(0);
///
/// LINE.set(RECEIVED);
/// assert_eq!(LINE.try_any(RECEIVED | SENT), Ok(RECEIVED));
/// assert_eq!(LINE.try_all(RECEIVED | SENT), Err(NotSet));
/// // `take` clears the flags that it waited for.
/// assert_eq!(LINE.try_take_any(RECEIVED | SENT), Ok(RECEIVED));
/// assert_eq!(LINE.get(), 0);
/// LINE.set(RECEIVED | SENT);
/// assert_eq!(LINE.try_take_all(RECEIVED | SENT), Ok(RECEIVED | SENT));
/// LINE.set(SENT);
/// assert_eq!(LINE.clear(SENT), SENT);
///
/// async fn task() {
///     LINE.wait_all(RECEIVED | SENT).await;
///     let which = LINE.take_any(RECEIVED | SENT).await;
/// }
///
/// fn thread(this: &CurrentThread<'_>) {
///     LINE.wait_any(RECEIVED).block(this);
///     LINE.take_all(RECEIVED | SENT).block(this);
/// }
/// # let _ = (task, thread);
/// ```
///
/// # Contexts
/// Every task, interrupt task, `init` and `idle`; not kernel-free interrupts (see
/// [`sync`](crate::sync#contexts)).
///
/// # Cost
/// [`set`](Self::set) visits every waiter, one in each section of the kernel's lock. The cost of
/// all other operations doesn't depend on the number of waiters.
pub struct Flags {
    board: KernelCell<Board>,
}

/// The data that the lock guards.
struct Board {
    flags: Cell<u32>,
    waiters: WaitList<Demand<Wanted>>,
}

/// The demand of a waiter.
struct Wanted {
    /// The wanted flags. After a grant, the granted flags.
    mask: AtomicU32,
    /// The smallest number that the set flags of the mask must be. For all flags this is the mask,
    /// and for any flag 1.
    least: u32,
    /// Whether to clear the flags.
    take: bool,
}

/// The flags are not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotSet;

impl ::core::fmt::Display for NotSet {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.write_str("the flags are not set: wait for them, or try again later")
    }
}

impl ::core::error::Error for NotSet {}

impl Flags {
    /// Makes flags; those in `flags` are set.
    #[must_use]
    pub const fn new(flags: u32) -> Self {
        Self { board: KernelCell::new(Board { flags: Cell::new(flags), waiters: WaitList::new() }) }
    }

    /// Sets flags, and serves their waiters. Threads that are served run when all are served.
    #[inline]
    pub fn set(&self, flags: u32) {
        set(&self.board, flags);
    }

    /// Clears flags. Returns all flags that were set before.
    #[inline]
    pub fn clear(&self, flags: u32) -> u32 {
        kernel(|lock| {
            let own = &self.board.get(lock).flags;
            own.replace(own.get() & !flags)
        })
    }

    /// Returns the flags that are set. Another task may change them at any time.
    #[inline]
    #[must_use]
    pub fn get(&self) -> u32 {
        kernel(|lock| self.board.get(lock).flags.get())
    }

    /// Returns the flags of `mask` that are set, if any is set.
    ///
    /// # Errors
    /// [`NotSet`] if none is set.
    #[inline]
    pub fn try_any(&self, mask: u32) -> Result<u32, NotSet> {
        self.attempt(&Wanted::new(mask, false, false))
    }

    /// Returns `mask`, if all its flags are set.
    ///
    /// # Errors
    /// [`NotSet`] if one isn't set.
    #[inline]
    pub fn try_all(&self, mask: u32) -> Result<u32, NotSet> {
        self.attempt(&Wanted::new(mask, true, false))
    }

    /// Clears and returns the flags of `mask` that are set, if any is set.
    ///
    /// # Errors
    /// [`NotSet`] if none is set.
    #[inline]
    pub fn try_take_any(&self, mask: u32) -> Result<u32, NotSet> {
        self.attempt(&Wanted::new(mask, false, true))
    }

    /// Clears and returns `mask`, if all its flags are set.
    ///
    /// # Errors
    /// [`NotSet`] if one isn't set; nothing is cleared.
    #[inline]
    pub fn try_take_all(&self, mask: u32) -> Result<u32, NotSet> {
        self.attempt(&Wanted::new(mask, true, true))
    }

    /// Waits until any flag of `mask` is set. Returns the flags that are set.
    ///
    /// # Cancel safety
    /// If you drop the future, no flag changes. The future gives up its place among the waiters.
    #[inline]
    pub const fn wait_any(&self, mask: u32) -> Waiting<'_> {
        self.wait(mask, false, false)
    }

    /// Waits until all flags of `mask` are set at once.
    ///
    /// # Cancel safety
    /// If you drop the future, no flag changes. The future gives up its place among the waiters.
    #[inline]
    pub const fn wait_all(&self, mask: u32) -> Waiting<'_> {
        self.wait(mask, true, false)
    }

    /// Waits until any flag of `mask` is set. Clears and returns the flags that are set.
    ///
    /// # Cancel safety
    /// If you drop the future, no flag is cleared: flags that were granted and not yet returned are
    /// set again. The future gives up its place among the waiters.
    #[inline]
    pub const fn take_any(&self, mask: u32) -> Waiting<'_> {
        self.wait(mask, false, true)
    }

    /// Waits until all flags of `mask` are set at once, and clears them.
    ///
    /// # Cancel safety
    /// If you drop the future, no flag is cleared: flags that were granted and not yet returned are
    /// set again. The future gives up its place among the waiters.
    #[inline]
    pub const fn take_all(&self, mask: u32) -> Waiting<'_> {
        self.wait(mask, true, true)
    }

    const fn wait(&self, mask: u32, all: bool, take: bool) -> Waiting<'_> {
        let wait = Wait::new(&self.board, Demand::unknown());
        Waiting { wait, wanted: Wanted::new(mask, all, take) }
    }

    #[inline(always)]
    fn attempt(&self, wanted: &Wanted) -> Result<u32, NotSet> {
        kernel(|lock| {
            let granted = self.board.get(lock).grant(wanted);
            if granted { Ok(wanted.granted()) } else { Err(NotSet) }
        })
    }
}

impl Wanted {
    const fn new(mask: u32, all: bool, take: bool) -> Self {
        Self { mask: AtomicU32::new(mask), least: if all { mask } else { 1 }, take }
    }

    /// Returns the granted flags. For the owner, which has seen the grant, or under the lock.
    #[inline(always)]
    fn granted(&self) -> u32 {
        self.mask.load(Ordering::Relaxed)
    }
}

/// Sets flags, and serves their waiters.
#[inline]
fn set(board: &KernelCell<Board>, flags: u32) {
    let section = |lock: &KernelLock<'_>| {
        let board = board.get(lock);
        // Once: flags that are cleared during the visit stay cleared.
        board.flags.set(board.flags.get() | flags);
        // Often there is only one waiter.
        let then = match board.waiters.grant_only(lock, |demand| board.take(lock, demand)) {
            Visit::Granted(target) => SectionEnd::Wake(granted(target)),
            Visit::Again => SectionEnd::Rest(()),
            Visit::End => SectionEnd::End,
        };
        ((), then)
    };
    kernel_and_then(section, |(), _pause| serve(board));
}

/// Serves the waiters for set flags, from the first waiter on.
#[inline(never)]
fn serve(board: &KernelCell<Board>) {
    visit_all(|lock, search| {
        let board = board.get(lock);
        match board.waiters.grant_next(lock, search, |demand| board.take(lock, demand)) {
            Visit::Granted(target) => Visit::Granted(granted(target)),
            visit => visit,
        }
    });
}

/// Clears the demand of a thread that was granted its flags.
#[inline(always)]
fn granted(target: WakeTarget) -> WakeTarget {
    #[cfg(threads)]
    if let Some(thread) = target.thread() {
        thread.end_demand();
    }
    target
}

impl Board {
    /// Grants the wanted flags, if they are set.
    #[inline(always)]
    fn grant(&self, wanted: &Wanted) -> bool {
        let set = self.flags.get();
        let hits = set & wanted.mask.load(Ordering::Relaxed);
        if hits < wanted.least {
            return false;
        }
        if wanted.take {
            self.flags.set(set & !hits);
        }
        wanted.mask.store(hits, Ordering::Relaxed);
        true
    }
}

// SAFETY: there is one list; only `Wait` and `block_for` link waiters.
unsafe impl Supply for Board {
    type Demand = Demand<Wanted>;

    #[inline(always)]
    fn waiters(&self) -> &WaitList<Demand<Wanted>> {
        &self.waiters
    }

    #[inline(always)]
    fn take(&self, _lock: &KernelLock<'_>, demand: &Demand<Wanted>) -> bool {
        // SAFETY: the demand lies beside the waiter, or on the stack of the waiting thread.
        self.grant(unsafe { demand.get() })
    }

    fn give_back(this: &KernelCell<Self>, demand: &Demand<Wanted>) {
        // SAFETY: the future that owns the demand is being dropped, and still has the demand.
        let wanted = unsafe { demand.get() };
        if wanted.take {
            set(this, wanted.granted());
        }
    }
}

impl Default for Flags {
    fn default() -> Self {
        Self::new(0)
    }
}

impl ::core::fmt::Debug for Flags {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        write!(formatter, "Flags({:#010x})", self.get())
    }
}

/// The future of [`Flags::wait_any`] and the like.
#[must_use = "nothing waits until it is awaited"]
pub struct Waiting<'a> {
    /// Dropped before `wanted`.
    wait: Wait<'a, Board>,
    wanted: Wanted,
}

debug_by_name!([] Waiting<'_>: "Waiting");

impl Future for Waiting<'_> {
    type Output = u32;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u32> {
        // SAFETY: the fields are never moved out of a pinned future.
        let this = unsafe { self.get_unchecked_mut() };
        let wanted = &this.wanted;
        if this.wait.is_idle() {
            this.wait.demand().set(wanted);
        }
        // SAFETY: as above.
        let wait = unsafe { Pin::new_unchecked(&mut this.wait) };
        wait.poll(context).map(|()| wanted.granted())
    }
}

#[cfg(threads)]
impl Sealed for Waiting<'_> {}

#[cfg(threads)]
impl Operation for Waiting<'_> {
    type Output = u32;
    type Error = TimedOut;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) -> u32 {
        let Wanted { mask, least, take } = self.wanted;
        let mask = mask.into_inner();
        let wanted = || Wanted { mask: AtomicU32::new(mask), least, take };
        block_for(self.wait.into_supply(), wanted).granted()
    }

    #[cfg(feature = "time")]
    fn block_until(self, _this: &CurrentThread<'_>, deadline: Instant) -> Result<u32, TimedOut> {
        let Self { wait, wanted } = self;
        until(wait.into_supply(), Demand::new(&wanted), deadline, |_| wanted.granted())
    }
}
