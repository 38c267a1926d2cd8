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

use crate::campaign::{Processor, SMALL};

/// The most cycles for which a process delays others, without wait states.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// A more urgent thread, by a call.
    call: u64,
    /// The same by a fault, with the policy of the kernel that is attacked, and by each piece of
    /// the end of a process, which is a fault too. A call that doesn't exist is a fault.
    fault: u64,
    /// The same by the commands of the alarm, which read and program the clock.
    alarm: u64,
    /// An interrupt task.
    interrupt: u64,
}

impl Bounds {
    /// The bounds on the Cortex-M3 model, and on a Cortex-M4F whose processes use floating-point
    /// registers: calls store and load some of these. On a Cortex-M0+, PendSV looks at most faults,
    /// in time that is the switch's here.
    #[must_use]
    pub fn of(processor: Processor) -> Self {
        if processor.target == SMALL.target {
            Self { call: 650, fault: 950, alarm: 1450, interrupt: 120 }
        } else if processor.floats {
            Self { call: 470, fault: 670, alarm: 820, interrupt: 60 }
        } else {
            Self { call: 470, fault: 530, alarm: 820, interrupt: 60 }
        }
    }
}

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
#[derive(Clone, Debug)]
pub struct Lateness {
    bounds: Bounds,
    thread: u64,
    interrupt: u64,
    /// The stretch began with a command of the alarm, or with a fault.
    is_alarm: bool,
    is_fault: bool,
    /// The number of faults that the policy had decided about when the stretch began.
    faults: u32,
    /// The longest delay of a thread: by a command of the alarm, by a fault, and by all else.
    alarm_longest: u64,
    fault_longest: u64,
    thread_longest: u64,
    /// The longest delay of an interrupt task.
    interrupt_longest: u64,
}

impl Lateness {
    /// Nothing was delayed yet.
    #[must_use]
    pub const fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            thread: 0,
            interrupt: 0,
            is_alarm: false,
            is_fault: false,
            faults: 0,
            alarm_longest: 0,
            fault_longest: 0,
            thread_longest: 0,
            interrupt_longest: 0,
        }
    }

    /// Notes that a process was left, by a command of the alarm or otherwise, when the policy had
    /// decided about so many faults.
    pub fn begin(&mut self, is_alarm: bool, faults: u32) {
        (self.is_alarm, self.faults) = (is_alarm, faults);
    }

    /// Notes a step, behind which `faults` tells about how many faults the policy has decided.
    /// Returns an error if a bound is exceeded.
    pub fn note(&mut self, step: Step, faults: impl Fn() -> u32) -> Result<(), String> {
        let Step { cycles, exception, is_masked } = step;
        let is_fault = FAULTS.contains(&exception) || exception == MONITOR;
        let is_work = is_fault || exception == SVCALL;
        if self.thread == 0 && is_work {
            self.is_fault = is_fault;
        }
        match exception {
            0 | PENDSV => self.end(&faults)?,
            _ if is_work => self.thread += cycles,
            // An interrupt, which is more urgent.
            _ => (),
        }
        let waits = is_work && (is_masked || is_fault);
        self.interrupt = if waits { self.interrupt + cycles } else { 0 };
        self.interrupt_longest = self.interrupt_longest.max(self.interrupt);
        // A call may turn out to be a fault.
        let bound = match (self.is_fault, self.is_alarm) {
            (false, true) => self.bounds.alarm,
            _ => self.bounds.fault,
        };
        self.check(bound)?;
        if self.interrupt > self.bounds.interrupt {
            return Err(format!(
                "a process delays an interrupt task by more than {} cycles",
                self.bounds.interrupt
            ));
        }
        Ok(())
    }

    /// Notes that code of a thread or a process goes on, and judges the stretch. If the policy has
    /// decided about a fault, the call doesn't exist, or its frame was invalid.
    pub fn end(&mut self, faults: impl Fn() -> u32) -> Result<(), String> {
        let (longest, bound) = if self.is_alarm && !self.is_fault {
            (&mut self.alarm_longest, self.bounds.alarm)
        } else if self.is_fault || self.thread > 0 && faults() != self.faults {
            (&mut self.fault_longest, self.bounds.fault)
        } else {
            (&mut self.thread_longest, self.bounds.call)
        };
        *longest = self.thread.max(*longest);
        self.check(bound)?;
        (self.thread, self.interrupt) = (0, 0);
        Ok(())
    }

    /// Checks that the stretch is within a bound.
    fn check(&self, bound: u64) -> Result<(), String> {
        if self.thread <= bound {
            return Ok(());
        }
        Err(format!("a process delays a more urgent thread by more than {bound} cycles"))
    }
}

