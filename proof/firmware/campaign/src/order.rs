//! The jobs of a level run one at a time, and in the order of its rounds.
//!
//! A round runs the ready slots in their order. So when a job begins, no other one that was ready
//! when its predecessor ended may have been passed over: none between the two in the same round,
//! and none behind the predecessor, or ahead of the new job, when a new round has begun.
//!
//! Which slots are ready is known for certain of wakes from contexts that the level doesn't
//! preempt: they count once the wake has returned, and the level looks before it lets go.

use portable_atomic::{AtomicU32, Ordering};

use crate::Count;

/// No job ran yet.
const NONE: u32 = u32::MAX;

/// The tasks of a level that don't end, up to 32 of them, by the order of their slots.
pub struct Order<const N: usize> {
    /// The slot whose job runs.
    running: AtomicU32,
    /// The slot whose job ran last.
    previous: AtomicU32,
    /// The slots that were ready when it ended, a bit for each, slot 0's the lowest.
    owed: AtomicU32,
    /// Wakes that have been made.
    made: [Count; N],
    /// How many of them the slot's last poll has found.
    seen: [Count; N],
}

impl<const N: usize> Order<N> {
    /// Nothing ran yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            running: AtomicU32::new(NONE),
            previous: AtomicU32::new(NONE),
            owed: AtomicU32::new(0),
            made: [const { Count::new() }; N],
            seen: [const { Count::new() }; N],
        }
    }

    /// A wake of the slot has returned, in a context that the level doesn't preempt.
    #[inline]
    pub fn woken(&self, slot: usize) {
        self.made[slot].add();
    }

    /// The slot's job begins.
    #[inline]
    pub fn begin(&self, slot: usize) {
        let running = self.running.swap(slot as u32, Ordering::Relaxed);
        assert!(running == NONE, "slot {slot} runs inside of slot {running}");
        let previous = self.previous.load(Ordering::Relaxed);
        let owed = self.owed.load(Ordering::Relaxed);
        if previous != NONE {
            let ahead = (1 << slot) - 1;
            let behind = u32::MAX << previous << 1;
            let passed = if slot as u32 > previous { ahead & behind } else { ahead | behind };
            let passed = owed & passed & !(1 << slot);
            assert!(passed == 0, "slot {slot} runs after {previous}, before {passed:#b}");
        }
        self.seen[slot].put(self.made[slot].get());
    }

    /// The slot's job ends.
    #[inline]
    pub fn end(&self, slot: usize) {
        let slots = self.made.iter().zip(&self.seen).enumerate();
        let owed = slots.fold(0, |owed, (index, (made, seen))| {
            owed | u32::from(made.get() != seen.get()) << index
        });
        self.owed.store(owed, Ordering::Relaxed);
        self.previous.store(slot as u32, Ordering::Relaxed);
        self.running.store(NONE, Ordering::Relaxed);
    }
}

impl<const N: usize> Default for Order<N> {
    fn default() -> Self {
        Self::new()
    }
}
