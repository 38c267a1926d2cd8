//! Tokens: a count, and the waiters for a count above 0. Part of semaphores, channels, mailboxes,
//! signals and the mutex of async tasks.
//!
//! INVARIANT(no-idle-token): there are waiters only while the count is 0. `give` hands a token to
//! the first waiter if there is one, and counts the token only if there is none.

#![expect(unsafe_code, reason = "the contract of `Supply`, and sections that end with a switch")]

use ::core::cell::Cell;
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
    /// 0 if no caller exceeds a limit.
    limit: u16,
    waiters: WaitList<()>,
}

impl Tokens {
    /// Makes `count` tokens of at most `limit`.
    #[must_use]
    pub const fn new(count: u16, limit: u16) -> Self {
        Self { count: Cell::new(count), limit, waiters: WaitList::new() }
    }

    /// Makes no tokens, without a limit but the callers'. All zeros: an object that begins so takes
    /// no room in the program's image.
    #[must_use]
    pub const fn zeros() -> Self {
        Self { count: Cell::new(0), limit: 0, waiters: WaitList::zeros() }
    }

    /// Counts the first tokens after [`zeros`](Self::zeros), for which no context waits.
    pub fn begin(&self, _lock: &KernelLock<'_>, count: u16) {
        self.count.set(count);
    }

    /// Returns the number of tokens that belong to no context.
    #[inline(always)]
    pub const fn count(&self, _lock: &KernelLock<'_>) -> u16 {
        self.count.get()
    }

    /// Takes a token, if there is one.
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

    /// Gives a token that was taken, or that the caller knows to be within the limit. The caller
    /// wakes the returned target.
    #[inline(always)]
    #[must_use]
    pub fn put_back(&self, lock: &KernelLock<'_>) -> Option<WakeTarget> {
        let target = self.waiters.pop(lock);
        if target.is_none() {
            self.count.set(self.count.get().wrapping_add(1));
        }
        target
    }

    /// Counts a token that was taken, or that the caller knows to be within the limit, if there is
    /// no waiter. Otherwise the caller [hands the token over](hand_over) in a separate section:
    /// both together would hold the lock too long.
    #[inline(always)]
    pub fn count_unless_waited(&self, lock: &KernelLock<'_>) -> SectionEnd<()> {
        if !self.waiters.is_empty(lock) {
            return SectionEnd::Rest(());
        }
        self.count.set(self.count.get().wrapping_add(1));
        SectionEnd::End
    }

    /// Gives a token. Returns whether the token was accepted, and the target to wake. A token above
    /// the limit is not accepted.
    #[inline(always)]
    #[must_use]
    pub fn give(&self, lock: &KernelLock<'_>) -> (bool, Option<WakeTarget>) {
        if let Some(target) = self.waiters.pop(lock) {
            cold_path();
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

/// Hands a token over to a [waiter](Tokens::count_unless_waited), after the section that found this
/// waiter.
#[inline]
pub fn hand_over(tokens: &KernelCell<Tokens>, pause: Pause) {
    pause.kernel_and_wake(|lock| tokens.get(lock).put_back(lock));
}

/// As [`hand_over`], as a separate function for rare callers. Without threads, this is the function
/// that gives back the grant of a dropped future.
#[inline(always)]
pub fn hand_over_cold(tokens: &KernelCell<Tokens>, pause: Pause) {
    #[cfg(threads)]
    if has_threads() {
        return hand_over_between_threads(tokens, pause);
    }
    drop(pause);
    Tokens::give_back(tokens, &());
}

/// [`hand_over_cold`] with threads.
#[cfg(threads)]
#[cold]
#[inline(never)]
fn hand_over_between_threads(tokens: &KernelCell<Tokens>, pause: Pause) {
    hand_over(tokens, pause);
}

/// Returns the result of `act`, for a token that the thread has. `act` runs in the section that
/// took the token. If the thread had to wait for the token, `act` runs in a separate section.
///
/// The running thread must not hold a ceiling.
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

/// As [`take_and`]. `take` takes a present token. `act` is longer, so there is only one copy of it;
/// it returns how its section ends, and `rest` is the rest.
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

// SAFETY: there is one list; only `Wait` links waiters.
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
        // The token may be refused, if the limit was reached meanwhile. This happens only with
        // semaphores and signals, and a token above their limit is one that `give` would not have
        // counted either.
        let _counted = kernel_and_wake(|lock| {
            let tokens = this.get(lock);
            if tokens.limit == 0 { (true, tokens.put_back(lock)) } else { tokens.give(lock) }
        });
    }
}