impl fmt::Display for Lateness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { call, fault, alarm, interrupt } = self.bounds;
        write!(
            formatter,
            "a more urgent thread was delayed by up to {} cycles of {call}, by a fault {} of \
             {fault}, by the alarm {} of {alarm}; an interrupt task {} of {interrupt}",
            self.thread_longest, self.fault_longest, self.alarm_longest, self.interrupt_longest
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { call: 400, fault: 530, alarm: 820, interrupt: 60 };

    fn step(cycles: u64, exception: u16) -> Step {
        Step { cycles, exception, is_masked: false }
    }

    /// Notes these steps, during which the policy decides about no fault.
    fn note(it: &mut Lateness, steps: &[(u64, u16)]) -> Result<(), String> {
        steps.iter().try_for_each(|&(cycles, exception)| it.note(step(cycles, exception), || 0))
    }

    #[test]
    fn a_stretch_ends_with_the_switch_or_a_process_and_interrupts_are_no_part_of_it() {
        let mut it = Lateness::new(BOUNDS);
        let steps = [(150, SVCALL), (900, 16), (200, SVCALL), (400, PENDSV), (1, 0)];
        note(&mut it, &steps).unwrap();
        note(&mut it, &[(30, 4), (500, SVCALL), (1, 0), (400, SVCALL), (1, 0)]).unwrap();
        assert_eq!((it.thread_longest, it.fault_longest), (400, 530));
        let said = note(&mut it, &[(401, SVCALL), (1, 0)]).expect_err("that is one too many");
        assert_eq!(said, "a process delays a more urgent thread by more than 400 cycles");
        let mut it = Lateness::new(BOUNDS);
        let said = note(&mut it, &[(531, SVCALL)]).expect_err("nothing may take so long");
        assert_eq!(said, "a process delays a more urgent thread by more than 530 cycles");
        let mut it = Lateness::new(BOUNDS);
        it.begin(true, 0);
        note(&mut it, &[(820, SVCALL)]).unwrap();
        assert!(note(&mut it, &[(1, SVCALL)]).is_err());
    }

    #[test]
    fn a_call_about_which_the_policy_has_decided_is_a_fault() {
        let mut it = Lateness::new(BOUNDS);
        it.begin(false, 7);
        it.note(step(530, SVCALL), || 7).unwrap();
        it.end(|| 8).unwrap();
        assert_eq!((it.thread_longest, it.fault_longest), (0, 530));
        it.begin(false, 8);
        it.note(step(401, SVCALL), || 8).unwrap();
        assert!(it.end(|| 8).is_err());
    }

    #[test]
    fn masks_and_handlers_of_faults_delay_interrupts() {
        let mut it = Lateness::new(BOUNDS);
        for (cycles, exception, is_masked) in [
            (20, SVCALL, true),
            (1, SVCALL, false),
            (40, 4, false),
            (9, SVCALL, true),
            (99, 16, true),
            (60, SVCALL, true),
        ] {
            it.note(Step { cycles, exception, is_masked }, || 0).unwrap();
        }
        assert_eq!(it.interrupt_longest, 60);
        let one = Step { cycles: 1, exception: SVCALL, is_masked: true };
        let said = it.note(one, || 0).expect_err("they are 61");
        assert_eq!(said, "a process delays an interrupt task by more than 60 cycles");
    }
}
