//! Statistics: how often the kernel switched to each thread, and the thread's share of the
//! processor. For the feature `statistics`.
//!
//! The kernel counts by the processor's cycle counter, CYCCNT of its trace unit. The start of the
//! threads turns this counter on. From then on, you must not write or stop the counter.
//!
//! - **What counts.** The time of a thread is the time between the switch to the thread and the
//!   switch away from it. This includes the interrupts in that time, as in FreeRTOS, and half of
//!   each switch. The time of idle is the time in which no thread runs, asleep or not.
//! - **Range.** Times have 64 bits, but the counter has 32. So a switch, or a reading of any
//!   statistics, must come once in 2^32 counts, which is 59 s at 72 MHz; otherwise 2^32 counts are
//!   missed. Counts of switches have 32 bits, and wrap.
//! - **Asleep.** Many chips stop the cycle counter while they sleep, at least without a debugger.
//!   Then the time of idle is only the time in which idle is awake. With [`count_by`] you can
//!   choose a timer that goes on.
//! - **Without a counter.** Some cores have no cycle counter: times stay 0, and switches count.
//!   On ARMv6-M nothing is counted: switches stay 0 as well.
//!
//! # Cost
//! 12 bytes for each thread and 36 bytes more, a longer switch, in a section of the kernel's lock,
//! and some cycles for each word of a thread's stack, which each start fills.
//! `docs/book/threads.md` has the numbers. Without the feature, none of this is in the program.

#![expect(unsafe_code, reason = "a register is read by its address")]

use super::Thread;
use crate::arch::cycle_counter;
use crate::core::lock::kernel;
use crate::core::scheduler::STATISTICS;

/// The counts of a thread, or of idle, since the threads began. They go on if the thread ends and
/// is started again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How often the kernel switched to the thread. Wraps at 2^32.
    pub switches: u32,
    /// How many cycles the thread was the running thread, up to now.
    pub cycles: u64,
}

impl Statistics {
    /// Returns the difference from an `earlier` reading.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            switches: self.switches.wrapping_sub(earlier.switches),
            cycles: self.cycles.wrapping_sub(earlier.cycles),
        }
    }
}

/// The counts of the processor since the threads began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Processor {
    /// The number of cycles: those of all threads, and of idle.
    pub cycles: u64,
    /// The share of idle.
    pub idle: Statistics,
}

impl Processor {
    /// Returns the difference from an `earlier` reading.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            cycles: self.cycles.wrapping_sub(earlier.cycles),
            idle: self.idle.since(earlier.idle),
        }
    }

    /// Returns the share that a thread, or idle, has of the processor, in thousandths, rounded
    /// down: 0 to 1000. Both readings must be of the same time.
    #[must_use]
    pub const fn permille(&self, whose: Statistics) -> u16 {
        if self.cycles == 0 {
            return 0;
        }
        let share = whose.cycles.saturating_mul(1000) / self.cycles;
        if share > 1000 { 1000 } else { share as u16 }
    }
}

impl Thread {
    /// Returns how often the kernel switched to the thread, and how long the thread ran. From every
    /// context that the kernel knows of; constant time.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let (switches, cycles) = kernel(|lock| STATISTICS.of(&self.control, lock));
        Statistics { switches, cycles }
    }
}

/// Returns the counts of the processor and of idle. From every context that the kernel knows of;
/// constant time.
#[must_use]
pub fn processor() -> Processor {
    let (cycles, (switches, idle)) = kernel(|lock| STATISTICS.of_all(lock));
    Processor { cycles, idle: Statistics { switches, cycles: idle } }
}

/// Counts by another register from now on, instead of the processor's cycle counter: for example by
/// the counter of a timer that goes on while the processor sleeps. Cycles are then counts of this
/// register. Call this once, after the start of the threads: in `init`, or after
/// [`initialise`](super::initialise).
///
/// # Safety
/// The address is that of a 32-bit register, which may be read at any time without an effect.
///
/// The numbers are right only if the register counts up through all 32 bits, and no code writes the
/// register.
pub unsafe fn count_by(register: *const u32) {
    // SAFETY: the caller's.
    kernel(|lock| unsafe { STATISTICS.count_by(register, lock) });
}

/// Begins to count: idle runs.
pub fn begin() {
    let counter = cycle_counter::start();
    kernel(|lock| {
        if let Some(counter) = counter {
            // SAFETY: it may be read.
            unsafe { STATISTICS.count_by(counter, lock) };
        }
        STATISTICS.begin(lock);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_thousandths_and_never_more_than_all() {
        let of = |cycles| Statistics { switches: 0, cycles };
        let all = Processor { cycles: 3_000, idle: of(2_000) };
        assert_eq!((all.permille(all.idle), all.permille(of(1))), (666, 0));
        assert_eq!(all.permille(of(4_000)), 1_000);
        assert_eq!(Processor::default().permille(of(1)), 0);
    }

    #[test]
    fn what_was_added_is_a_difference_and_switches_may_wrap() {
        let earlier = Statistics { switches: u32::MAX, cycles: 10 };
        let later = Statistics { switches: 1, cycles: 30 };
        assert_eq!(later.since(earlier), Statistics { switches: 2, cycles: 20 });
        let all = Processor { cycles: 50, idle: later };
        let since = all.since(Processor { cycles: 20, idle: earlier });
        assert_eq!((since.cycles, since.idle.cycles), (30, 20));
    }
}
