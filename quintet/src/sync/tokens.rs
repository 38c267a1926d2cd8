//! Tokens: a count, and those who wait for it to be above 0. What semaphores, channels, mailboxes,
//! signals and the mutex of async tasks have.
//!
//! INVARIANT(no-idle-token): somebody waits only while the count is 0. `give` hands a token to the
//! first waiter if there is one, and counts it only if there is none.

#![expect(unsafe_code, reason = "the contract of `Supply`, and sections that end with a switch")]

use ::core::cell::Cell;
#[cfg(threads)]
use ::core::hint::cold_path;

use crate::core::kernel_cell::KernelCell;
use crate::core::list::WaitList;
use crate::core::lock::KernelLock;
use crate::core::record::WakeTarget;
use crate::core::section::{Pause, SectionEnd, kernel_and_wake};
use crate::core::wait::Supply;
#[cfg(threads)]
use crate::core::{
    application::has_threads,
    lock::{Section, kernel},
    wait::block_here,
};

/// A number of tokens, up to a limit.
pub struct Tokens {
    count: Cell<u16>,
    /// 0 where no caller exceeds it.
    limit: u16,
    waiters: WaitList<()>,
}

impl Tokens {
    /// `count` tokens of at most `limit`.
    #[must_use]
    pub const fn new(count: u16, limit: u16) -> Self {
        Self { count: Cell::new(count), limit, waiters: WaitList::new() }
    }

    /// No tokens, and no limit but the callers'. All zeros: what begins so takes no room in the
    /// program's image.
    #[must_use]
    pub const fn zeros() -> Self {
        Self { count: Cell::new(0), limit: 0, waiters: WaitList::zeros() }
    }

    /// Counts the first tokens of [none](Self::zeros), which nobody waits for.
    pub fn begin(&self, _lock: &KernelLock<'_>, count: u16) {
        self.count.set(count);
    }

    /// The tokens that are nobody's.
    #[inline(always)]
    pub const fn count(&self, _lock: &KernelLock<'_>) -> u16 {
        self.count.get()
    }

    /// Takes one, if there is one.
    #[inline(always)]
    #[must_use]
    pub fn take_one(&self, _lock: &KernelLock<'_>) -> bool {
        let count = self.count.get();
        if count == 0 {
            return false;
        }
        self.count.set(count - 1);
        true
    }

    /// Gives one that was taken, or that the caller knows to be within the limit. Whom it returns
    /// is to be woken.
    #[inline(always)]
    #[must_use]
    pub fn put_back(&self, lock: &KernelLock<'_>) -> Option<WakeTarget> {
        let target = self.waiters.pop(lock);
        if target.is_none() {
            self.count.set(self.count.get().wrapping_add(1));
        }
        target
    }

    /// Counts one that was taken, or that the caller knows to be within the limit, if nobody waits
    /// for it. Otherwise the caller [hands it over](hand_over) in a section of its own: the two
    /// together would hold the lock too long.
    #[inline(always)]
    pub fn count_unless_waited(&self, lock: &KernelLock<'_>) -> SectionEnd<()> {
        if !self.waiters.is_empty(lock) {
            return SectionEnd::Rest(());
        }
        self.count.set(self.count.get().wrapping_add(1));
        SectionEnd::End
    }

    /// Gives one. Returns whether it was taken, and who is to be woken: there may already be as
    /// many as may be.
    #[inline(always)]
    #[must_use]
    pub fn give(&self, lock: &KernelLock<'_>) -> (bool, Option<WakeTarget>) {
        if let Some(target) = self.waiters.pop(lock) {
            return (true, Some(target));
        }
        let count = self.count.get();
        if count == self.limit {
            return (false, None);
        }
        self.count.set(count + 1);
        (true, None)
    }
}

/// Hands a token over that is [waited for](Tokens::count_unless_waited), behind the section that
/// found that.
#[inline]
pub fn hand_over(tokens: &KernelCell<Tokens>, pause: Pause) {
    pause.kernel_and_wake(|lock| tokens.get(lock).put_back(lock));
}

/// The same, as a function for what happens rarely. Without threads, that which gives back what a
/// dropped future was granted.
#[inline(always)]
pub fn hand_over_cold(tokens: &KernelCell<Tokens>, pause: Pause) {
    #[cfg(threads)]
    if has_threads() {
        return hand_over_between_threads(tokens, pause);
    }
    drop(pause);
    Tokens::give_back(tokens, &());
}

/// [`hand_over_cold`] where there are threads.
#[cfg(threads)]
#[cold]
#[inline(never)]
fn hand_over_between_threads(tokens: &KernelCell<Tokens>, pause: Pause) {
    hand_over(tokens, pause);
}

/// What `act` returns, for a token that the thread has: in the section in which it took one, or, if
/// it had to wait until it was granted one, in a section of its own.
///
/// For the thread that runs, and holds no ceiling.
#[cfg(threads)]
#[inline(always)]
pub fn take_and<T>(tokens: &KernelCell<Tokens>, act: impl FnOnce(&KernelLock<'_>) -> T) -> T {
    let section = Section::begin();
    if tokens.get(&section).take_one(&section) {
        let result = act(&section);
        section.end();
        return result;
    }
    block_here(tokens, section);
    kernel(act)
}

/// The same, where `take` is what takes a token that is there, and `act` is not as short: it is
/// there once, and says what is to be behind it, of which `rest` is the rest.
#[cfg(threads)]
#[inline(always)]
pub fn take_and_then<T>(
    tokens: &KernelCell<Tokens>,
    take: impl FnOnce(&KernelLock<'_>) -> bool,
    act: impl FnOnce(&KernelLock<'_>) -> (T, SectionEnd<()>),
    rest: impl FnOnce((), Pause),
) -> T {
    let mut section = Section::begin();
    if !take(&section) {
        cold_path();
        block_here(tokens, section);
        section = Section::begin();
    }
    let (result, then) = act(&section);
    section.finish(then, rest);
    result
}

// SAFETY: there is one list; `Wait` alone links waiters.
unsafe impl Supply for Tokens {
    type Demand = ();

    #[inline(always)]
    fn waiters(&self) -> &WaitList<()> {
        &self.waiters
    }

    #[inline(always)]
    fn take(&self, lock: &KernelLock<'_>, _demand: &()) -> bool {
        self.take_one(lock)
    }

    #[cold]
    #[inline(never)]
    fn give_back(this: &KernelCell<Self>, _demand: &()) {
        // It may be refused: as many as may be were given since. Only semaphores and signals get so
        // far, and a token above their limit is one that `give` wouldn't have counted either.
        let _counted = kernel_and_wake(|lock| {
            let tokens = this.get(lock);
            if tokens.limit == 0 { (true, tokens.put_back(lock)) } else { tokens.give(lock) }
        });
    }
}
