//! Turns: threads of one priority that share the processor by time.
//!
//! ```text
//!   one ready ── a second becomes ready ──> timed ── the slice is over ──> the next one's turn
//!       ^                                    ^ │                                  │
//!       │                                    └─┼──────────────────────────────────┘
//!       └── one is left when a slice is over ──┘
//! ```
//!
//! Who is under a ceiling when its slice is over keeps the processor: its equals may not run. That
//! its turn is over is *noted*, and nothing is timed; as it leaves its last ceiling it goes behind
//! its equals, and a slice begins with that. (Looking again in a while would not do: one whose
//! sections come as regularly as the looks is found in one at each, and sections that are short
//! leave no time to anybody if the looks are that close.)
//!
//! Who is above its equals by a mutex when their slice is over has had its turn as well: it is
//! *above*, and as soon as it has come back to them the switch lets the next one go on.
//!
//! Who was preempted by others that are more urgent when its slice is over may have run in it, or
//! not at all. Were its turn to go on, equals would never run where others come as regularly as the
//! ends of slices; were it to end, the same could be true of itself. So about every second such end
//! ends a turn, in an order with which nothing else keeps step. Only who is under a ceiling keeps
//! its place: its equals may not run before it. What else was thought of:
//! `docs/decisions/0027-end-every-second-turn-that-others-preempt.md`.
//!
//! INVARIANT(timed): where several are ready with a priority whose threads take turns, a slice is
//! timed, or is about to be, or a turn is noted of a thread that none of them may preempt.
//!
//! INVARIANT(turns-hooked): where threads of any priority take turns, or the turn of one is noted,
//! the optional hooks are set.
//!
//! The scheduler says when a slice is to be timed, and whose turn comes; who has a timer times it.
//! Nothing is timed while nobody would take turns. What times is told by way of the list of those
//! who were woken from anywhere, with idle in it, which never awaits a wake: so it happens in the
//! switch, outside of the section that made a thread ready.
//!
//! The scheduler reaches all of this by a pointer, so that it is linked only where it is used.

#![expect(unsafe_code, reason = "threads are linked through pointers")]

use crate::core::lock::KernelLock;
use crate::core::record::{SCHEDULER, Scheduler};
#[cfg(all(feature = "time", target_os = "none"))]
use crate::core::{
    lock::{Saved, Section},
    section::SectionEnd,
};
#[cfg(feature = "time")]
use {
    super::deferred_wakes,
    crate::arch::switch,
    crate::core::kernel_cell::KernelCell,
    crate::core::lock::kernel,
    crate::core::record::scheduler::{IDLE, OptionalHooks},
    crate::core::record::{ThreadBlock, priority::bit_of},
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
    /// The thread that runs is under a ceiling, and its turn ends with that: nothing is to be timed
    /// until then.
    Held,
    /// Others run, that are more urgent, or are in this ring by a ceiling alone: the turn goes on
    /// behind them, or the next one's.
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
    /// Who was above its equals by a mutex when their slice was over, and has not come back.
    above: Cell<*const ThreadBlock>,
    /// Says whether the turn of one who was preempted ends. Another one each time.
    number: Cell<u32>,
}

// SAFETY: the pointer is compared only.
#[cfg(feature = "time")]
unsafe impl Send for Slicing {}

#[cfg(feature = "time")]
static SLICING: KernelCell<Slicing> = KernelCell::new(Slicing {
    turning: Cell::new(0),
    time_slices: Cell::new(None),
    above: Cell::new(ptr::null()),
    number: Cell::new(0),
});

/// The first of those [numbers](Slicing::number), and what is added to a multiple of one for the
/// next.
#[cfg(feature = "time")]
const STEP: u32 = 1_013_904_223;

/// What the scheduler calls where threads take turns.
#[cfg(feature = "time")]
static HOOKS: OptionalHooks = OptionalHooks {
    #[cfg(not(processes))]
    wake_all: wake_all_and_time,
    #[cfg(processes)]
    wake_all: crate::arch::process::change::wake_time_and_change,
    #[cfg(target_os = "none")]
    note_second_and_release: turn_by_time_and_release,
    note_second: turn_by_time,
    look_at_slices,
};

