//! How long a process holds others up: threads that are more urgent than the process, and interrupt
//! tasks.
//!
//! SVCall and the handlers of faults work for a process. No thread runs meanwhile, so a more urgent
//! thread that becomes ready is delayed by such a *stretch* of work. It ends where the switch
//! begins, which chooses the most urgent thread, or where a process goes on, as then no switch is
//! due. The time that interrupts take in between isn't part of the stretch.
//!
//! Within a stretch, an interrupt task waits while the kernel masks interrupts, or while the
//! handler of a fault runs, which is more urgent.

use std::fmt;

/// The most cycles for which a process delays a more urgent thread, on the Cortex-M3 model without
/// wait states.
pub const THREAD_CYCLES: u64 = 600;
/// The same by a fault, with the policy of the kernel that is attacked, and by each piece of the
/// end of a process, which is a fault too.
pub const FAULT_CYCLES: u64 = 650;
/// The same for the commands of the alarm, which read and program the clock.
pub const ALARM_CYCLES: u64 = 900;
/// The most cycles for which a process delays an interrupt task.
pub const INTERRUPT_CYCLES: u64 = 60;

/// The exceptions that work for processes: faults, SVCall, and the monitor of breakpoints.
const FAULTS: std::ops::RangeInclusive<u16> = 3..=6;
const SVCALL: u16 = 11;
const MONITOR: u16 = 12;
const PENDSV: u16 = 14;

/// A step of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The cycles that it has taken.
    pub cycles: u64,
    /// The number of the active exception, 0 in a thread or a process.
    pub exception: u16,
    /// `true` if the kernel holds interrupts off.
    pub is_masked: bool,
}

/// The present stretch, and the longest ones.
#[derive(Clone, Debug, Default)]
pub struct Lateness {
    thread: u64,
    interrupt: u64,
    /// The stretch began with a command of the alarm, or with a fault.
    is_alarm: bool,
    is_fault: bool,
    /// The longest delay of a thread: by a command of the alarm, by a fault, and by all else.
    alarm_longest: u64,
    fault_longest: u64,
    thread_longest: u64,
    /// The longest delay of an interrupt task.
    interrupt_longest: u64,
}

impl Lateness {
    /// Notes that a process was left: by a command of the alarm, or otherwise.
    pub fn begin(&mut self, is_alarm: bool) {
        self.is_alarm = is_alarm;
    }

    /// Notes a step. Returns an error if a bound is exceeded.
    pub fn note(&mut self, step: Step) -> Result<(), String> {
        let Step { cycles, exception, is_masked } = step;
        let is_fault = FAULTS.contains(&exception) || exception == MONITOR;
        let is_work = is_fault || exception == SVCALL;
        if self.thread == 0 && is_work {
            self.is_fault = is_fault;
        }
        match exception {
            0 | PENDSV => self.end(),
            _ if is_work => self.thread += cycles,
            // An interrupt, which is more urgent.
            _ => (),
        }
        let waits = is_work && (is_masked || is_fault);
        self.interrupt = if waits { self.interrupt + cycles } else { 0 };
        self.interrupt_longest = self.interrupt_longest.max(self.interrupt);
        let (longest, bound) = if self.is_fault {
            (&mut self.fault_longest, FAULT_CYCLES)
        } else if self.is_alarm {
            (&mut self.alarm_longest, ALARM_CYCLES)
        } else {
            (&mut self.thread_longest, THREAD_CYCLES)
        };
        *longest = self.thread.max(*longest);
        if self.thread > bound {
            return Err(format!(
                "a process delays a more urgent thread by more than {bound} cycles"
            ));
        }
        if self.interrupt > INTERRUPT_CYCLES {
            return Err(format!(
                "a process delays an interrupt task by more than {INTERRUPT_CYCLES} cycles"
            ));
        }
        Ok(())
    }

    /// Notes that code of a thread or a process goes on.
    pub fn end(&mut self) {
        (self.thread, self.interrupt) = (0, 0);
    }
}

impl fmt::Display for Lateness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "a more urgent thread was delayed by up to {} cycles of {THREAD_CYCLES}, by a fault {} \
             of {FAULT_CYCLES}, by the alarm {} of {ALARM_CYCLES}; an interrupt task {} of \
             {INTERRUPT_CYCLES}",
            self.thread_longest, self.fault_longest, self.alarm_longest, self.interrupt_longest
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(cycles: u64, exception: u16, is_masked: bool) -> Step {
        Step { cycles, exception, is_masked }
    }

    #[test]
    fn a_stretch_ends_with_the_switch_or_a_process_and_interrupts_are_no_part_of_it() {
        let mut it = Lateness::default();
        for (cycles, exception) in [(150, SVCALL), (900, 16), (300, SVCALL), (400, PENDSV), (1, 0)]
        {
            it.note(step(cycles, exception, false)).unwrap();
        }
        for (cycles, exception) in
            [(30, 4), (FAULT_CYCLES - 30, SVCALL), (1, 0), (THREAD_CYCLES, SVCALL)]
        {
            it.note(step(cycles, exception, false)).unwrap();
        }
        assert_eq!((it.thread_longest, it.fault_longest), (THREAD_CYCLES, FAULT_CYCLES));
        let said = it.note(step(1, SVCALL, false));
        let said = said.expect_err("that is one too many");
        assert_eq!(said, "a process delays a more urgent thread by more than 600 cycles");
        it.end();
        it.begin(true);
        it.note(step(ALARM_CYCLES, SVCALL, false)).unwrap();
        assert!(it.note(step(1, SVCALL, false)).is_err());
    }

    #[test]
    fn masks_and_handlers_of_faults_delay_interrupts() {
        let mut it = Lateness::default();
        for (cycles, exception, is_masked) in [
            (20, SVCALL, true),
            (1, SVCALL, false),
            (40, 4, false),
            (9, SVCALL, true),
            (99, 16, true),
            (60, SVCALL, true),
        ] {
            it.note(step(cycles, exception, is_masked)).unwrap();
        }
        assert_eq!(it.interrupt_longest, 60);
        let said = it.note(step(1, SVCALL, true)).expect_err("they are 61");
        assert_eq!(said, "a process delays an interrupt task by more than 60 cycles");
    }
}
