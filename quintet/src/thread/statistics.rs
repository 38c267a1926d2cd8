//! Statistics: how often threads were switched to, and what share of the processor they have. The
//! feature `statistics`.
//!
//! Counting is by the processor's cycle counter, CYCCNT of its trace unit, which the start of the
//! threads switches on. It is not to be written or stopped from then on.
//!
//! - **What counts.** A thread's time is that between the switch to it and the switch away from it:
//!   with the interrupts that come meanwhile, as FreeRTOS has it, and with half of each switch.
//!   Idle's is the time in which no thread runs, asleep or not.
//! - **Range.** Times are 64 bits, but the counter has 32: a switch, or a reading of any
//!   statistics, must come once in 2^32 of its counts, 59 s at 72 MHz, or so many are missed.
//!   Switches are 32 bits, and wrap.
//! - **Asleep.** Many chips stop the cycle counter while they sleep, at least without a debugger.
//!   Then idle's time is the time that it is awake. [`count_by`] takes a timer that goes on.
//! - **Without a counter.** Some cores leave the cycle counter out: times stay 0, and switches
//!   count. Cores without threads (ARMv6-M) have nothing of this; the feature changes nothing.
//!
//! # Cost
//! 12 bytes for each thread and 36 besides, a longer switch, in a section of the kernel's lock, and
//! some cycles for each word of its stack where a thread is started, which fills it.
//! `docs/book/threads.md` has the numbers. Without the feature nothing of it is there.

#![expect(unsafe_code, reason = "a register is read by its address")]

use super::Thread;
use crate::arch::cycle_counter;
use crate::core::lock::kernel;
use crate::core::scheduler::STATISTICS;

/// What a thread, or idle, has done since the threads began; also if it ended and was started
/// again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How often it was switched to. Wraps at 2^32.
    pub switches: u32,
    /// How many cycles it was the running thread, up to this moment.
    pub cycles: u64,
}

impl Statistics {
    /// What was added since an `earlier` reading.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            switches: self.switches.wrapping_sub(earlier.switches),
            cycles: self.cycles.wrapping_sub(earlier.cycles),
        }
    }
}

/// What the processor has done since the threads began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Processor {
    /// How many cycles there were: those of all threads, and of idle.
    pub cycles: u64,
    /// What idle had of it.
    pub idle: Statistics,
}

impl Processor {
    /// What was added since an `earlier` reading.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            cycles: self.cycles.wrapping_sub(earlier.cycles),
            idle: self.idle.since(earlier.idle),
        }
    }

    /// A thread's share of the processor, or idle's, in thousandths, rounded down: 0 to 1000. Both
    /// are of the same time.
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
    /// How often it was switched to, and how long it ran. From every context that the kernel knows
    /// of; constant time.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let (switches, cycles) = kernel(|lock| STATISTICS.of(&self.control, lock));
        Statistics { switches, cycles }
    }
}

/// What the processor has done, and idle. From every context that the kernel knows of; constant
/// time.
#[must_use]
pub fn processor() -> Processor {
    let (cycles, (switches, idle)) = kernel(|lock| STATISTICS.of_all(lock));
    Processor { cycles, idle: Statistics { switches, cycles: idle } }
}

/// Counts by another register from now on, in place of the processor's cycle counter: by that of a
/// timer that goes on while the processor sleeps. Cycles are its counts then. Once, behind the
/// start of the threads: in `init`, or behind [`initialise`](super::initialise).
///
/// # Safety
/// The address is that of a 32-bit register, which may be read at any time, without an effect.
///
/// The numbers mean something only if it counts up, through all 32 bits, and nobody writes it.
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
