//! The scheduler of threads: the ready threads, the running thread, and the threads that may
//! preempt it.
//!
//! ```text
//!              clz(ready)
//!   ready  0 1 0 0 1 ...        queue[slot] ──> thread <──> thread     a ring for each priority,
//!            │                                  first       last       the first runs
//!            └─ slot 1 = priority 30
//! ```
//!
//! A thread of priority `p` (1 to 31) has the *bit* `1 << p` and the *slot* `31 - p`. A more urgent
//! thread has a larger bit, and a count of leading zeros finds the first slot. Idle has the
//! priority 0 and is always ready, but in no ring. Idle's slot is 32, which is the count if no bit
//! is set.
//!
//! The running thread stays the first of its ring. So a wake sets one bit and writes one word, and
//! a switch changes nothing but the running thread.
//!
//! # Which thread preempts
//! A thread that becomes ready preempts the running thread if its bit is above the running thread's
//! *limit*. The limit has all bits up to the thread's own bit, so the limit is an odd number (no
//! thread has the lowest bit). Under a ceiling the limit is an even number above all bits, and the
//! thread's `ceiling` decides.
//!
//! A woken thread can preempt only if it outranks every ready thread: otherwise a switch is due
//! already, or the running thread is at least as urgent. So a wake compares the woken thread with
//! the ready threads. An interrupt leaves the comparison with the limit to the pended switch. This
//! switch may find nothing to do, under a ceiling or if the scheduler is cooperative.
//!
//! # Locking
//! All code here runs under the kernel's lock. Only the thread itself changes its limit, while it
//! runs, and needs no lock for this. The frequent paths of a switch are in assembly, in `arch`: the
//! wake of a more urgent thread, and a wait for which no other thread waits. The other paths are
//! here.
//!
//! # Invariants
//! - INVARIANT(first-runs): while the running thread is ready and no switch is due, the running
//!   thread is the first of its ring, and the bits of all other ready threads are at or below its
//!   limit.
//! - INVARIANT(alone): if a thread is in no ring, or alone in a ring, its `next` and `previous`
//!   point to itself. A thread that waits with a demand has the demand in `previous`:
//!   INVARIANT(demand).
//! - INVARIANT(due): whenever a ready thread's bit is above the running thread's limit, a switch is
//!   pending, or under way with the lock held.

#![expect(unsafe_code, reason = "threads are linked through pointers")]

use ::core::ptr;

use crate::arch::switch;
use crate::core::application::is_cooperative;
use crate::core::lock::{KernelLock, Saved, kernel, take_pending_interrupts};
use crate::core::record::priority::own_limit;
use crate::core::record::scheduler::{ABOUT_IDLE, IDLE, IDLE_SLOT};

#[cfg(test)]
pub use deferred_wakes::wake_all;
#[cfg(target_os = "none")]
pub use limit::{preempt_never, preempt_under_ceiling};
#[cfg(feature = "time")]
pub use turns::Turn;
#[cfg(all(test, feature = "time"))]
pub use turns::wake_all_and_time;

#[cfg(all(plain_switch, processes))]
pub use selected::leave_ring;
#[cfg(plain_switch)]
pub use selected::{after_interrupts, held};

pub use priority::Change;

pub use crate::core::record::place::Elsewhere;
pub use crate::core::record::priority::{PRIORITY_MAX, bit_of, encode_ceiling, limit_of};
#[cfg(feature = "statistics")]
pub use crate::core::record::statistics::STATISTICS;
pub use crate::core::record::thread::{Held, MARK, State, ThreadBlock, ThreadInfo, UNTOUCHED};
pub use crate::core::record::{SCHEDULER, Scheduler, offset};

#[cfg(processes)]
mod changes;
mod deferred_wakes;
#[cfg(not(target_os = "none"))]
mod host;
mod limit;
mod priority;
#[cfg(plain_switch)]
mod selected;
#[cfg(feature = "statistics")]
mod statistics;
mod turns;

