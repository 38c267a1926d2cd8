//! Turns: threads of one priority that share the processor by time.
//!
//! ```text
//!   one ready ── a second becomes ready ──> timed ── the slice is over ──> the next one's turn
//!       ^                                    ^ │                                  │
//!       │                                    └─┼──────────────────────────────────┘
//!       └── one is left when a slice is over ──┘
//! ```
//!
//! If a slice expires while its thread is under a ceiling, the thread keeps the processor, as
//! threads of the same priority may not run. The end of the turn is *noted*, and nothing is timed.
//! When the thread leaves its last ceiling, the thread goes behind the others of its priority, and
//! a slice begins. (It would not be enough to look again later. If the thread's sections keep step
//! with these looks, each look finds the thread in a section. And if the looks are so close that
//! they find the gaps between short sections, they leave no time to any thread.)
//!
//! If a slice expires while a mutex raises its thread above the priority of the slice, the thread
//! has had its turn too. The thread is *above*. As soon as the thread is back at this priority, the
//! switch lets the next thread run.
//!
//! If a slice expires while more urgent threads preempt its thread, the thread may have run in the
//! slice, or not at all. If its turn always went on, threads of the same priority would never run
//! when more urgent threads keep step with the slices. If its turn always ended, the same could
//! happen to the thread itself. So about every second such slice ends a turn, in an order with
//! which nothing else keeps step. Only a thread under a ceiling keeps its place, as threads of the
//! same priority may not run before it. For the alternatives see
//! `docs/decisions/0027-end-every-second-turn-that-others-preempt.md`.
//!
//! INVARIANT(timed): if several threads are ready with a priority whose threads take turns, then a
//! slice is timed or about to be timed, or the end of a turn is noted for a thread that none of
//! them may preempt.
//!
//! INVARIANT(turns-hooked): if threads of any priority take turns, or the end of a turn is noted,
//! the optional hooks are set.
//!
//! The scheduler decides when a slice has to be timed, and which thread's turn comes; code with a
//! timer times the slice. Nothing is timed while no thread would take a turn. The request to time
//! slices is an entry for idle, which never awaits a wake, in the list of threads that were woken
//! from any context. So slices are timed in the switch, outside of the section that made a thread
//! ready.
//!
//! The scheduler calls this code by a pointer, so that the code is linked only if it is used.

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

/// The result of the end of a slice, for its priority.
#[cfg(feature = "time")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Turn {
    /// The next thread's turn has come: its slice has to be timed.
    Next,
    /// The running thread is under a ceiling, and its turn ends with the ceiling. Until then
    /// nothing has to be timed.
    Held,
    /// Other threads run, which are more urgent, or are in this ring only by a ceiling. After them,
    /// the turn goes on, or the next turn begins.
    Preempted,
    /// At most one thread is ready. Nothing has to be timed.
    Alone,
}

/// The values that slices need beside the scheduler.
#[cfg(feature = "time")]
struct Slicing {
    /// The priorities whose slices are timed now, or are about to be timed.
    turning: Cell<u32>,
    /// The function that times slices.
    time_slices: Cell<Option<fn()>>,
    /// The thread that was above its priority, by a mutex, when the slice expired, and has not come
    /// back.
    above: Cell<*const ThreadBlock>,
    /// A number that says whether the turn of a preempted thread ends. It changes each time.
    number: Cell<u32>,
}

// SAFETY: the pointer is only compared.
#[cfg(feature = "time")]
unsafe impl Send for Slicing {}

#[cfg(feature = "time")]
static SLICING: KernelCell<Slicing> = KernelCell::new(Slicing {
    turning: Cell::new(0),
    time_slices: Cell::new(None),
    above: Cell::new(ptr::null()),
    number: Cell::new(0),
});

/// The first of the [numbers](Slicing::number). Also the summand that makes the next number from a
/// multiple of the last.
#[cfg(feature = "time")]
const STEP: u32 = 1_013_904_223;

