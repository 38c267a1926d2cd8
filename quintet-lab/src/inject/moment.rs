//! The moment of an injection: the instruction and the exception, and their form on a command line
//! (`1234:SysTick`).
//!
//! A run is deterministic, so a cycle names an instruction. Some instructions begin in the same
//! cycle as the instruction before (an IT that is decoded together with it). Their form is
//! `1234+1`.

use super::masks::MaskMeter;
use crate::firmware::symbols::parse_number;
use quintet_sim::machine::{Machine, Stop, Until};
use quintet_sim::processor::exceptions::number::{FIRST_INTERRUPT, NMI, PEND_SV, SYS_TICK};
use quintet_sim::snapshot::Snapshot;
use std::fmt;
use std::str::FromStr;

/// A boundary between two steps of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Moment {
    /// The cycle since power-on.
    pub cycle: u64,
    /// The number of steps behind the first boundary in this cycle.
    pub skip: u32,
}

/// An exception that is pended at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Injection {
    /// When.
    pub moment: Moment,
    /// The exception's number, as in IPSR.
    pub exception: u16,
}

/// Returns the exception's name on a command line: `SysTick`, or `irq5`.
pub fn label(exception: u16) -> String {
    match exception {
        NMI => "NMI".into(),
        PEND_SV => "PendSV".into(),
        SYS_TICK => "SysTick".into(),
        FIRST_INTERRUPT.. => format!("irq{}", exception - FIRST_INTERRUPT),
        other => format!("exception{other}"),
    }
}

/// Returns the exception that `text` names by its own name or number; `None` if there is none.
///
/// A bare number is an interrupt's, counted from 0, as in files of inputs.
pub fn exception_named(text: &str) -> Option<u16> {
    for system in [NMI, PEND_SV, SYS_TICK] {
        if text.eq_ignore_ascii_case(&label(system)) {
            return Some(system);
        }
    }
    let lower = text.to_ascii_lowercase();
    let digits = lower.strip_prefix("irq").unwrap_or(&lower).trim();
    let number = u16::try_from(parse_number(digits).ok()?).ok()?;
    number.checked_add(FIRST_INTERRUPT)
}

/// An injection that happened, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Struck {
    /// The moment and the exception.
    pub injection: Injection,
    /// The instruction that was about to execute.
    pub pc: u32,
    /// `true` if the processor was asleep.
    pub asleep: bool,
    /// `true` if the exception was taken at once, rather than held off by a mask or priority.
    pub at_once: bool,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.skip {
            0 => write!(f, "{}", self.cycle),
            skip => write!(f, "{}+{skip}", self.cycle),
        }
    }
}

impl fmt::Display for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.moment, label(self.exception))
    }
}

impl FromStr for Injection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || {
            format!("\"{text}\" is not CYCLE:EXCEPTION; write 1234:SysTick, 1234:irq5 or 1234+1:5")
        };
        let (moment, exception) = text.split_once(':').ok_or_else(refused)?;
        let (cycle, skip) = moment.split_once('+').unwrap_or((moment, "0"));
        Ok(Self {
            moment: Moment {
                cycle: cycle.trim().replace('_', "").parse().map_err(|_| refused())?,
                skip: skip.trim().parse().map_err(|_| refused())?,
            },
            exception: exception_named(exception.trim()).ok_or_else(refused)?,
        })
    }
}

/// A machine that knows its moment, and measures masked time if asked to.
#[derive(Clone)]
pub struct Walker {
    /// The machine.
    pub machine: Machine,
    /// The meter of masked time; `None` if it isn't measured.
    meter: Option<MaskMeter>,
    at: Moment,
}

/// A moment of a run to go back to.
pub struct Mark {
    snapshot: Snapshot,
    meter: Option<MaskMeter>,
    at: Moment,
}

impl Walker {
    /// A walker with a machine that has been reset and has not run.
    pub fn new(mut machine: Machine, measures_masks: bool) -> Self {
        let at = Moment { cycle: machine.cycle(), skip: 0 };
        let meter = measures_masks.then(|| MaskMeter::start(&mut machine));
        Self { machine, meter, at }
    }

    /// Returns the present moment.
    pub fn at(&self) -> Moment {
        self.at
    }

    /// The masked time so far.
    pub fn meter(&mut self) -> Option<&MaskMeter> {
        let meter = self.meter.as_mut()?;
        meter.read(&mut self.machine);
        Some(meter)
    }

    /// Forgets the masked time until now.
    pub fn forget_masked(&mut self) {
        self.meter();
        if let Some(meter) = &mut self.meter {
            meter.forget();
        }
    }

    /// Remembers this moment.
    pub fn mark(&mut self) -> Mark {
        self.meter();
        Mark { snapshot: self.machine.snapshot(), meter: self.meter.clone(), at: self.at }
    }

    /// Goes back to a moment.
    pub fn go_back(&mut self, mark: &Mark) {
        self.machine.restore(&mark.snapshot);
        self.meter.clone_from(&mark.meter);
        self.at = mark.at;
    }

    /// One step of the machine.
    #[inline]
    pub fn step(&mut self) -> Option<Stop> {
        let stop = self.machine.step();
        let cycle = self.machine.cycle();
        let skip = if cycle == self.at.cycle { self.at.skip + 1 } else { 0 };
        self.at = Moment { cycle, skip };
        stop
    }

    /// Goes on to a moment that is not over. Returns `false` if the run has no such moment.
    pub fn go_to(&mut self, moment: Moment) -> bool {
        if self.at.cycle < moment.cycle {
            let until = Until { max_cycles: Some(moment.cycle), ..Until::default() };
            if self.machine.run(&until) != Stop::CycleLimit {
                return false;
            }
            self.at = Moment { cycle: self.machine.cycle(), skip: 0 };
        }
        while self.at < moment && self.at.cycle == moment.cycle {
            if self.step().is_some() {
                return false;
            }
        }
        self.at == moment
    }

    /// Pends an exception here.
    pub fn strike(&mut self, exception: u16) -> Struck {
        let asleep = self.machine.processor.is_asleep();
        self.machine.pend(exception);
        let table = &self.machine.processor.system.exceptions;
        let at_once = table.candidate().exception == exception
            && table.candidate().priority < self.machine.processor.execution_priority();
        let injection = Injection { moment: self.at, exception };
        Struck { injection, pc: self.machine.pc(), asleep, at_once }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn injections_are_read_as_they_are_written() {
        for text in ["1234:SysTick", "0:NMI", "77+1:irq0", "5:PendSV", "5:irq239"] {
            assert_eq!(text.parse::<Injection>().unwrap().to_string(), text);
        }
        let parsed: Injection = "1_000: 3".parse().unwrap();
        assert_eq!(parsed.to_string(), "1000:irq3");
        assert_eq!("9:IRQ 4".parse::<Injection>().unwrap().exception, 20);
    }

    #[test]
    fn what_is_no_injection_is_refused_with_an_example() {
        for text in ["", "12", "x:SysTick", "12:HardFault", "12+:irq1", "12:irq", "1:70000", "1:-1"]
        {
            let refusal = text.parse::<Injection>().unwrap_err();
            assert!(refusal.contains("1234:SysTick"), "{text}: {refusal}");
        }
    }

    #[test]
    fn moments_are_ordered_as_they_happen() {
        let at = |cycle, skip| Moment { cycle, skip };
        assert!(at(5, 0) < at(5, 1) && at(5, 9) < at(6, 0));
    }
}
