//! Levels: the software jobs of one priority, which one interrupt dispatches.
//!
//! ```text
//!        wake: set the slot's bit, pend the level's interrupt          from any context
//!  ready  ──────────────────────────────────────────────────>  1 0 1 1 0 ...
//!                                                                slot 0 is the highest bit
//!        round: from slot 0 on, take the next ready slot, run its job, until none is ahead
//! ```
//!
//! A round sees changes while the round runs: if a job becomes ready and its slot is still ahead,
//! the job runs in the same round, otherwise in the next. So jobs run in the order of their slots,
//! and no job starves another. A bit is cleared before its job runs, so that a wake during the job
//! counts.
//!
//! Wakers may outlive their task, so a job checks whether there is work for the job.
//!
//! There are four sizes, and the expansion chooses one by the number of jobs:
//!
//! - [`One`] is a flag.
//! - [`Few`] has a flag for each of up to 6 slots.
//! - [`Ready`] is a word of bits for up to 32 slots.
//! - [`WideReady`] has a word for each 32 slots, and a summary of the words.
//!
//! One store sets or clears a flag, but a bit takes an exclusive access. On the other hand, a round
//! looks at all flags. With bits, a wake and the search for the next job take the same time for any
//! number of slots.

#![expect(unsafe_code, reason = "jobs are run through pointers")]

use ::core::sync::atomic::{AtomicBool, AtomicU32};

use crate::arch::words;

/// The function that the dispatcher calls for a ready slot.
pub type Job = unsafe extern "C" fn();

/// The bit of slot 0, which is the highest bit.
const SLOT_0: u32 = 0x8000_0000;

/// The ready flag of a level with only one slot.
///
/// No other slot shares the word, so plain stores set and clear the flag.
#[repr(transparent)]
pub struct One(AtomicBool);

impl One {
    /// Makes a flag of a slot that isn't ready.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Makes the slot ready. From any context.
    #[inline(always)]
    pub fn set(&self) {
        words::put_flag(&self.0, true);
    }

    /// Returns `true` if the slot isn't ready.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !words::get_flag(&self.0)
    }

    /// Clears the flag. Returns whether the slot was ready. From the level's own context.
    ///
    /// A wake between the two accesses is not lost: the job that the wake asks for has yet to
    /// begin.
    #[inline(always)]
    #[must_use]
    pub fn take(&self) -> bool {
        let ready = words::get_flag(&self.0);
        if ready {
            words::put_flag(&self.0, false);
        }
        ready
    }
}

impl Default for One {
    fn default() -> Self {
        Self::new()
    }
}

/// Makes the slot of a flag ready. For wakers whose word is the flag's address.
///
/// # Safety
/// The word is the address of a [`One`] of a static.
#[inline(always)]
pub unsafe fn set_flag(flag: *const ()) {
    // SAFETY: the caller's.
    unsafe { (*flag.cast::<One>()).set() };
}

/// The ready flags of a few slots.
///
/// As for [`One`], plain stores set and clear the flags. A round looks at one flag after the other,
/// each when its turn comes. The round calls the jobs by their names, so that the compiler can
/// inline the jobs.
#[repr(transparent)]
pub struct Few<const SLOTS: usize>([One; SLOTS]);

impl<const SLOTS: usize> Few<SLOTS> {
    /// Makes the flags of slots that aren't ready.
    #[must_use]
    pub const fn new() -> Self {
        Self([const { One::new() }; SLOTS])
    }

    /// Returns the slots' flags, by which wakers name the slots.
    #[must_use]
    pub const fn flags(&self) -> &[One] {
        &self.0
    }

    /// Makes `slot` ready. From any context.
    #[inline(always)]
    pub fn set(&self, slot: u32) {
        if let Some(flag) = self.0.get(slot as usize) {
            flag.set();
        }
    }

    /// Returns `true` if no slot is ready.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(One::is_empty)
    }

    /// Clears the flag of `slot`. Returns whether the slot was ready. From the level's own context.
    #[inline(always)]
    #[must_use]
    pub fn take(&self, slot: u32) -> bool {
        self.0.get(slot as usize).is_some_and(One::take)
    }
}

impl<const SLOTS: usize> Default for Few<SLOTS> {
    fn default() -> Self {
        Self::new()
    }
}

/// The ready bits of up to 32 slots. A slot is ready if it was woken since its job last began.
#[repr(transparent)]
pub struct Ready(AtomicU32);

impl Ready {
    /// Makes the bits of slots that aren't ready.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Returns the bit of `slot`, 0 to 31.
    #[must_use]
    pub const fn bit(slot: u32) -> u32 {
        SLOT_0 >> slot
    }

    /// Makes the slot of `bit` ready. From any context, even one that no mask holds off.
    #[inline(always)]
    pub fn set(&self, bit: u32) {
        words::set(&self.0, bit);
    }

