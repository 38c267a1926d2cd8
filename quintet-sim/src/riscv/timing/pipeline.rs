//! The pipelines of all cores, as one.

use super::hazard3::Hazard3;
use super::ibex::Ibex;
use super::vexriscv::VexRiscv;
use super::{Facts, Model, Next};

/// A pipeline.
#[derive(Clone, Debug)]
pub enum Pipeline {
    /// Ibex.
    Ibex(Ibex),
    /// Hazard3.
    Hazard3(Hazard3),
    /// VexRiscv, which has a step of its own.
    VexRiscv(Box<VexRiscv>),
}

impl Pipeline {
    /// Returns the pipeline of a core after reset in the cycle `now`; `None` if it isn't timed.
    pub fn new(model: Model, wait_states: u8, start: u32, now: u64) -> Option<Self> {
        match model {
            Model::Untimed => None,
            Model::IbexSmall | Model::IbexMaxperf => {
                Some(Self::Ibex(Ibex::new(model, wait_states, start, now)))
            }
            Model::Hazard3 => Some(Self::Hazard3(Hazard3::new(wait_states, start, now))),
            Model::VexRiscvImac | Model::VexRiscvSecure => {
                Some(Self::VexRiscv(Box::new(VexRiscv::new(model, wait_states, start, now))))
            }
        }
    }

    /// Returns the current cycle since power-on.
    pub fn now(&self) -> u64 {
        match self {
            Self::Ibex(it) => it.now(),
            Self::Hazard3(it) => it.now(),
            Self::VexRiscv(it) => it.now(),
        }
    }

    /// Returns the cycle in which the last instruction retires.
    pub fn retired(&self) -> u64 {
        match self {
            Self::Ibex(it) => it.retired(),
            Self::Hazard3(it) => it.retired(),
            Self::VexRiscv(it) => it.retired(),
        }
    }

    /// Returns how many cycles the clock of the core has stood still.
    pub fn slept(&self) -> u64 {
        match self {
            Self::Ibex(it) => it.slept(),
            Self::Hazard3(_) | Self::VexRiscv(_) => 0,
        }
    }

    /// Goes on until an instruction of `length` bytes is where it executes.
    #[inline]
    pub fn next(&mut self, length: u32, interrupt: impl FnMut(u64) -> bool) -> Next {
        match self {
            Self::Ibex(it) => it.next(length, interrupt),
            Self::Hazard3(it) => it.next(length, interrupt),
            Self::VexRiscv(_) => Next::Instruction,
        }
    }

    /// Goes on until that instruction executes, if it then does.
    #[inline]
    pub fn begin(&mut self, facts: &Facts, interrupt: impl FnMut(u64) -> bool) -> Next {
        match self {
            Self::Ibex(it) => {
                it.begin(facts);
                Next::Instruction
            }
            Self::Hazard3(it) => it.begin(facts, interrupt),
            Self::VexRiscv(_) => Next::Instruction,
        }
    }

    /// Does the cycles of the instruction from there on. `interrupted` says whether there was an
    /// interrupt to take before it executed.
    #[inline]
    pub fn finish(&mut self, facts: &Facts, interrupted: bool, interrupt: impl FnMut(u64) -> bool) {
        match self {
            Self::Ibex(it) => it.finish(facts, interrupted, interrupt),
            Self::Hazard3(it) => it.finish(facts),
            Self::VexRiscv(_) => {}
        }
    }

    /// Goes to the handler of an interrupt.
    pub fn enter_handler(&mut self, target: u32) {
        match self {
            Self::Ibex(it) => it.enter_handler(target),
            Self::Hazard3(it) => it.enter_handler(target),
            Self::VexRiscv(_) => {}
        }
    }

    /// Lets time pass in which nothing executes.
    pub fn stall_until(&mut self, cycle: u64) {
        match self {
            Self::Ibex(it) => it.stall_until(cycle),
            Self::Hazard3(it) => it.stall_until(cycle),
            Self::VexRiscv(it) => it.skip_to(cycle),
        }
    }

    /// Sleeps on until `cycle`.
    pub fn sleep_until(&mut self, cycle: u64) {
        match self {
            Self::Ibex(it) => it.sleep_until(cycle),
            Self::Hazard3(it) => it.sleep_until(cycle),
            Self::VexRiscv(it) => it.skip_to(cycle),
        }
    }

    /// Wakes: an interrupt is pending in this cycle.
    pub fn wake(&mut self) {
        match self {
            Self::Ibex(it) => it.wake(),
            Self::Hazard3(it) => it.wake(),
            Self::VexRiscv(_) => {}
        }
    }
}