impl Scheduler {
    /// Lets the priorities with these bits take turns, which `time_slices` times. Looks at once.
    #[cfg(feature = "time")]
    pub(crate) fn take_turns(&self, bits: u32, time_slices: fn(), lock: &KernelLock<'_>) {
        self.hooks_word().store(ptr::from_ref(&HOOKS).cast_mut(), Ordering::Relaxed);
        let slicing = SLICING.get(lock);
        slicing.time_slices.set(Some(time_slices));
        slicing.number.set(STEP);
        self.sliced.set(bits);
        // Some may be ready already.
        slicing.turning.set(bits);
        look_at_slices();
    }

    /// Whether the slice of a priority is to be timed. Where nobody is to take a turn, no longer.
    #[cfg(feature = "time")]
    pub(crate) fn keeps_turning(&self, bit: u32, lock: &KernelLock<'_>) -> bool {
        let slicing = SLICING.get(lock);
        let turning = slicing.turning.get();
        if turning & bit != 0 && self.first_of_several(bit).is_none() {
            slicing.turning.set(turning & !bit);
            return false;
        }
        turning & bit != 0
    }

    /// Ends the turn of the running thread, if it was [above](Slicing::above) the others of the
    /// priority with this bit when their slice was over, and is one of them again. Whether another
    /// turn has begun by that.
    #[cfg(feature = "time")]
    pub(crate) fn end_turn_above(&self, bit: u32, lock: &KernelLock<'_>) -> bool {
        let running = self.running();
        running.bit.get() == bit
            && ptr::eq(SLICING.get(lock).above.get(), running)
            && self.end_slice(bit, lock) == Turn::Next
    }

    /// Ends the slice of a priority. The caller times the next one.
    #[cfg(feature = "time")]
    pub(crate) fn end_slice(&self, bit: u32, lock: &KernelLock<'_>) -> Turn {
        let running = self.running();
        let above = &SLICING.get(lock).above;
        let is_above =
            bit_of(running.base.get()) == bit && running.priority.get() > running.base.get();
        if is_above {
            above.set(running);
        } else if running.bit.get() == bit {
            above.set(ptr::null());
        }
        if running.is_under_ceiling() && self.has_others(running, bit) {
            // It looks whether it is promoted behind its last ceiling, where the limit is its own.
            running.promoted.set(true);
            running.set_turn_is_over(true);
            return Turn::Held;
        }
        let Some(first) = self.first_of_several(bit) else {
            let turning = &SLICING.get(lock).turning;
            turning.set(turning.get() & !bit);
            return Turn::Alone;
        };
        if !ptr::eq(first, running) || running.is_under_ceiling() {
            if !is_above && running.bit.get() != bit {
                self.end_turn_or_not(first, lock);
            }
            return Turn::Preempted;
        }
        running.set_turn_is_over(false);
        self.queue[first.slot()].set(first.next.get().as_ptr());
        switch::pend();
        Turn::Next
    }

    /// Ends the turn of the first of a ring, which more urgent ones have preempted, or doesn't.
    #[cfg(feature = "time")]
    fn end_turn_or_not(&self, first: &ThreadBlock, lock: &KernelLock<'_>) {
        let number = &SLICING.get(lock).number;
        number.set(number.get().wrapping_mul(1_664_525).wrapping_add(STEP));
        if number.get() > u32::MAX / 2 && !first.is_under_ceiling() {
            self.queue[first.slot()].set(first.next.get().as_ptr());
        }
    }

    /// Ends the turn of the running thread, if that is noted: it has left its last ceiling, and is
    /// the first of its ring. The caller looks whether a switch is due.
    #[cfg(feature = "time")]
    pub(super) fn end_turn(&self, running: &ThreadBlock) {
        if self.forget_turn(running) && self.sliced.get() & running.bit.get() != 0 {
            self.queue[running.slot()].set(running.next.get().as_ptr());
        }
    }

