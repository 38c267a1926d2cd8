//! Limits: what may preempt a thread, and ceilings among threads.
//!
//! A limit has all bits up to that of the priority that it stands for: whoever has a larger bit
//! preempts. The lowest bit, which no thread has, is set in a thread's own limit. Under a ceiling
//! the limit is [`HELD`], above all bits but without the lowest: so everything that compares goes
//! the long way, where the ceiling is looked at.
//!
//! Where the scheduler is cooperative, a thread's own limit has all bits, so that nobody preempts
//! it; idle's has the lowest, as ever.
//!
//! A section under a ceiling costs two stores at each end, and a look at who is ready. No interrupt
//! is held off.
//!
//! # Preempted under a ceiling
//! A thread that is preempted there enters the ring of its ceiling, as its first: so whoever waits
//! next leaves the processor to it, before all others at or below the ceiling. At the end of the
//! section it returns to its own ring. Sections that nobody preempts, almost all, need neither.
//!
//! Whose turn among equals is over in a section leaves it the same way, and goes behind them then.
//!
//! Idle, which is in no ring, isn't preempted in a section at all.

#![expect(unsafe_code, reason = "a word that interrupts change is read")]

use ::core::ptr;
use ::core::sync::atomic::{Ordering, compiler_fence};

#[cfg(target_os = "none")]
use super::SCHEDULER;
use super::{Blocking, Control, Scheduler};
use crate::arch::switch;
use crate::core::lock::{self, Kernel, Saved};

/// The bit of a priority.
#[must_use]
pub const fn bit_of(priority: u8) -> u32 {
    1 << priority
}

/// The limit of a thread that holds nothing, by its bit; of a suspended one too, whose bit is 0.
#[must_use]
pub const fn limit_of(bit: u32) -> u32 {
    if bit == 0 { 1 } else { bit | (bit - 1) }
}

/// The limit that a thread has of its own, by its bit: that of the highest priority if the
/// scheduler is cooperative. Idle's bit is 1; that of a suspended thread 0.
#[inline(always)]
pub fn own_limit(bit: u32) -> u32 {
    if bit > 1 && lock::is_cooperative() { u32::MAX } else { limit_of(bit) }
}

/// What is noted of a ceiling: as its priority, but never 0, and for the highest the largest byte,
/// so that raising to it needs no comparison.
#[must_use]
pub const fn note_of(ceiling: u8) -> u8 {
    ceiling | !super::PRIORITY_MAX
}

/// The limit of a thread at a ceiling that is noted; 0 without one.
const fn limit_of_noted(ceiling: u8) -> u32 {
    if ceiling == 0 { 0 } else { limit_of(bit_of(ceiling & super::PRIORITY_MAX)) }
}

/// The limit of a thread under a ceiling.
const HELD: u32 = !1;

/// Whether a limit is that of a thread under a ceiling.
#[inline(always)]
pub fn is_ceiling(limit: u32) -> bool {
    lock::has_ceilings() && limit & 1 == 0
}

impl Control {
    /// What preempts it: bits above.
    pub(super) fn true_limit(&self) -> u32 {
        let limit = self.limit.get();
        if is_ceiling(limit) { own_limit(self.bit_of_ceiling()) } else { limit }
    }

    /// The bit of the ring that it belongs to: its ceiling's if it was preempted under one.
    #[inline(always)]
    pub(super) fn true_bit(&self) -> u32 {
        if lock::has_ceilings() && self.promoted.get() {
            self.bit_of_ceiling()
        } else {
            bit_of(self.priority.get())
        }
    }

    /// The bit of its ceiling, or of its own priority if that is higher.
    fn bit_of_ceiling(&self) -> u32 {
        bit_of(self.priority.get().max(self.ceiling.get() & super::PRIORITY_MAX))
    }
}

impl Scheduler {
    /// Whether `control` is the thread that asks, and may not wait here, in a section that began
    /// where `saved` was found.
    pub(crate) fn may_not_wait(&self, control: &Control, saved: Saved) -> bool {
        ptr::eq(self.running.get(), control)
            && !switch::in_handler()
            && self.blocking(saved) != Blocking::Allowed
    }

    /// Raises the limit of the running thread to that of a ceiling, which is [noted](note_of). What
    /// is returned goes to [`restore_limit`](Self::restore_limit).
    #[inline(always)]
    #[must_use]
    pub(crate) fn raise_limit(&self, ceiling: u8) -> u8 {
        let running = self.running();
        let before = running.ceiling.get();
        running.ceiling.set(before.max(ceiling));
        compiler_fence(Ordering::SeqCst);
        running.limit.set(HELD);
        compiler_fence(Ordering::SeqCst);
        before
    }

    /// Restores the limit, and lets a switch happen that has become due.
    ///
    /// What becomes ready between the two accesses is compared with the restored limit.
    #[inline(always)]
    pub(crate) fn restore_limit(&self, before: u8) {
        compiler_fence(Ordering::SeqCst);
        let running = self.running();
        running.ceiling.set(before);
        compiler_fence(Ordering::SeqCst);
        let limit = if before == 0 {
            // Its priority may have changed since. If that comes before the limit is set, it says
            // so by a promotion.
            let own = own_limit(running.bit.get());
            running.limit.set(own);
            own
        } else {
            limit_of_noted(before)
        };
        compiler_fence(Ordering::SeqCst);
        if running.promoted.get() {
            return lock::kernel(|lock| self.demote(lock));
        }
        // SAFETY: a word, that interrupts change as a whole.
        let ready = unsafe { self.ready.as_ptr().read_volatile() };
        if ready > limit {
            switch::pend();
        }
    }

    /// Puts the running thread, which is under a ceiling, into the ring of that, if a thread above
    /// it is ready. Returns which.
    #[cfg(any(test, target_os = "none"))]
    pub(super) fn promote(&self, _lock: &Kernel<'_>) -> Option<&Control> {
        let (running, first) = (self.running(), self.first());
        let is_idle = running.priority.get() == 0;
        if is_idle || first.bit.get() <= running.true_limit() {
            return None;
        }
        running.promoted.set(true);
        self.move_to(running, running.true_bit());
        Some(first)
    }

    /// Puts the running thread, which has left a section in which it was preempted, or its turn was
    /// over, where it belongs now.
    #[cold]
    fn demote(&self, _lock: &Kernel<'_>) {
        let running = self.running();
        running.promoted.set(running.ceiling.get() != 0);
        self.move_to(running, running.true_bit());
        if running.ceiling.get() == 0 {
            running.limit.set(own_limit(running.bit.get()));
            #[cfg(feature = "time")]
            self.end_turn(running);
        }
        self.look();
    }

    /// Puts a ready thread first into the ring of `bit`.
    fn move_to(&self, control: &Control, bit: u32) {
        if control.bit.get() != bit {
            self.remove(control);
            control.bit.set(bit);
            self.append(control);
            self.put_first(control);
        }
    }
}

/// What the switch calls when the running thread is under a ceiling, and another one is the most
/// urgent that is ready. Returns whether that one runs now: null if not.
///
/// # Safety
/// The lock is held, and stays so.
#[cfg(target_os = "none")]
pub unsafe extern "C" fn preempt_under_ceiling() -> *const Control {
    // SAFETY: the caller holds the lock.
    let lock = unsafe { Kernel::held() };
    SCHEDULER.promote(&lock).map_or(ptr::null(), ptr::from_ref)
}

/// The same where no thread ever runs under a ceiling: nothing of them is linked.
#[cfg(target_os = "none")]
pub extern "C" fn preempt_never() -> *const Control {
    ptr::null()
}
