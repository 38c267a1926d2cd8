//! The scheduler's part of a switch that is only the exchange of stacks: each function decides
//! which thread runs, makes it the running one, and returns it. The switch calls these functions
//! with the lock held, in a section that found 0 at its beginning, and ends the section.

#![expect(unsafe_code, reason = "the switch hands the lock over, and calls by symbols")]

use ::core::ptr;
use ::core::sync::atomic::Ordering;

use super::switch;
use crate::arch::device::Switch;
use crate::core::lock::{KernelLock, Saved, Section};
use crate::core::record::{SCHEDULER, Scheduler, ThreadBlock};

/// Returns the proof of a section that stays open.
///
/// # Safety
/// The lock is held, and the caller doesn't use the proof after it.
pub unsafe fn held<R>(body: impl FnOnce(&KernelLock<'_>) -> R) -> R {
    // SAFETY: the caller's; the section isn't ended here.
    let section = unsafe { Section::taken_over(0) };
    let result = body(&section);
    let _handed_back = section.into_saved();
    result
}

/// Makes a thread ready, and ends the section.
///
/// # Safety
/// The lock is held, since a section that found `saved` at its beginning, and is handed over.
#[unsafe(export_name = "__quintet_make_ready_and_release")]
unsafe extern "C" fn make_ready_and_release(thread: &ThreadBlock, saved: Saved) {
    // SAFETY: the caller's.
    let section = unsafe { Section::taken_over(saved) };
    SCHEDULER.make_ready(thread, &section);
    section.end();
}

/// Makes a thread ready. Returns the thread that runs now, or null if the running one goes on:
/// then a switch that has become due is pended.
///
/// # Safety
/// The lock is held, by a thread or idle.
#[unsafe(export_name = "__quintet_make_ready_and_select")]
unsafe extern "C" fn make_ready_and_select(thread: &ThreadBlock) -> *const ThreadBlock {
    // SAFETY: the caller's.
    unsafe {
        held(|lock| {
            SCHEDULER.enter(thread, lock);
            let (running, first) = (SCHEDULER.running(), SCHEDULER.first());
            let is_idle = running.priority.get() == 0;
            if is_idle || running.is_under_ceiling() || first.bit.get() <= running.limit.get() {
                SCHEDULER.look();
                return ptr::null();
            }
            ptr::from_ref(SCHEDULER.select(lock))
        })
    }
}

/// Takes the running thread, which waits, out of the ready threads. Returns the thread that runs
/// now, or idle.
///
/// # Safety
/// The lock is held, by a thread.
#[unsafe(export_name = "__quintet_select_another")]
unsafe extern "C" fn select_another() -> *const ThreadBlock {
    // SAFETY: the caller's.
    unsafe {
        held(|lock| {
            SCHEDULER.make_unready(lock);
            ptr::from_ref(SCHEDULER.select(lock))
        })
    }
}

/// Takes a running process out of the ring of ready threads, or only notes that it isn't ready, if
/// it was suspended since its call.
///
/// # Safety
/// The lock is held, in a call of the process, behind which the switch looks for another thread.
#[cfg(processes)]
pub unsafe fn leave_ring(running: &ThreadBlock) {
    if running.bit.get() == 0 {
        running.set_held_ready(false);
    } else {
        SCHEDULER.remove(running);
    }
}

/// A function that lets a thread preempt the running one under its ceiling, if it may.
pub type Preempt = unsafe extern "C" fn() -> *const ThreadBlock;

/// Decides which thread runs after an interrupt, of a thread or of idle.
///
/// # Safety
/// Only the trap calls this, with interrupts held off, if it has interrupted no handler and no
/// section. `preempt` is one of those in `limit`.
pub unsafe fn after_interrupts(preempt: Preempt) -> Switch {
    while !SCHEDULER.deferred.load(Ordering::Relaxed).is_null() {
        // SAFETY: who has put a thread into the list has set the hooks before.
        let hooks = unsafe { SCHEDULER.hooks_in_use() };
        switch::let_interrupts_in(|| (hooks.wake_all)());
    }
    let from = ptr::from_ref(SCHEDULER.running());
    // SAFETY: the caller's: nothing else has the lock.
    let to = unsafe { held(|lock| SCHEDULER.preempting(preempt, lock)) };
    if to.is_null() {
        return Switch::NONE;
    }
    SCHEDULER.running.set(to);
    Switch { to: to.cast(), from: from.cast() }
}

impl Scheduler {
    /// Returns the thread that runs in the place of the running one, or null.
    fn preempting(&self, preempt: Preempt, _lock: &KernelLock<'_>) -> *const ThreadBlock {
        let (running, first) = (self.running(), self.first());
        if ptr::eq(first, running) {
            return ptr::null();
        }
        let bit = running.bit.get();
        if running.is_under_ceiling() {
            // SAFETY: the lock is held.
            return unsafe { preempt() };
        }
        let is_above = first.bit.get() > running.limit.get();
        // It is suspended, or its turn is over, or it is no longer ready.
        let has_left = bit == 0 || bit == first.bit.get() || self.ready.get() & bit == 0;
        if is_above || has_left { ptr::from_ref(first) } else { ptr::null() }
    }
}
