//! Statistics: how often each thread was switched to, and how long it was the running one.
//!
//! ```text
//!   counter  ──────┬───────────────┬──────────> now     32 bits, wraps
//!              the last switch   this one
//!   clock          64 bits, as of the last switch; the lower word is what the counter was
//!   counted        whose the time since then is
//! ```
//!
//! Each switch adds what has passed since the one before to whom the time belongs, under the
//! kernel's lock; so does each reading. Whose it is stands here and not in `running`, which PendSV
//! writes without the lock: so a reading finds the whole switch or nothing of it.
//!
//! Time that interrupts take is that of whom they interrupt. The first half of a switch is the old
//! thread's, the second half the new one's.
//!
//! What a switch does is in assembly, in `arch`; this is what reads it.

#![expect(unsafe_code, reason = "a hardware register is read through a pointer")]

use ::core::cell::Cell;

use crate::core::lock::KernelLock;
use crate::core::record::ThreadBlock;
use crate::core::record::scheduler::IDLE;
use crate::core::record::statistics::Statistics;

impl Statistics {
    /// Begins: idle runs.
    pub fn begin(&self, lock: &KernelLock<'_>) {
        self.account(lock);
        self.began.set(get(&self.clock));
        self.counted.set(&raw const IDLE);
    }

    /// Counts by another register from now on.
    ///
    /// # Safety
    /// It can be read at any time, without an effect.
    pub unsafe fn count_by(&self, counter: *const u32, lock: &KernelLock<'_>) {
        self.account(lock);
        let elapsed = self.elapsed();
        self.counter.set(counter);
        self.clock[0].set(self.now());
        self.began.set(get(&self.clock).wrapping_sub(elapsed));
    }

    /// How long there have been threads, and what idle has of it.
    pub fn of_all(&self, lock: &KernelLock<'_>) -> (u64, (u32, u64)) {
        let idle = self.of(&IDLE, lock);
        (self.elapsed(), idle)
    }

    /// How long there had been threads at the last switch or reading.
    fn elapsed(&self) -> u64 {
        get(&self.clock).wrapping_sub(self.began.get())
    }

    /// How often a thread was switched to, and how long it ran.
    pub fn of(&self, control: &ThreadBlock, lock: &KernelLock<'_>) -> (u32, u64) {
        self.account(lock);
        (control.tally.switches.get(), get(&control.tally.cycles))
    }

    /// Gives the time since the last switch to whom it belongs.
    fn account(&self, _lock: &KernelLock<'_>) {
        let passed = self.now().wrapping_sub(self.clock[0].get());
        add(&self.clock, passed);
        // SAFETY: null before the threads begin, or a live control block.
        if let Some(counted) = unsafe { self.counted.get().as_ref() } {
            add(&counted.tally.cycles, passed);
        }
    }

    /// What the counter says.
    fn now(&self) -> u32 {
        // SAFETY: it may be read, as who set it says.
        unsafe { self.counter.get().read_volatile() }
    }
}

fn get(words: &[Cell<u32>; 2]) -> u64 {
    u64::from(words[1].get()) << 32 | u64::from(words[0].get())
}

fn add(words: &[Cell<u32>; 2], passed: u32) {
    let sum = get(words).wrapping_add(u64::from(passed));
    words[0].set(sum as u32);
    words[1].set((sum >> 32) as u32);
}

#[cfg(test)]
mod tests;
