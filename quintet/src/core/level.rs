//! Levels: the software jobs of one priority, dispatched from one interrupt.
//!
//! ```text
//!        wake: set the slot's bit, pend the level's interrupt          from any context
//!  ready  ──────────────────────────────────────────────────>  1 0 1 1 0 ...
//!                                                                slot 0 is the highest bit
//!        round: from slot 0 on, take the next ready slot, run its job, until none is ahead
//! ```
//!
//! The round is live: a job made ready in a round runs in the same round if its slot is still
//! ahead, and in the next otherwise. So jobs run in the order of their slots, and none starves
//! another. A bit is cleared before its job runs, so that a wake during the job counts.
//!
//! A second word says which slots have something to run. Wakers may outlive their task; what they
//! set is ignored until the slot is alive again. The dispatcher looks once for all slots, instead
//! of every job for itself.
//!
//! There are three sizes, and the expansion picks by the number of jobs: [`One`], a flag;
//! [`Ready`], a word for up to 32; [`WideReady`], a word for each 32 and one that says where to
//! look. Waking and finding the next job take the same time for 2 and for 32 slots.

#![expect(unsafe_code, reason = "jobs are run through pointers")]

use ::core::sync::atomic::{AtomicBool, AtomicU32};

use crate::arch::words;

/// What the dispatcher calls for a ready slot.
pub type Job = unsafe extern "C" fn();

/// The highest bit: slot 0's.
const SLOT_0: u32 = 0x8000_0000;

/// The slots of a level, whatever their number. A slot is named by its word: its bit, or its number
/// in a wide level.
pub trait Slots: Sync {
    /// Whether a job is run only while its slot is alive. Otherwise the job has to look.
    const SELECTS_ALIVE: bool;

    /// Lets the slot's job run when it is ready. From any context.
    fn enliven(&self, word: u32);

    /// Lets the slot's job run no more. From the level's own context.
    fn retire(&self, word: u32);
}

/// Whether the only slot is ready.
///
/// There is nobody to share a word with, so setting and clearing it are plain stores.
#[repr(transparent)]
pub struct One(AtomicBool);

impl One {
    /// The slot is not ready.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Makes the slot ready. From any context.
    #[inline(always)]
    pub fn set(&self) {
        words::put_flag(&self.0, true);
    }

    /// Whether the slot is not ready.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !words::get_flag(&self.0)
    }

    /// Whether the slot was ready; it isn't any more. From the level's own context.
    ///
    /// A wake between the two accesses is not lost: the job that it asks for has yet to begin.
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

impl Slots for One {
    const SELECTS_ALIVE: bool = false;

    fn enliven(&self, _word: u32) {}

    fn retire(&self, _word: u32) {}
}

/// Which of up to 32 slots are ready.
#[repr(C)]
pub struct Ready {
    /// The slots that were woken since their job last began.
    ready: AtomicU32,
    /// The slots that have something to run. Behind `ready`: dispatchers in assembly know it.
    alive: AtomicU32,
}

impl Ready {
    /// No slot is ready; the slots with a bit in `alive` need not be [enlivened](Slots::enliven).
    #[must_use]
    pub const fn new(alive: u32) -> Self {
        Self { ready: AtomicU32::new(0), alive: AtomicU32::new(alive) }
    }

    /// The bit of `slot`, 0 to 31.
    #[must_use]
    pub const fn bit(slot: u32) -> u32 {
        SLOT_0 >> slot
    }

    /// Makes the slot of `bit` ready. From any context, also one that no mask holds off.
    #[inline(always)]
    pub fn set(&self, bit: u32) {
        words::set(&self.ready, bit);
    }

