//! A chip with a Cortex-M.

use std::path::Path;

use quintet_sim::machine::{Machine, Output};

use super::Simulated;
use crate::commands::options::{MachineOptions, untimed};
use crate::firmware::Firmware;
use crate::log::Log;
use crate::main_stack::Overflow;
use crate::masks::{Masked, Masks};
use crate::pins::Pins;
use crate::report::death::Cause;
use crate::simulation::{Simulation, channel_name, dead_loop, jumps_to_itself};

impl Simulated for Machine {
    fn open(options: &MachineOptions, file: &Path) -> anyhow::Result<Firmware> {
        options.open(file)
    }

    fn started(options: &MachineOptions, firmware: &Firmware) -> anyhow::Result<Self> {
        options.machine(firmware)
    }

    fn clock_of(options: &MachineOptions, _: &Firmware) -> anyhow::Result<u64> {
        Ok(options.board()?.clock_hz)
    }

    fn board_name(&self) -> String {
        self.board().name.clone()
    }

    fn clock_hz(&self) -> u64 {
        self.board().clock_hz
    }

    fn untimed(&self) -> Option<String> {
        untimed(self.board())
    }

    fn cortex_m(&self) -> Option<&Machine> {
        Some(self)
    }

    fn pause(&mut self) {
        self.debug_halt();
        self.debug_resume();
    }

    fn take_log(&mut self, log: &mut Log<'_>) -> Vec<Output> {
        log.take(self)
    }

    fn channel_name(&self, channel: &str) -> String {
        channel_name(self, channel)
    }

    fn take_pins(&mut self, pins: &mut Pins) -> String {
        pins.take(self)
    }

    fn dead_loop(&self, stays: bool) -> Option<Cause> {
        match self.processor.registers.ipsr {
            exception @ 4..=6 if stays => Some(Cause::FaultLoop { exception }),
            _ => dead_loop(self),
        }
    }

    fn jumps_to_itself(&self) -> bool {
        jumps_to_itself(self)
    }

    fn mask(&self, masks: &mut Masks, from: u32) -> Option<Masked> {
        masks.look(self, from)
    }

    fn overflow(&self, firmware: &Firmware) -> Option<Overflow> {
        Overflow::find(firmware, self)
    }

    fn post_mortem(simulation: &Simulation<'_, Self>, cause: &Cause) -> String {
        simulation.examine(cause).text()
    }
}
