//! How long the kernel holds others up while it works for a process: threads that are more urgent
//! than the process, and interrupt tasks.
//!
//! The work for a process is what SVCall, the switch and the handlers of faults do. No thread runs
//! meanwhile: a *stretch* of such work ends where code of a thread or a process goes on, and time
//! that interrupts take in between isn't part of it. Within a stretch, an interrupt task waits while
//! the kernel masks interrupts, or while the handler of a fault runs, which is more urgent.

use std::fmt;

/// The most cycles for which a process may delay a more urgent thread, without wait states.
pub const THREAD_CYCLES: u64 = 400;
/// The most cycles for which a process may delay an interrupt task.
pub const INTERRUPT_CYCLES: u64 = 60;

/// The exceptions that work for processes: the faults, SVCall, the debug monitor and PendSV.
const FAULTS: std::ops::RangeInclusive<u16> = 3..=6;
const SVCALL: u16 = 11;
const MONITOR: u16 = 12;
const PENDSV: u16 = 14;

/// The present stretches, and the longest ones.
#[derive(Clone, Debug, Default)]
pub struct Lateness {
    thread: u64,
    interrupt: u64,
    /// The longest delay of a thread, and of an interrupt task, in cycles.
    pub longest: [u64; 2],
}

impl Lateness {
    /// Notes a step that has taken so many cycles: the number of the active exception, 0 for a
    /// thread or a process, and whether the kernel masked interrupts.
    pub fn note(&mut self, cycles: u64, exception: u16, is_masked: bool) -> Result<(), String> {
        let is_fault = FAULTS.contains(&exception) || exception == MONITOR;
        let is_work = is_fault || exception == SVCALL || exception == PENDSV;
        if is_work {
            self.thread += cycles;
        } else if exception == 0 {
            self.thread = 0;
        }
        self.interrupt =
            if is_work && (is_masked || is_fault) { self.interrupt + cycles } else { 0 };
        let both = [
            (self.thread, THREAD_CYCLES, "a more urgent thread"),
            (self.interrupt, INTERRUPT_CYCLES, "an interrupt task"),
        ];
        for (longest, (now, limit, who)) in self.longest.iter_mut().zip(both) {
            *longest = (*longest).max(now);
            if now > limit {
                return Err(format!("a process delays {who} by more than {limit} cycles"));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Lateness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [thread, interrupt] = self.longest;
        write!(
            formatter,
            "delays: of a more urgent thread up to {thread} cycles of {THREAD_CYCLES}, of an \
             interrupt task up to {interrupt} of {INTERRUPT_CYCLES}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_the_work_between_two_instructions_of_threads() {
        let mut it = Lateness::default();
        for (cycles, exception) in [(150, SVCALL), (900, 16), (150, PENDSV), (9, 0), (300, SVCALL)]
        {
            it.note(cycles, exception, false).unwrap();
        }
        assert_eq!(it.longest, [300, 0]);
        let said = it.note(101, PENDSV, false);
        assert_eq!(
            said,
            Err("a process delays a more urgent thread by more than 400 cycles".into())
        );
    }

    #[test]
    fn masks_and_handlers_of_faults_delay_interrupts() {
        let mut it = Lateness::default();
        for (cycles, exception, is_masked) in [
            (20, SVCALL, true),
            (1, SVCALL, false),
            (40, 4, false),
            (9, PENDSV, true),
            (99, 16, true),
        ] {
            it.note(cycles, exception, is_masked).unwrap();
        }
        assert_eq!(it.longest[1], 49);
        it.note(60, SVCALL, true).unwrap();
        let said = it.note(1, SVCALL, true);
        assert_eq!(said, Err("a process delays an interrupt task by more than 60 cycles".into()));
    }
}