/// Whether the running thread may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Blocking {
    /// The thread may wait.
    Allowed,
    /// The thread holds a resource that levels use too: interrupts are held off.
    UnderLevelCeiling,
    /// The thread holds a resource that other threads use.
    UnderThreadCeiling,
    /// The thread has switched interrupts off.
    InterruptsOff,
}

impl Scheduler {
    /// Makes idle the running thread. Called once, before any thread is woken.
    pub(crate) fn initialise(&self, _lock: &KernelLock<'_>) {
        self.running.set(&raw const IDLE);
        self.queue[IDLE_SLOT].set(&raw const IDLE);
    }

    /// Returns the name of the running or interrupted thread.
    pub(crate) fn name(&self) -> &'static str {
        // SAFETY: null before `initialise`, or a live control block.
        unsafe { self.running.get().as_ref() }.map_or(ABOUT_IDLE.name, |control| control.about.name)
    }

    /// Returns whether the running thread may wait, in a section that found `saved` at its
    /// beginning.
    #[inline(always)]
    pub(crate) fn blocking(&self, saved: Saved) -> Blocking {
        if switch::is_under_level(saved) {
            Blocking::UnderLevelCeiling
        } else if self.running().is_under_ceiling() {
            Blocking::UnderThreadCeiling
        } else if switch::interrupts_are_off(saved) {
            Blocking::InterruptsOff
        } else {
            Blocking::Allowed
        }
    }

    /// Returns the most urgent ready thread.
    fn first(&self) -> &ThreadBlock {
        let slot = self.ready.get().leading_zeros() as usize;
        // SAFETY: each set bit has a ready thread; `initialise` sets idle's entry.
        unsafe { &*self.queue[slot].get() }
    }

    /// Puts a thread behind the other ready threads of its priority. Constant time.
    #[inline(never)]
    fn append(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        let (bit, slot) = (control.bit.get(), control.slot());
        if self.ready.get() & bit == 0 {
            self.ready.set(self.ready.get() | bit);
            self.queue[slot].set(control);
            return;
        }
        // SAFETY: the slot has a ready thread, which lives.
        let first = unsafe { &*self.queue[slot].get() };
        link_before(first, control);
        if self.sliced.get() & bit != 0 {
            turns::note_second(bit, lock);
        }
    }

    /// Puts a ready thread before the others of its priority. The thread was running, and its turn
    /// is not over.
    fn put_first(&self, control: &ThreadBlock) {
        self.queue[control.slot()].set(control);
    }

    /// Takes a thread out of the ready threads. Constant time.
    #[inline(never)]
    fn remove(&self, control: &ThreadBlock) {
        let (next, slot) = (control.next.get(), control.slot());
        if next == control.own() {
            self.ready.set(self.ready.get() & !control.bit.get());
            return;
        }
        let previous = control.previous.get();
        // SAFETY: ready threads live.
        unsafe {
            next.as_ref().previous.set(previous);
            previous.as_ref().next.set(next);
        }
        if ptr::eq(self.queue[slot].get(), control) {
            self.queue[slot].set(next.as_ptr());
        }
        control.next.set(control.own());
        control.previous.set(control.own());
    }

    /// Returns `true` if a thread is in a ring of ready threads.
    #[inline(always)]
    pub(crate) fn is_ready(&self, control: &ThreadBlock) -> bool {
        if self.ready.get() & control.bit.get() == 0 {
            return false;
        }
        control.next.get() != control.own() || ptr::eq(self.queue[control.slot()].get(), control)
    }

    /// Pends a switch if one is due. The switch happens as soon as masks allow.
    #[inline(never)]
    fn look(&self) {
        let running = self.running();
        let first = self.first();
        if !ptr::eq(first, running)
            && (first.bit.get() > running.true_limit()
                || running.bit.get() == 0
                || first.bit.get() == running.bit.get())
        {
            switch::pend();
        }
    }

    /// Makes a waiting thread ready that was granted what it waits for. If the thread is more
    /// urgent than all others, the assembly does this itself.
    #[cfg(any(plain_switch, not(target_os = "none")))]
    pub(crate) fn make_ready(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        self.enter(control, lock);
        self.look();
    }

    /// Puts a thread among the ready threads. If the thread is suspended, notes that the thread
    /// becomes ready when it is resumed. The caller checks whether a switch is due, or switches.
    pub(crate) fn enter(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        if control.is_suspended(lock) {
            control.set_held_ready(true);
        } else {
            self.append(control, lock);
        }
    }

    /// Returns `true` if a thread waits and has not been granted what it waits for.
    #[cfg(feature = "time")]
    #[inline]
    pub(crate) fn is_waiting(&self, control: &ThreadBlock, _lock: &KernelLock<'_>) -> bool {
        !self.is_ready(control) && !control.is_held_ready()
    }

    /// Takes the running thread out of the ready threads; the caller switches.
    #[inline(always)]
    pub(crate) fn make_unready(&self, _lock: &KernelLock<'_>) {
        self.remove(self.running());
    }

    /// Makes the first ready thread the running thread, and returns this thread.
    pub(crate) fn select(&self, _lock: &KernelLock<'_>) -> &ThreadBlock {
        let first = self.first();
        self.running.set(first);
        first
    }

    /// Begins a thread, and puts the thread among the ready threads. The caller
    /// [looks](Self::look_after) after the section whether a switch is due.
    pub(crate) fn begin(
        &self,
        control: &ThreadBlock,
        stack_pointer: *mut u32,
        lock: &KernelLock<'_>,
    ) {
        self.set_begun(control, stack_pointer, lock);
        self.enter(control, lock);
    }

    /// Looks after a section, in another one, whether a switch is due. A context between the two
    /// that makes a thread ready looks itself, and if the caller is preempted, the most urgent
    /// thread runs already.
    #[inline(never)]
    pub(crate) fn look_after(&self) {
        take_pending_interrupts();
        kernel(|_lock| self.look());
    }

    /// Begins a thread; the caller makes the thread ready.
    #[expect(clippy::unused_self, reason = "a thread begins in a scheduler")]
    #[inline(always)]
    pub(crate) fn set_begun(
        &self,
        control: &ThreadBlock,
        stack_pointer: *mut u32,
        _: &KernelLock<'_>,
    ) {
        control.stack_pointer.set(stack_pointer);
        control.state.set(State::Alive);
        // A noted wake stays: a thread looks before it awaits a wake.
        control.notified.set(false);
        // Without a cooperative scheduler, the limit is right already, before the first start and
        // after each end.
        if is_cooperative() {
            control.limit.set(own_limit(control.bit.get()));
        }
    }

    /// Notes that the running thread has ended; the caller lets the thread wait for ever.
    pub(crate) fn note_ended(&self, _lock: &KernelLock<'_>) {
        self.running().state.set(State::Ended);
    }

    /// Puts the running thread behind the others of its priority. Returns `true` if another thread
    /// is the first now: one of the same priority or, if the scheduler is cooperative, a more
    /// urgent one. Then the caller switches.
    #[must_use]
    pub(crate) fn rotate(&self, _lock: &KernelLock<'_>) -> bool {
        let running = self.running();
        let next = running.next.get();
        if next != running.own() && self.is_ready(running) {
            self.queue[running.slot()].set(next.as_ptr());
        }
        !ptr::eq(self.first(), running)
    }

    /// Clears the note of a notification. Returns whether the running thread was notified since it
    /// last parked.
    #[must_use]
    #[cfg(any(feature = "time", plain_switch, not(target_os = "none")))]
    pub(crate) const fn take_notification(&self, _lock: &KernelLock<'_>) -> bool {
        self.running().notified.replace(false)
    }

    /// Notes that the running thread waits for a notification; the caller lets the thread wait. For
    /// switches that aren't assembly.
    #[cfg(any(plain_switch, not(target_os = "none")))]
    pub(crate) fn note_parked(&self, _lock: &KernelLock<'_>) {
        self.running().set_parked(true);
    }

    /// Ends the present or the next [parking](Self::note_parked) of a thread. For tests: other
    /// callers hand the lock over to the woken thread.
    #[cfg(test)]
    pub(crate) fn unpark(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        if Self::end_parking_or_note(control, lock) {
            self.make_ready(control, lock);
        }
    }

    /// Ends the present or the next [parking](Self::note_parked) of a thread. Returns `true` if the
    /// caller has to make the thread ready.
    #[inline(always)]
    #[must_use]
    pub(crate) fn end_parking_or_note(control: &ThreadBlock, lock: &KernelLock<'_>) -> bool {
        if Self::end_parking(control, lock) {
            return true;
        }
        // A thread that has ended begins without the note.
        control.notified.set(true);
        false
    }

    /// Ends the present [parking](Self::note_parked) of a thread. Returns `true` if the thread was
    /// parked; then the caller has to make the thread ready.
    #[inline(always)]
    #[must_use]
    pub(crate) fn end_parking(control: &ThreadBlock, _lock: &KernelLock<'_>) -> bool {
        let is_parked = control.is_parked();
        if is_parked {
            control.set_parked(false);
        }
        is_parked
    }

    /// Suspends a thread: the thread isn't ready until you resume it. A suspended thread keeps its
    /// place among waiters, and can still be granted what it waits for. Returns `true` if the
    /// caller has to switch, as the thread is the running one.
    #[must_use]
    pub(crate) fn suspend(&self, control: &ThreadBlock, _lock: &KernelLock<'_>) -> bool {
        if control.bit.get() == 0 {
            if control.suspend_in_move() {
                #[cfg(feature = "time")]
                self.forget_turn(control);
                control.limit.set(limit_of(0));
                switch::pend();
            }
            return false;
        }
        let ready = self.is_ready(control);
        control.set_held_ready(ready);
        if ready {
            self.remove(control);
        }
        // The thread may have just left a ceiling, and loses its place anyway.
        #[cfg(feature = "time")]
        self.forget_turn(control);
        // So the assembly, too, sees that the thread must not be made ready.
        control.bit.set(0);
        control.limit.set(limit_of(0));
        if ready {
            // Also where it doesn't run: a switch that was interrupted may be about to let it.
            switch::pend();
        }
        ready && ptr::eq(self.running.get(), control)
    }

    /// Ends a [suspension](Self::suspend), and then looks whether a switch is due. With the lock
    /// released.
    pub(crate) fn resume_and_look(&self, control: &ThreadBlock) {
        if kernel(|lock| self.resume(control, lock)) {
            self.look_after();
        }
    }

    /// Ends a [suspension](Self::suspend). Returns `true` if the caller has to
    /// [look](Self::look_after) whether a switch is due.
    #[must_use]
    pub(crate) fn resume(&self, control: &ThreadBlock, lock: &KernelLock<'_>) -> bool {
        if control.bit.get() != 0 || control.moves() {
            return false;
        }
        control.bit.set(bit_of(control.priority.get()));
        control.limit.set(own_limit(control.bit.get()));
        let is_ready = control.is_held_ready();
        if is_ready {
            control.set_held_ready(false);
            self.append(control, lock);
            if ptr::eq(self.running.get(), control) {
                // A switch that was interrupted may be about to let another one run.
                switch::pend();
            }
        }
        is_ready
    }
}

/// Puts `control` into the ring before `first`, and so behind all others.
fn link_before(first: &ThreadBlock, control: &ThreadBlock) {
    let last = first.previous.get();
    control.next.set(first.own());
    control.previous.set(last);
    // SAFETY: ready threads live.
    unsafe { last.as_ref() }.next.set(control.own());
    first.previous.set(control.own());
}

#[cfg(test)]
pub mod tests;
