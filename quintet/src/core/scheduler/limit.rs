//! Limits: what may preempt a thread, and ceilings among threads.
//!
//! Limits as numbers are in [`priority`](crate::core::record::priority).
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

use super::Blocking;
use crate::arch::switch;
#[cfg(target_os = "none")]
use crate::core::lock::Section;
use crate::core::lock::{KernelLock, Saved, kernel};
#[cfg(target_os = "none")]
use crate::core::record::SCHEDULER;
use crate::core::record::priority::{HELD, limit_of_encoded, own_limit};
use crate::core::record::{Scheduler, ThreadBlock};

impl Scheduler {
    /// Whether `control` is the thread that asks, and may not wait here, in a section that began
    /// where `saved` was found.
    pub(crate) fn may_not_wait(&self, control: &ThreadBlock, saved: Saved) -> bool {
        ptr::eq(self.running.get(), control)
            && !switch::in_handler()
            && self.blocking(saved) != Blocking::Allowed
    }

    /// Raises the limit of the running thread to that of a ceiling, which is
    /// [noted](encode_ceiling). What is returned goes to [`restore_limit`](Self::restore_limit).
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
            limit_of_encoded(before)
        };
        compiler_fence(Ordering::SeqCst);
        if running.promoted.get() {
            return kernel(|lock| self.demote(lock));
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
    pub(super) fn promote(&self, lock: &KernelLock<'_>) -> Option<&ThreadBlock> {
        let (running, first) = (self.running(), self.first());
        let is_idle = running.priority.get() == 0;
        if is_idle || first.bit.get() <= running.true_limit() {
            return None;
        }
        running.promoted.set(true);
        self.move_to(running, running.true_bit(), lock);
        Some(first)
    }

    /// Puts the running thread, which has left a section in which it was preempted, or its turn was
    /// over, where it belongs now.
    #[cold]
    fn demote(&self, lock: &KernelLock<'_>) {
        let running = self.running();
        running.promoted.set(running.ceiling.get() != 0);
        self.move_to(running, running.true_bit(), lock);
        if running.ceiling.get() == 0 {
            running.limit.set(own_limit(running.bit.get()));
            #[cfg(feature = "time")]
            self.end_turn(running);
        }
        self.look();
    }

    /// Puts a ready thread first into the ring of `bit`.
    fn move_to(&self, control: &ThreadBlock, bit: u32, lock: &KernelLock<'_>) {
        if control.bit.get() != bit {
            self.remove(control);
            control.bit.set(bit);
            self.append(control, lock);
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
pub unsafe extern "C" fn preempt_under_ceiling() -> *const ThreadBlock {
    // SAFETY: the caller holds the lock, and releases it itself.
    let section = unsafe { Section::taken_over(0) };
    let next = SCHEDULER.promote(&section).map_or(ptr::null(), ptr::from_ref);
    let _handed_back = section.into_saved();
    next
}

/// The same where no thread ever runs under a ceiling: nothing of them is linked.
#[cfg(target_os = "none")]
pub extern "C" fn preempt_never() -> *const ThreadBlock {
    ptr::null()
}
