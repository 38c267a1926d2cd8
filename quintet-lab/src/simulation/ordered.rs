//! A run whose output and pins are printed in the order of time.

use super::{Advance, Simulation};
use crate::simulated::Simulated;
use quintet_sim::machine::Stop;

impl<M: Simulated> Simulation<'_, M> {
    /// Runs to the end, and prints each change of a pin behind what the firmware has printed
    /// before.
    pub(super) fn advance_in_order(&mut self) -> anyhow::Result<Advance> {
        let instructions = self.instruction_limit.unwrap_or(u64::MAX);
        loop {
            let end = self.slice_end();
            let stop = loop {
                if self.machine.cycle() >= end {
                    break Stop::CycleLimit;
                }
                if self.machine.instructions() >= instructions {
                    break Stop::InstructionLimit;
                }
                let stop = self.machine.step_within(end);
                if self.machine.has_pin_changes() {
                    self.print_output()?;
                }
                if let Some(stop) = stop {
                    break stop;
                }
            };
            if let Some(advance) = self.conclude(stop)? {
                return Ok(advance);
            }
        }
    }
}
