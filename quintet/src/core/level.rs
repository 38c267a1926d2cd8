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
//! Waking and finding the next job take the same time for 1 and for 32 slots. A level of more
//! than 32 has a word for each 32, and one that says which of them to look at.

#![expect(unsafe_code, reason = "jobs are run through pointers")]

use ::core::sync::atomic::{AtomicU32, Ordering};

use crate::arch::words;

/// What the dispatcher calls for a ready slot.
pub type Job = unsafe extern "C" fn();

/// The highest bit: slot 0's.
const SLOT_0: u32 = 0x8000_0000;

/// Which of up to 32 slots are ready.
#[repr(transparent)]
pub struct Ready(AtomicU32);

impl Ready {
    /// No slot is ready.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// The bit of `slot`, 0 to 31.
    #[must_use]
    pub const fn bit(slot: u32) -> u32 {
        SLOT_0 >> slot
    }

    /// Makes the slot of `bit` ready. From any context, also one that no mask holds off.
    #[inline(always)]
    pub fn set(&self, bit: u32) {
        words::set(&self.0, bit);
    }

    /// Whether no slot is ready.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Takes the first ready slot among `ahead`, if there is one.
    #[inline(always)]
    fn take(&self, ahead: u32) -> Option<u32> {
        let ready = self.0.load(Ordering::Relaxed) & ahead;
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

/// Which of up to 32 × `WORDS` slots are ready; `WORDS` is at most 32.
pub struct WideReady<const WORDS: usize> {
    /// Which words may have a ready slot.
    summary: Ready,
    words: [Ready; WORDS],
}

impl<const WORDS: usize> WideReady<WORDS> {
    /// No slot is ready.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(WORDS <= 32, "a level has at most 1024 slots") };
        Self { summary: Ready::new(), words: [const { Ready::new() }; WORDS] }
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

    /// Whether no slot is ready.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.summary.is_empty()
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
                // SAFETY: the caller's.
                unsafe { word.run_round(jobs) };
                if !word.is_empty() {
                    // Jobs behind the present one are for the next round.
                    self.summary.set(Ready::bit(index));
                }
            }
        }
    }
}
