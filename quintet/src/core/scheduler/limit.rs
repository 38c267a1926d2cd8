//! Limits, which say which threads may preempt a thread, and ceilings among threads.
//!
//! [`priority`](crate::core::record::priority) has limits as numbers.
//!
//! A section under a ceiling costs two stores at each end, and a check of the ready threads. No
//! interrupt is held off.
//!
//! # Preempted under a ceiling
//! A thread that is preempted under a ceiling becomes the first in the ring of that ceiling. So
//! when the preempting threads wait, this thread runs before all others at or below the ceiling. At
//! the end of the section the thread returns to its own ring. A section that no thread preempts, as
//! almost all, needs neither.
//!
//! If the slice of a thread expires in a section, the thread leaves the section in the same way,
//! and then goes behind the other threads of its priority.
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
    /// Returns `true` if `control` is the calling thread, and may not wait in a section that found
    /// `saved` at its beginning.
    pub(crate) fn may_not_wait(&self, control: &ThreadBlock, saved: Saved) -> bool {
        ptr::eq(self.running.get(), control)
            && !switch::in_handler()
            && self.blocking(saved) != Blocking::Allowed
    }

    /// Raises the limit of the running thread to that of an [encoded](encode_ceiling) ceiling. Give
    /// the returned value to [`restore_limit`](Self::restore_limit).
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
    /// A thread that becomes ready between the two accesses is compared with the restored limit.
    #[inline(always)]
    pub(crate) fn restore_limit(&self, before: u8) {
        compiler_fence(Ordering::SeqCst);
        let running = self.running();
        running.ceiling.set(before);
        compiler_fence(Ordering::SeqCst);
        let limit = if before == 0 {
            // The thread's priority may have changed since. If this happens before the limit is
            // set, the change sets `promoted`.
            let own = own_limit(running.bit.get());
            running.limit.set(own);
            own
        } else {
            limit_of_encoded(before)
        };
        compiler_fence(Ordering::SeqCst);
        if running.promoted.get() {
            kernel(|lock| self.demote(lock));
            return self.look_after();
        }
        // SAFETY: a word that interrupts write only as a whole.
        let ready = unsafe { self.ready.as_ptr().read_volatile() };
        if ready > limit {
            switch::pend();
        }
    }

    /// Puts the running thread, which is under a ceiling, into the ring of the ceiling, if a thread
    /// above the ceiling is ready. Returns that thread.
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

    /// Puts the running thread into its proper ring. The thread has left a section in which it was
    /// preempted, or in which its turn ended. The caller looks whether a switch is due.
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

/// Lets a thread preempt the running thread under its ceiling, if it may. Returns the thread that
/// runs now, or null. The switch calls this if the running thread is under a ceiling and another
/// thread is the most urgent ready one.
///
/// # Safety
/// The lock is held, and stays held.
#[cfg(target_os = "none")]
pub unsafe extern "C" fn preempt_under_ceiling() -> *const ThreadBlock {
    // SAFETY: the caller holds the lock, and releases it itself.
    let section = unsafe { Section::taken_over(0) };
    let next = SCHEDULER.promote(&section).map_or(ptr::null(), ptr::from_ref);
    let _handed_back = section.into_saved();
    next
}

/// Returns null, in applications without ceilings among threads: no code for ceilings is linked.
#[cfg(target_os = "none")]
pub extern "C" fn preempt_never() -> *const ThreadBlock {
    ptr::null()
}