/// The hooks of applications whose threads take turns.
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
    /// Lets threads of the priorities with these bits take turns, which `time_slices` times.
    /// Threads that are ready already take turns at once.
    #[cfg(feature = "time")]
    pub(crate) fn take_turns(&self, bits: u32, time_slices: fn(), lock: &KernelLock<'_>) {
        self.hooks_word().store(ptr::from_ref(&HOOKS).cast_mut(), Ordering::Relaxed);
        let slicing = SLICING.get(lock);
        slicing.time_slices.set(Some(time_slices));
        slicing.number.set(STEP);
        self.sliced.set(bits);
        // Some threads may be ready already.
        slicing.turning.set(bits);
        look_at_slices();
    }

    /// Returns `true` if the slice of a priority has to be timed. If no thread would take a turn,
    /// clears the priority's bit in `turning`.
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

    /// Ends the turn of the running thread, if the thread was [above](Slicing::above) the priority
    /// with this bit when the slice expired, and is back at this priority. Returns `true` if
    /// another turn has begun by this.
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
            // After its last ceiling, where the limit is the thread's own, the thread looks at
            // `promoted`.
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
            if !is_above && running.bit.get() != bit && !running.moves() {
                self.end_turn_or_not(first, lock);
            }
            return Turn::Preempted;
        }
        running.set_turn_is_over(false);
        self.queue[first.slot()].set(first.next.get().as_ptr());
        switch::pend();
        Turn::Next
    }

    /// Ends the turn of the first thread of a ring, which more urgent threads have preempted, about
    /// every second time.
    #[cfg(feature = "time")]
    fn end_turn_or_not(&self, first: &ThreadBlock, lock: &KernelLock<'_>) {
        let number = &SLICING.get(lock).number;
        number.set(number.get().wrapping_mul(1_664_525).wrapping_add(STEP));
        if number.get() > u32::MAX / 2 && !first.is_under_ceiling() {
            self.queue[first.slot()].set(first.next.get().as_ptr());
        }
    }

    /// Ends the turn of the running thread, if this end is noted. The thread has left its last
    /// ceiling, and is the first of its ring. The caller checks whether a switch is due.
    #[cfg(feature = "time")]
    pub(super) fn end_turn(&self, running: &ThreadBlock) {
        if self.forget_turn(running) && self.sliced.get() & running.bit.get() != 0 {
            self.queue[running.slot()].set(running.next.get().as_ptr());
        }
    }

    /// Clears the note that a thread's turn is over. Returns whether this was noted.
    /// INVARIANT(timed): the switch times the slice of the ready threads, if there are several.
    #[cfg(feature = "time")]
    pub(super) fn forget_turn(&self, control: &ThreadBlock) -> bool {
        let is_over = control.turn_is_over();
        if is_over {
            self.let_others_turn(control);
            control.set_turn_is_over(false);
        }
        is_over
    }

    /// Lets the switch time the slices of a ring that a thread leaves for another ring.
    /// INVARIANT(timed): if the end of the thread's turn is noted, the threads that stay in the
    /// ring may run before the thread leaves its ceiling.
    #[cfg(feature = "time")]
    pub(super) fn let_others_turn(&self, control: &ThreadBlock) {
        if control.turn_is_over() {
            // SAFETY: INVARIANT(turns-hooked).
            (unsafe { self.hooks_in_use() }.look_at_slices)();
        }
    }

    /// Returns `true` if the running thread has the priority with this bit, in whichever ring the
    /// thread is, and other threads of this priority are ready.
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

    /// Returns the first ready thread of the priority with this bit, if another one is ready too.
    #[cfg(feature = "time")]
    fn first_of_several(&self, bit: u32) -> Option<&ThreadBlock> {
        if self.ready.get() & bit == 0 {
            return None;
        }
        // SAFETY: each set bit has a ready thread.
        let first = unsafe { &*self.queue[bit.leading_zeros() as usize].get() };
        (first.next.get() != first.own()).then_some(first)
    }
}

/// Notes that a thread has become ready behind another thread of the priority with this bit, in
/// which threads take turns.
#[cold]
pub(super) fn note_second(bit: u32, lock: &KernelLock<'_>) {
    // SAFETY: INVARIANT(turns-hooked).
    (unsafe { SCHEDULER.hooks_in_use() }.note_second)(bit, lock.again());
}

/// The function behind [`note_second`].
#[cfg(feature = "time")]
#[expect(clippy::needless_pass_by_value, reason = "a reference would be a word")]
fn turn_by_time(bit: u32, lock: KernelLock<'_>) {
    if begins_to_turn(bit, &lock) {
        look_at_slices();
    }
}

/// Notes that a thread was put behind others that take turns; the assembly calls this. Ends the
/// section. The switch then looks at the slices before another thread runs.
#[cfg(all(feature = "time", target_os = "none"))]
unsafe extern "C" fn turn_by_time_and_release(control: &ThreadBlock, saved: Saved) {
    // SAFETY: the caller holds the lock, and hands it over.
    let section = unsafe { Section::taken_over(saved) };
    let begins = begins_to_turn(control.bit.get(), &section);
    let then = if begins { SectionEnd::Rest(()) } else { SectionEnd::End };
    section.finish(then, |(), _pause| look_at_slices());
}

/// Notes that the slices of the priority with this bit are timed. Returns `true` if the switch has
/// to look at the slices.
#[cfg(feature = "time")]
#[inline(always)]
fn begins_to_turn(bit: u32, lock: &KernelLock<'_>) -> bool {
    let slicing = SLICING.get(lock);
    let turning = slicing.turning.get();
    slicing.turning.set(turning | bit);
    turning & bit == 0 || !slicing.above.get().is_null()
}

/// Lets the switch time the slices that have to be timed and aren't timed yet. Call this under the
/// lock, or while no other thread runs: INVARIANT(pushed-before-switch).
#[cfg(feature = "time")]
fn look_at_slices() {
    SCHEDULER.push_deferred(&IDLE);
    switch::pend();
}

/// Wakes the threads that were woken from any context, and times slices if idle is among them.
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
