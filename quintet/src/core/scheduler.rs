//! The scheduler of threads: who is ready, who runs, and what may preempt it.
//!
//! ```text
//!              clz(ready)
//!   ready  0 1 0 0 1 ...        queue[slot] ──> thread <──> thread     a ring for each priority,
//!            │                                  first       last       the first runs
//!            └─ slot 1 = priority 30
//! ```
//!
//! A thread of priority `p` (1 to 31) has the *bit* `1 << p` and the *slot* `31 - p`: the more
//! urgent, the larger the bit, and the first slot is found by counting leading zeros. Idle has the
//! priority 0 and is always ready, but in no ring: slot 32, what the count of no bit says, is its.
//!
//! The running thread stays the first of its ring. So waking a thread sets one bit and writes one
//! word, and a switch changes nothing but who runs.
//!
//! # Who preempts whom
//! A thread that becomes ready preempts the running one if its bit is above the running one's
//! *limit*: all bits up to its own, which is an odd number (no thread has the lowest bit). Under a
//! ceiling the limit is an even number, above all; `limit` has what then decides.
//!
//! Only who is more urgent than all that are ready can be: otherwise a switch is due already, or
//! the running thread is at least as urgent. So waking compares with who is ready; an interrupt
//! leaves the limit to the pended switch, which may find that there is nothing to do, under a
//! ceiling or where the scheduler is cooperative.
//!
//! # Who touches it
//! Everything here happens under the kernel's lock. A limit is changed by its own thread only,
//! while it runs, and needs no lock. What is on the way of every switch (waking the more urgent,
//! waiting where nobody else waits) is in assembly, in `arch`; the rest is here.
//!
//! # Invariants
//! - INVARIANT(first-runs): while the running thread is ready, and no switch is due, it is the
//!   first of its ring, and the bits of all other ready threads are its limit or below.
//! - INVARIANT(alone): a thread that is in no ring, or alone in one, is its own `next` and
//!   `previous`; one that waits with a demand has that there instead: INVARIANT(demand).
//! - INVARIANT(due): whenever a ready thread's bit is above the running thread's limit, a switch is
//!   pending, or under way with the lock held.

#![expect(unsafe_code, reason = "threads are linked through pointers")]

use ::core::ptr;

use crate::arch::switch;
use crate::core::application::is_cooperative;
use crate::core::lock::{KernelLock, Saved};
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
#[cfg(feature = "statistics")]
mod statistics;
mod turns;

/// Whether the running thread may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Blocking {
    /// It may.
    Allowed,
    /// It holds a resource that levels use too: interrupts are held off.
    UnderLevelCeiling,
    /// It holds a resource that other threads use.
    UnderThreadCeiling,
    /// It has switched interrupts off.
    InterruptsOff,
}

impl Scheduler {
    /// Makes idle the running thread. Once, before anything is woken.
    pub(crate) fn initialise(&self, _lock: &KernelLock<'_>) {
        self.running.set(&raw const IDLE);
        self.queue[IDLE_SLOT].set(&raw const IDLE);
    }