    /// Whether no job would run.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runnable() == 0
    }

    /// The slots whose jobs would run.
    #[inline(always)]
    fn runnable(&self) -> u32 {
        words::get(&self.alive) & words::get(&self.ready)
    }

    /// Takes the first slot among `ahead` whose job is to run, if there is one.
    #[inline(always)]
    fn take(&self, ahead: u32) -> Option<u32> {
        let runnable = self.runnable() & ahead;
        if runnable == 0 {
            return None;
        }
        let slot = runnable.leading_zeros();
        words::clear(&self.ready, Self::bit(slot));
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
    /// Runs jobs of several priorities until none is ready: the more urgent first, and a round at a
    /// time of those of one priority. `groups` has for each slot the bits of those of its priority.
    ///
    /// # Safety
    /// As for [`run_round`](Self::run_round).
    pub unsafe fn run_by_urgency(&self, table: &[Job], groups: &[u32]) {
        // Of every priority, the slots that are ahead in its round.
        let mut ahead = u32::MAX;
        loop {
            let runnable = self.runnable();
            let Some(group) = groups.get(runnable.leading_zeros() as usize) else { return };
            if runnable & group & ahead == 0 {
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

impl Slots for Ready {
    const SELECTS_ALIVE: bool = true;

    #[inline(always)]
    fn enliven(&self, bit: u32) {
        words::set(&self.alive, bit);
    }

    #[inline(always)]
    fn retire(&self, bit: u32) {
        words::clear(&self.alive, bit);
    }
}

/// Which of up to 32 × `WORDS` slots are ready; `WORDS` is at most 32.
pub struct WideReady<const WORDS: usize> {
    /// The words that may have a ready slot.
    summary: Ready,
    words: [Ready; WORDS],
}

impl<const WORDS: usize> WideReady<WORDS> {
    /// No slot is ready; the slots with a bit in `alive` need not be [enlivened](Slots::enliven).
    #[must_use]
    pub const fn new(alive: [u32; WORDS]) -> Self {
        const { assert!(WORDS <= 32, "a level has at most 1024 slots") };
        let mut words = [const { Ready::new(0) }; WORDS];
        let mut index = 0;
        while index < WORDS {
            words[index] = Ready::new(alive[index]);
            index += 1;
        }
        Self { summary: Ready::new(u32::MAX), words }
    }

    /// Makes `slot` ready. From any context.
    #[inline(always)]
    pub fn set(&self, slot: u32) {
        if let Some(word) = self.words.get(slot as usize / 32) {
            // In this order, and taken in the reverse order: the summary never misses a slot.
            word.set(Ready::bit(slot % 32));
            self.summary.set(Ready::bit(slot / 32));
        }
    }

    /// Whether no job would run.
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
                // All that were ready when the summary's bit was cleared run. Those that this
                // round passes were woken since, and whoever woke them sets the bit again.
                //
                // SAFETY: the caller's.
                unsafe { word.run_round(jobs) };
            }
        }
    }

    /// Runs jobs of several priorities until none is ready, as [`Ready::run_by_urgency`] does.
    /// Slots are sorted by urgency, and `ends` has for each priority the slot behind its last.
    ///
    /// # Safety
    /// As for [`Ready::run_round`].
    pub unsafe fn run_by_urgency<const PRIORITIES: usize>(
        &self,
        table: &[Job],
        ends: &[u32; PRIORITIES],
    ) {
        // Of every priority, the first slot that is ahead in its round.
        let mut ahead = [0; PRIORITIES];
        while let Some(slot) = self.take_most_urgent(&mut ahead, ends) {
            if let Some(job) = table.get(slot as usize) {
                // SAFETY: the caller's.
                unsafe { job() };
            }
        }
    }

    /// Takes the next slot of the most urgent priority that has one whose job is to run.
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

    /// Takes the first slot whose job is to run, from `first` on and before `end`. Of each word it
    /// looks at once, and at none of the summary.
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

impl<const WORDS: usize> Slots for WideReady<WORDS> {
    const SELECTS_ALIVE: bool = true;

    #[inline(always)]
    fn enliven(&self, slot: u32) {
        if let Some(word) = self.words.get(slot as usize / 32) {
            word.enliven(Ready::bit(slot % 32));
        }
    }

    #[inline(always)]
    fn retire(&self, slot: u32) {
        if let Some(word) = self.words.get(slot as usize / 32) {
            word.retire(Ready::bit(slot % 32));
        }
    }
}

#[cfg(test)]
mod tests;
