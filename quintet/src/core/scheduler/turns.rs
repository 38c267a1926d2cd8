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
//! who were woken from anywhere, with idle in it, which never awaits a wake: so it happens in the
//! switch, outside of the section that made a thread ready.
//!
//! The scheduler reaches all of this by a pointer, so that it is linked only where it is used.

#![cfg_attr(feature = "time", expect(unsafe_code, reason = "threads are linked through pointers"))]

use super::Scheduler;
#[cfg(feature = "time")]
use {
    super::{Apart, Control, IDLE, SCHEDULER, woken},
    crate::arch::switch,
    crate::core::guarded::Guarded,
    crate::core::lock::{Kernel, kernel},
    ::core::cell::Cell,
    ::core::ptr,
    ::core::sync::atomic::Ordering,
};

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

/// What slices need beside the scheduler.
#[cfg(feature = "time")]
struct Slicing {
    /// The priorities whose slices are timed now, or about to be.
    turning: Cell<u32>,
    /// What times slices.
    time_slices: Cell<Option<fn()>>,
}

#[cfg(feature = "time")]
static SLICING: Guarded<Slicing> =
    Guarded::new(Slicing { turning: Cell::new(0), time_slices: Cell::new(None) });

/// What the scheduler calls where threads take turns.
#[cfg(feature = "time")]
static APART: Apart = Apart { wake_all: wake_all_and_time, note_second };

impl Scheduler {
    /// Lets the priorities with these bits take turns, which `time_slices` times. Looks at once.
    #[cfg(feature = "time")]
    pub fn take_turns(&self, bits: u32, time_slices: fn(), lock: &Kernel<'_>) {
        self.apart_word().store(ptr::from_ref(&APART).cast_mut(), Ordering::Relaxed);
        let slicing = SLICING.get(lock);
        slicing.time_slices.set(Some(time_slices));
        self.sliced.set(bits);
        // Some may be ready already.
        slicing.turning.set(bits);
        self.wake_from_anywhere(&IDLE);
        switch::pend();
    }

    /// Notes that a thread has become ready behind another one of the priority with this bit, whose
    /// threads take turns.
    #[cold]
    pub(super) fn note_second(&self, bit: u32) {
        if let Some(apart) = self.apart() {
            (apart.note_second)(bit);
        }
    }

    /// Whether the slice of a priority is to be timed. Where nobody is to take a turn, no longer.
    #[cfg(feature = "time")]
    pub fn keeps_turning(&self, bit: u32, lock: &Kernel<'_>) -> bool {
        let slicing = SLICING.get(lock);
        let turning = slicing.turning.get();
        if turning & bit != 0 && self.first_of_several(bit).is_none() {
            slicing.turning.set(turning & !bit);
            return false;
        }
        turning & bit != 0
    }

    /// Ends the slice of a priority. The caller times the next one.
    #[cfg(feature = "time")]
    pub fn end_slice(&self, bit: u32, lock: &Kernel<'_>) -> Turn {
        let Some(first) = self.first_of_several(bit) else {
            let turning = &SLICING.get(lock).turning;
            turning.set(turning.get() & !bit);
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

/// Lets the slices of the priority with this bit be timed, unless they are.
#[cfg(feature = "time")]
fn note_second(bit: u32) {
    // SAFETY: the scheduler calls this, under the lock.
    let held = unsafe { Kernel::held() };
    let slicing = SLICING.get(&held);
    if slicing.turning.get() & bit == 0 {
        slicing.turning.set(slicing.turning.get() | bit);
        SCHEDULER.wake_from_anywhere(&IDLE);
        switch::pend();
    }
}

/// Makes those ready that were woken from anywhere, and times slices if idle is among them.
#[cfg(feature = "time")]
pub extern "C" fn wake_all_and_time() {
    let mut slices = false;
    woken::wake_each(|control| slices |= ptr::eq(control, &raw const IDLE));
    if !slices {
        return;
    }
    let time_slices = kernel(|lock| {
        let slicing = SLICING.get(lock);
        if slicing.turning.get() == 0 { None } else { slicing.time_slices.get() }
    });
    if let Some(time_slices) = time_slices {
        time_slices();
    }
}

#[cfg(all(test, feature = "time"))]
mod tests;