    /// The name of who runs, or was interrupted.
    pub(crate) fn name(&self) -> &'static str {
        // SAFETY: null before `initialise`, or a live control block.
        unsafe { self.running.get().as_ref() }.map_or(ABOUT_IDLE.name, |control| control.about.name)
    }

    /// Whether a section that was begun where `saved` was found, by the running thread, may wait.
    #[inline(always)]
    pub(crate) fn blocking(&self, saved: Saved) -> Blocking {
        if saved != 0 {
            Blocking::UnderLevelCeiling
        } else if self.running().is_under_ceiling() {
            Blocking::UnderThreadCeiling
        } else if switch::interrupts_are_off() {
            Blocking::InterruptsOff
        } else {
            Blocking::Allowed
        }
    }

    /// The most urgent of those that are ready.
    fn first(&self) -> &ThreadBlock {
        let slot = self.ready.get().leading_zeros() as usize;
        // SAFETY: where a bit is set there is a ready thread; idle's entry is set by `initialise`.
        unsafe { &*self.queue[slot].get() }
    }

    /// Puts a thread behind the others of its priority that are ready. Constant time.
    #[inline(never)]
    fn append(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        let (bit, slot) = (control.bit.get(), control.slot());
        if self.ready.get() & bit == 0 {
            self.ready.set(self.ready.get() | bit);
            self.queue[slot].set(control);
            return;
        }
        // SAFETY: a ready thread is there, and lives.
        let first = unsafe { &*self.queue[slot].get() };
        link_before(first, control);
        if self.sliced.get() & bit != 0 {
            turns::note_second(bit, lock);
        }
    }

    /// Puts a ready thread before the others of its priority: it was running, and is not through.
    fn put_first(&self, control: &ThreadBlock) {
        self.queue[control.slot()].set(control);
    }

    /// Takes a ready thread out. Constant time.
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

    /// Whether a thread is in a ring of ready ones.
    #[inline(never)]
    pub(crate) fn is_ready(&self, control: &ThreadBlock) -> bool {
        if self.ready.get() & control.bit.get() == 0 {
            return false;
        }
        control.next.get() != control.own() || ptr::eq(self.queue[control.slot()].get(), control)
    }

    /// Lets a switch happen as soon as masks allow, if one is due.
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

    /// Makes a thread ready that waited, and was granted what it waited for. The assembly does this
    /// itself where it is more urgent than all others.
    pub(crate) fn make_ready(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        self.enter(control, lock);
        self.look();
    }

    /// Puts a thread among those that are ready, or notes it for when it is resumed. The caller
    /// looks whether a switch is due, or switches.
    pub(crate) fn enter(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        if control.is_suspended(lock) {
            control.set_held_ready(true);
        } else {
            self.append(control, lock);
        }
    }

    /// Whether a thread waits: it has not been granted what it waits for.
    #[cfg(feature = "time")]
    #[inline]
    pub(crate) fn is_waiting(&self, control: &ThreadBlock, _lock: &KernelLock<'_>) -> bool {
        !self.is_ready(control) && !control.is_held_ready()
    }

    /// Takes the running thread out of those that are ready; the caller switches.
    #[inline(always)]
    pub(crate) fn make_unready(&self, _lock: &KernelLock<'_>) {
        self.remove(self.running());
    }

    /// Makes the first of those that are ready the running one, and returns it.
    pub(crate) fn select(&self, _lock: &KernelLock<'_>) -> &ThreadBlock {
        let first = self.first();
        self.running.set(first);
        first
    }

    /// Begins a thread: it is ready.
    pub(crate) fn begin(
        &self,
        control: &ThreadBlock,
        stack_pointer: *mut u32,
        lock: &KernelLock<'_>,
    ) {
        self.set_begun(control, stack_pointer, lock);
        self.make_ready(control, lock);
    }

    /// The same; the caller makes it ready.
    #[expect(clippy::unused_self, reason = "it is the scheduler that a thread begins in")]
    #[inline(always)]
    pub(crate) fn set_begun(
        &self,
        control: &ThreadBlock,
        stack_pointer: *mut u32,
        _: &KernelLock<'_>,
    ) {
        control.stack_pointer.set(stack_pointer);
        control.state.set(State::Alive);
        // A wake that is noted stays: who awaits one looks first.
        control.notified.set(false);
        // Otherwise it has that, before its first start and behind each end.
        if is_cooperative() {
            control.limit.set(own_limit(control.bit.get()));
        }
    }

    /// Notes that the running thread has ended; the caller lets it wait for ever.
    pub(crate) fn note_ended(&self, _lock: &KernelLock<'_>) {
        self.running().state.set(State::Ended);
    }

    /// Puts the running thread behind the others of its priority. Whether another is the first now,
    /// one of those or, if the scheduler is cooperative, a more urgent one: then the caller
    /// switches.
    #[must_use]
    pub(crate) fn rotate(&self, _lock: &KernelLock<'_>) -> bool {
        let running = self.running();
        let next = running.next.get();
        if next != running.own() && self.is_ready(running) {
            self.queue[running.slot()].set(next.as_ptr());
        }
        !ptr::eq(self.first(), running)
    }

    /// Whether the running thread was notified since it last parked; no longer noted.
    #[must_use]
    #[cfg(any(feature = "time", not(target_os = "none")))]
    pub(crate) const fn take_notification(&self, _lock: &KernelLock<'_>) -> bool {
        self.running().notified.replace(false)
    }

    /// Notes that the running thread waits to be notified; the caller lets it wait. For the host.
    #[cfg(not(target_os = "none"))]
    pub(crate) fn note_parked(&self, _lock: &KernelLock<'_>) {
        self.running().set_parked(true);
    }

    /// Ends the present or the next [parking](Self::note_parked) of a thread, for tests: others
    /// hand the lock over to who is made ready.
    #[cfg(test)]
    pub(crate) fn unpark(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        if Self::end_parking_or_note(control, lock) {
            self.make_ready(control, lock);
        }
    }

    /// Ends the present or the next [parking](Self::note_parked) of a thread. Whether the caller
    /// has to make it ready.
    #[inline(always)]
    #[must_use]
    pub(crate) fn end_parking_or_note(control: &ThreadBlock, lock: &KernelLock<'_>) -> bool {
        if Self::end_parking(control, lock) {
            return true;
        }
        // One that has ended begins without.
        control.notified.set(true);
        false
    }

    /// Ends the present [parking](Self::note_parked) of a thread, if it is parked: then the caller
    /// has to make it ready.
    #[inline(always)]
    #[must_use]
    pub(crate) fn end_parking(control: &ThreadBlock, _lock: &KernelLock<'_>) -> bool {
        let is_parked = control.is_parked();
        if is_parked {
            control.set_parked(false);
        }
        is_parked
    }

    /// Holds a thread: it isn't ready until it is resumed. It keeps its place among waiters, and
    /// may be granted what it waits for. Whether the caller has to switch, as it is the running
    /// one.
    #[must_use]
    pub(crate) fn suspend(&self, control: &ThreadBlock, _lock: &KernelLock<'_>) -> bool {
        if control.bit.get() == 0 {
            return false;
        }
        let ready = self.is_ready(control);
        control.set_held_ready(ready);
        if ready {
            self.remove(control);
        }
        // It may have just left a ceiling, and loses its place anyway.
        #[cfg(feature = "time")]
        self.forget_turn(control);
        // So the assembly, too, finds that it isn't to be made ready.
        control.bit.set(0);
        control.limit.set(limit_of(0));
        if ready {
            // Also where it doesn't run: a switch that was interrupted may be about to let it.
            switch::pend();
        }
        ready && ptr::eq(self.running.get(), control)
    }

    /// Ends a [suspension](Self::suspend).
    pub(crate) fn resume(&self, control: &ThreadBlock, lock: &KernelLock<'_>) {
        if control.bit.get() != 0 {
            return;
        }
        control.bit.set(bit_of(control.priority.get()));
        control.limit.set(own_limit(control.bit.get()));
        if control.is_held_ready() {
            control.set_held_ready(false);
            self.append(control, lock);
            if ptr::eq(self.running.get(), control) {
                // A switch that was interrupted may be about to let another one run.
                switch::pend();
            }
            self.look();
        }
    }
}

/// Puts `control` into the ring before `first`: behind all others.
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