    /// Forgets that a thread's turn is over, if that is noted: whether it was. INVARIANT(timed):
    /// the switch times the slice of those who are ready, if there are several.
    #[cfg(feature = "time")]
    pub(super) fn forget_turn(&self, control: &ThreadBlock) -> bool {
        let is_over = control.turn_is_over();
        if is_over {
            self.let_others_turn(control);
            control.set_turn_is_over(false);
        }
        is_over
    }

    /// A thread goes to another ring. INVARIANT(timed): if it is noted that its turn is over, those
    /// whom it leaves may run before it leaves its ceiling.
    #[cfg(feature = "time")]
    pub(super) fn let_others_turn(&self, control: &ThreadBlock) {
        if control.turn_is_over() {
            // SAFETY: INVARIANT(turns-hooked).
            (unsafe { self.hooks_in_use() }.look_at_slices)();
        }
    }

    /// Whether others than the running thread are ready with the priority with this bit, and it has
    /// that too, in whichever ring it is.
    #[cfg(feature = "time")]
    fn has_others(&self, running: &ThreadBlock, bit: u32) -> bool {
        if bit_of(running.priority.get()) != bit {
            false
        } else if running.bit.get() == bit {
            running.next.get() != running.own()
        } else {
            self.ready.get() & bit != 0
        }
    }

    /// The first ready thread of the priority with this bit, if another one is ready too.
    #[cfg(feature = "time")]
    fn first_of_several(&self, bit: u32) -> Option<&ThreadBlock> {
        if self.ready.get() & bit == 0 {
            return None;
        }
        // SAFETY: where a bit is set there is a ready thread.
        let first = unsafe { &*self.queue[bit.leading_zeros() as usize].get() };
        (first.next.get() != first.own()).then_some(first)
    }
}

/// Notes that a thread has become ready behind another one of the priority with this bit, whose
/// threads take turns.
#[cold]
pub(super) fn note_second(bit: u32, lock: &KernelLock<'_>) {
    // SAFETY: INVARIANT(turns-hooked).
    (unsafe { SCHEDULER.hooks_in_use() }.note_second)(bit, lock.again());
}

/// What that calls.
#[cfg(feature = "time")]
#[expect(clippy::needless_pass_by_value, reason = "a reference would be a word")]
fn turn_by_time(bit: u32, lock: KernelLock<'_>) {
    if begins_to_turn(bit, &lock) {
        look_at_slices();
    }
}

/// What the assembly calls behind having put a thread behind others which take turns. Ends the
/// section, and lets the switch look behind it, before another thread runs.
#[cfg(all(feature = "time", target_os = "none"))]
unsafe extern "C" fn turn_by_time_and_release(control: &ThreadBlock, saved: Saved) {
    // SAFETY: the caller holds the lock, and hands it over.
    let section = unsafe { Section::taken_over(saved) };
    let begins = begins_to_turn(control.bit.get(), &section);
    let then = if begins { SectionEnd::Rest(()) } else { SectionEnd::End };
    section.finish(then, |(), _pause| look_at_slices());
}

/// Lets the slices of the priority with this bit be timed, unless they are. Whether the switch has
/// to look.
#[cfg(feature = "time")]
#[inline(always)]
fn begins_to_turn(bit: u32, lock: &KernelLock<'_>) -> bool {
    let slicing = SLICING.get(lock);
    let turning = slicing.turning.get();
    slicing.turning.set(turning | bit);
    turning & bit == 0 || !slicing.above.get().is_null()
}

/// Lets the switch look which slices are to be timed, and aren't. Under the lock, or where no other
/// thread runs meanwhile: INVARIANT(pushed-before-switch).
#[cfg(feature = "time")]
fn look_at_slices() {
    SCHEDULER.push_deferred(&IDLE);
    switch::pend();
}

/// Makes those ready that were woken from anywhere, and times slices if idle is among them.
#[cfg(feature = "time")]
#[unsafe(export_name = "__quintet_wake_all_and_time")]
pub extern "C" fn wake_all_and_time() {
    let mut slices = false;
    deferred_wakes::wake_each(|control| slices |= ptr::eq(control, &raw const IDLE));
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
