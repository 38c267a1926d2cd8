//! Statistics: how often the kernel switched to each thread, and how long each thread was the
//! running one.
//!
//! ```text
//!   counter  ──────┬───────────────┬──────────> now     32 bits, wraps
//!              the last switch   this one
//!   clock          64 bits, as of the last switch; the lower word is what the counter was
//!   counted        whose the time since then is
//! ```
//!
//! Each switch and each reading adds the time since the last one to the thread that owns this time,
//! under the kernel's lock. `counted` names this thread, not `running`, which PendSV writes without
//! the lock. So a reading sees either the whole switch or nothing of it.
//!
//! The time of an interrupt counts for the interrupted thread. The first half of a switch counts
//! for the old thread, and the second half for the new thread.
//!
//! The assembly in `arch` does the part of a switch; this code reads the results.

#![expect(unsafe_code, reason = "a hardware register is read through a pointer")]

use ::core::cell::Cell;

use crate::core::lock::KernelLock;
use crate::core::record::ThreadBlock;
use crate::core::record::scheduler::IDLE;
use crate::core::record::statistics::Statistics;

impl Statistics {
    /// Begins to count, with idle as the running thread.
    pub fn begin(&self, lock: &KernelLock<'_>) {
        self.account(lock);
        self.began.set(get(&self.clock));
        self.counted.set(&raw const IDLE);
    }

    /// Counts by another register from now on.
    ///
    /// # Safety
    /// The register can be read at any time, without an effect.
    pub unsafe fn count_by(&self, counter: *const u32, lock: &KernelLock<'_>) {
        self.account(lock);
        let elapsed = self.elapsed();
        self.counter.set(counter);
        self.clock[0].set(self.now());
        self.began.set(get(&self.clock).wrapping_sub(elapsed));
    }

    /// Returns the time since the threads began, and idle's counts.
    pub fn of_all(&self, lock: &KernelLock<'_>) -> (u64, (u32, u64)) {
        let idle = self.of(&IDLE, lock);
        (self.elapsed(), idle)
    }

    /// Returns the time from the beginning of the threads to the last switch or reading.
    fn elapsed(&self) -> u64 {
        get(&self.clock).wrapping_sub(self.began.get())
    }

    /// Returns the number of switches to a thread, and the time that the thread ran.
    pub fn of(&self, control: &ThreadBlock, lock: &KernelLock<'_>) -> (u32, u64) {
        self.account(lock);
        (control.tally.switches.get(), get(&control.tally.cycles))
    }

    /// Adds the time since the last switch to the thread that owns this time.
    fn account(&self, _lock: &KernelLock<'_>) {
        let passed = self.now().wrapping_sub(self.clock[0].get());
        add(&self.clock, passed);
        // SAFETY: null before the threads begin, or a live control block.
        if let Some(counted) = unsafe { self.counted.get().as_ref() } {
            add(&counted.tally.cycles, passed);
        }
    }

    /// Returns the value of the counter.
    fn now(&self) -> u32 {
        // SAFETY: the register may be read, by the promise of the code that has set it.
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
