//! A chip with a Cortex-M.

use std::path::Path;

use quintet_sim::board::Parts;
use quintet_sim::bus::{PinChange, WatchedRange};
use quintet_sim::machine::{Machine, Output, Watch};
use quintet_sim::processor::events::{EventKind, Mask};
use quintet_sim::riscv::machine::Machine as RiscV;
use quintet_sim::script::Script;

use super::Simulated;
use super::events::{Event, Seen};
use crate::commands::deadlines::handler;
use crate::commands::options::{MachineOptions, untimed};
use crate::commands::run;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::log::Log;
use crate::main_stack::{self, Overflow};
use crate::masks::{Masked, Masks};
use crate::report::death::Cause;
use crate::simulation::{Advance, Simulation, channel_name, dead_loop, jumps_to_itself};

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

    fn parts(&self) -> Parts<'_> {
        self.board().parts()
    }

    fn set_script(&mut self, script: Script) {
        self.set_script(script);
    }

    fn happened(&self, number: usize) -> Option<u64> {
        self.happened(number)
    }

    fn watch_memory(&mut self, range: WatchedRange) {
        self.watch(Watch::Memory(range));
    }

    fn observe_pins(&mut self, on: bool) {
        self.observe_pins(on);
    }

    #[inline]
    fn has_pin_changes(&self) -> bool {
        self.has_pin_changes()
    }

    fn take_pin_changes(&mut self) -> Vec<PinChange> {
        self.take_pin_changes()
    }

    fn pin_level(&self, device: usize, pin: u8) -> bool {
        self.pin_level(device, pin)
    }

    fn take_events(&mut self, _: &mut Seen, _: u32) -> Vec<Event> {
        let event = |event: quintet_sim::processor::events::Event| {
            let cycle = event.cycle;
            match event.kind {
                EventKind::Enter { exception: handler, began, return_address: from, .. } => {
                    Event::Entered { handler, began, cycle, from }
                }
                EventKind::Exit { .. } => Event::Left { cycle },
                EventKind::Sleep { .. } => Event::Slept { cycle },
                EventKind::Wake => Event::Woke { cycle },
                EventKind::Reset => Event::Reset { cycle },
                EventKind::MaskChange { mask, value, .. } => {
                    let mask = match mask {
                        Mask::Primask => 0,
                        Mask::Faultmask => 1,
                        Mask::Basepri => 2,
                    };
                    Event::Masked { mask, value, cycle }
                }
            }
        };
        self.take_events().into_iter().map(event).collect()
    }

    /// Handlers are left by their returns only.
    fn leave_handlers(&mut self) {}

    fn handler_named(&self, firmware: &Firmware, name: &str) -> Option<u16> {
        handler(firmware, self, name)
    }

    fn is_in_fault(&self) -> bool {
        run::is_in_fault(self)
    }

    fn is_main_stack_overflown(&self) -> bool {
        main_stack::is_overflown(self)
    }

    fn cortex_m(&self) -> Option<&Machine> {
        Some(self)
    }

    fn riscv(&self) -> Option<&RiscV> {
        None
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

    fn is_asleep(&self) -> bool {
        self.processor.is_asleep()
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

    fn ending(simulation: &Simulation<'_, Self>, end: &Advance) -> (Outcome, Vec<String>) {
        let (outcome, remarks) = run::remarks(simulation.firmware, simulation, end);
        (outcome, remarks.texts(outcome))
    }
}
