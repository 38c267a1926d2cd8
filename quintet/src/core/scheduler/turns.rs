//! Turns: threads of one priority that share the processor by time.
//!
//! ```text
//!   one ready ── a second becomes ready ──> timed ── the slice is over ──> the next one's turn
//!       ^                                    ^ │                                  │
//!       │                                    └─┼──────────────────────────────────┘
//!       └── one is left when a slice is over ──┘
//! ```
//!
//! The scheduler says when a slice is to be timed, and whose turn comes; who has a timer times it.
//! Nothing is timed while nobody would take turns. What times is told by way of the list of those
//! who were unparked from anywhere, with idle in it, which is never parked: so it happens in the
//! switch, outside of the section that made a thread ready.

#![cfg_attr(feature = "time", expect(unsafe_code, reason = "threads are linked through pointers"))]

#[cfg(feature = "time")]
use ::core::ptr;

#[cfg(feature = "time")]
use super::Control;
use super::{IDLE, Scheduler};
use crate::arch::switch;
use crate::core::lock::Kernel;

/// What becomes of a priority when a slice is over.
#[cfg(feature = "time")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Turn {
    /// The next thread's turn has come: its slice is to be timed.
    Next,
    /// The thread that runs is under a ceiling: soon.
    Held,
    /// Others run, that are more urgent: the turn goes on behind them.
    Preempted,
    /// No two threads are ready any more: nothing is to be timed.
    Alone,
}

impl Scheduler {
    /// Lets the priorities with these bits take turns, which `time_slices` times. Looks at once.
    #[cfg(feature = "time")]
    pub fn take_turns(&self, bits: u32, time_slices: fn(), _lock: &Kernel<'_>) {
        self.sliced.set(bits);
        self.time_slices.set(Some(time_slices));
        // Some may be ready already.
        self.turning.set(bits);
        self.unpark_from_anywhere(&IDLE);
        switch::pend();
    }

    /// What times slices, if a priority's are to be.
    pub(super) fn time_slices(&self, _lock: &Kernel<'_>) -> Option<fn()> {
        if self.turning.get() == 0 { None } else { self.time_slices.get() }
    }

    /// Notes that a thread has become ready behind another one of the priority with this bit.
    pub(super) fn note_second(&self, bit: u32) {
        if self.sliced.get() & !self.turning.get() & bit != 0 {
            self.turning.set(self.turning.get() | bit);
            self.unpark_from_anywhere(&IDLE);
            switch::pend();
        }
    }

    /// Whether the slice of a priority is to be timed.
    #[cfg(feature = "time")]
    pub fn is_turning(&self, bit: u32, _lock: &Kernel<'_>) -> bool {
        let turning = self.turning.get();
        if turning & bit != 0 && self.first_of_several(bit).is_none() {
            self.turning.set(turning & !bit);
            return false;
        }
        turning & bit != 0
    }

    /// Ends the slice of a priority. The caller times the next one.
    #[cfg(feature = "time")]
    pub fn end_slice(&self, bit: u32, _lock: &Kernel<'_>) -> Turn {
        let Some(first) = self.first_of_several(bit) else {
            self.turning.set(self.turning.get() & !bit);
            return Turn::Alone;
        };
        if !ptr::eq(first, self.running()) {
            return Turn::Preempted;
        }
        if first.is_under_ceiling() {
            return Turn::Held;
        }
        self.queue[first.slot()].set(first.next.get().as_ptr());
        switch::pend();
        Turn::Next
    }

    /// The first ready thread of the priority with this bit, if another one is ready too.
    #[cfg(feature = "time")]
    fn first_of_several(&self, bit: u32) -> Option<&Control> {
        if self.ready.get() & bit == 0 {
            return None;
        }
        // SAFETY: where a bit is set there is a ready thread.
        let first = unsafe { &*self.queue[bit.leading_zeros() as usize].get() };
        (first.next.get() != first.own()).then_some(first)
    }
}

#[cfg(all(test, feature = "time"))]
mod tests;