    /// Returns `true` if no slot is ready.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        words::get(&self.0) == 0
    }

    /// Takes the first ready slot among `ahead`, if there is one.
    #[inline(always)]
    fn take(&self, ahead: u32) -> Option<u32> {
        let ready = words::get(&self.0) & ahead;
        if ready == 0 {
            return None;
        }
        let slot = ready.leading_zeros();
        words::clear(&self.0, Self::bit(slot));
        Some(slot)
    }

    /// Runs the jobs of one round.
    ///
    /// # Safety
    /// Called from the level's own context only, never nested; the jobs of `table` may run there.
    #[inline(always)]
    pub unsafe fn run_round(&self, table: &[Job]) {
        let mut ahead = u32::MAX;
        while let Some(slot) = self.take(ahead) {
            ahead = Self::bit(slot) - 1;
            if let Some(job) = table.get(slot as usize) {
                // SAFETY: the caller's.
                unsafe { job() };
            }
        }
    }
}

impl Ready {
    /// Runs jobs of several priorities until none is ready: the more urgent jobs first, and jobs of
    /// one priority in rounds. For each slot, `groups` has the bits of all slots of the same
    /// priority.
    ///
    /// # Safety
    /// As for [`run_round`](Self::run_round).
    pub unsafe fn run_by_urgency(&self, table: &[Job], groups: &[u32]) {
        // For every priority, the slots that are ahead in the round of this priority.
        let mut ahead = u32::MAX;
        loop {
            let ready = words::get(&self.0);
            let Some(group) = groups.get(ready.leading_zeros() as usize) else { return };
            if ready & group & ahead == 0 {
                ahead |= group;
            }
            let Some(slot) = self.take(group & ahead) else { continue };
            ahead &= !group | (Self::bit(slot) - 1);
            if let Some(job) = table.get(slot as usize) {
                // SAFETY: the caller's.
                unsafe { job() };
            }
        }
    }
}

impl Default for Ready {
    fn default() -> Self {
        Self::new()
    }
}

/// The ready bits of up to 32 × `WORDS` slots; `WORDS` is at most 32.
pub struct WideReady<const WORDS: usize> {
    /// The words that may have a ready slot.
    summary: Ready,
    words: [Ready; WORDS],
}

impl<const WORDS: usize> WideReady<WORDS> {
    /// Makes the bits of slots that aren't ready.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(WORDS <= 32, "a level has at most 1024 slots") };
        Self { summary: Ready::new(), words: [const { Ready::new() }; WORDS] }
    }

    /// Makes `slot` ready. From any context.
    #[inline(always)]
    pub fn set(&self, slot: u32) {
        if let Some(word) = self.words.get(slot as usize / 32) {
            // In this order, and taken in the reverse order, so that the summary never misses a
            // slot.
            word.set(Ready::bit(slot % 32));
            self.summary.set(Ready::bit(slot / 32));
        }
    }

    /// Returns `true` if no slot is ready.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(Ready::is_empty)
    }

    /// Runs the jobs of one round.
    ///
    /// # Safety
    /// As for [`Ready::run_round`].
    pub unsafe fn run_round(&self, table: &[Job]) {
        let mut ahead = u32::MAX;
        while let Some(index) = self.summary.take(ahead) {
            ahead = Ready::bit(index) - 1;
            let first = 32 * index as usize;
            if let (Some(word), Some(jobs)) = (self.words.get(index as usize), table.get(first..)) {
                // This runs all jobs that were ready when the summary's bit was cleared. A slot
                // that this round passes was woken since, and that wake sets the summary's bit
                // again.
                //
                // SAFETY: the caller's.
                unsafe { word.run_round(jobs) };
            }
        }
    }

    /// Runs jobs of several priorities until none is ready, as [`Ready::run_by_urgency`] does.
    /// Slots are sorted by urgency. For each priority, `ends` has the slot behind the last slot of
    /// this priority.
    ///
    /// # Safety
    /// As for [`Ready::run_round`].
    pub unsafe fn run_by_urgency<const PRIORITIES: usize>(
        &self,
        table: &[Job],
        ends: &[u32; PRIORITIES],
    ) {
        // For every priority, the first slot that is ahead in the round of this priority.
        let mut ahead = [0; PRIORITIES];
        while let Some(slot) = self.take_most_urgent(&mut ahead, ends) {
            if let Some(job) = table.get(slot as usize) {
                // SAFETY: the caller's.
                unsafe { job() };
            }
        }
    }

    /// Takes the next ready slot of the most urgent priority that has a ready slot.
    fn take_most_urgent(&self, ahead: &mut [u32], ends: &[u32]) -> Option<u32> {
        let mut first = 0;
        for (ahead, end) in ahead.iter_mut().zip(ends) {
            let in_round = self.take_between((*ahead).max(first), *end);
            if let Some(slot) = in_round.or_else(|| self.take_between(first, *end)) {
                *ahead = slot + 1;
                return Some(slot);
            }
            first = *end;
        }
        None
    }

    /// Takes the first ready slot from `first` on and before `end`. Looks at each word once, and
    /// not at the summary.
    fn take_between(&self, first: u32, end: u32) -> Option<u32> {
        let mut from = first;
        while from < end {
            let index = from / 32;
            let behind = u32::MAX.checked_shr(end - 32 * index).unwrap_or(0);
            let ahead = u32::MAX >> (from % 32) & !behind;
            if let Some(slot) = self.words.get(index as usize)?.take(ahead) {
                return Some(32 * index + slot);
            }
            from = 32 * (index + 1);
        }
        None
    }
}

impl<const WORDS: usize> Default for WideReady<WORDS> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
