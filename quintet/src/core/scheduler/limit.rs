//! Limits: what may preempt a thread, and ceilings among threads.
//!
//! A limit has all bits up to that of the priority that it stands for: whoever has a larger bit
//! preempts. The lowest bit, which no thread has, tells a thread's own limit (1) from that of a
//! ceiling (0).
//!
//! A section under a ceiling costs a store at each end, and a look at who is ready. No interrupt is
//! held off.

#![expect(unsafe_code, reason = "a word that interrupts change is read")]

use ::core::sync::atomic::{Ordering, compiler_fence};

use super::Scheduler;
use crate::arch::switch;

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

/// Whether a limit is that of a ceiling.
pub const fn is_ceiling(limit: u32) -> bool {
    limit & 1 == 0
}

impl Scheduler {
    /// Raises the limit of the running thread to that of a ceiling, of which `limit` is the
    /// [limit](limit_of) of a thread there. What is returned goes to
    /// [`restore_limit`](Self::restore_limit).
    #[inline(always)]
    #[must_use]
    pub fn raise_limit(&self, limit: u32) -> u32 {
        let running = self.running();
        let before = running.limit.get();
        running.limit.set(before.max(limit) & !1);
        compiler_fence(Ordering::SeqCst);
        before
    }

    /// Restores the limit, and lets a switch happen that has become due.
    ///
    /// What becomes ready between the two accesses is compared with the restored limit.
    #[inline(always)]
    pub fn restore_limit(&self, before: u32) {
        compiler_fence(Ordering::SeqCst);
        let running = self.running();
        // Its priority may have changed since.
        let limit = if is_ceiling(before) { before } else { limit_of(running.bit.get()) };
        running.limit.set(limit);
        compiler_fence(Ordering::SeqCst);
        // SAFETY: a word, that interrupts change as a whole.
        let ready = unsafe { self.ready.as_ptr().read_volatile() };
        if ready > limit {
            switch::pend();
        }
    }
}
