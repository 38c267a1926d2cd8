//! A chip with a RISC-V core.

use std::path::Path;

use anyhow::{Context, bail};
use quintet_sim::board::Board as OtherBoard;
use quintet_sim::board::Parts;
use quintet_sim::bus::{PinChange, WatchedRange};
use quintet_sim::cores::{Core, Target};
use quintet_sim::files;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine as CortexM, Output};
use quintet_sim::riscv::board::{self, Board};
use quintet_sim::riscv::machine::Machine;
use quintet_sim::riscv::timing::Model;
use quintet_sim::riscv::trap;
use quintet_sim::script::Script;

use super::Simulated;
use super::events::{Event, Seen};
use crate::commands::options::MachineOptions;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::input;
use crate::log::Log;
use crate::main_stack::Overflow;
use crate::masks::{Masked, Masks};
use crate::report::death::Cause;
use crate::report::riscv::{PostMortem, is_fault};
use crate::simulation::{Advance, Simulation, rtt_channel};

/// The board of the option `--board` where nobody has chosen one.
const DEFAULT: &str = "lm3s6965";

/// The board: the one that is asked for, or the first one for firmware that asks for none.
pub fn board(options: &MachineOptions, file: &Path) -> anyhow::Result<Board> {
    let asked = options.board.as_str();
    let first = board::names().next().unwrap_or_default();
    match asked {
        _ if board::names().any(|name| name == asked) => Ok(Board::named(asked)?),
        DEFAULT => Ok(Board::named(first)?),
        path if Path::new(path).is_file() => {
            Ok(Board::parse(&files::read_text(Path::new(path))?, path)?)
        }
        _ => {
            // A board that does not exist is the first thing to say.
            OtherBoard::find(asked)?;
            bail!(
                "{} is for RISC-V, and the core of {asked} is not: choose a board with a RISC-V \
                 core, --board {}",
                file.display(),
                board::names().collect::<Vec<_>>().join(" or ")
            );
        }
    }
}

/// Refuses options that only boards with a Cortex-M have.
pub fn refuse(options: &MachineOptions, others: &[(bool, &str)]) -> anyhow::Result<()> {
    let own = [
        (options.load.is_some(), "--load"),
        (!options.also.is_empty(), "--also"),
        (options.process_semihosting, "--process-semihosting"),
        (options.vector_table.is_some(), "--vector-table"),
        (options.svd.is_some(), "--svd"),
    ];
    let all = others.iter().chain(&own);
    let Some((_, option)) = all.clone().find(|(is_asked, _)| *is_asked) else { return Ok(()) };
    bail!(
        "{option} is not there yet for a board with a RISC-V core: an ELF file runs and prints, \
         within its limits, with --for, --stdin, --inputs and arguments; leave {option} out"
    );
}

impl Simulated for Machine {
    fn open(options: &MachineOptions, file: &Path) -> anyhow::Result<Firmware> {
        board(options, file)?;
        refuse(options, &[])?;
        let bytes = input::firmware(file)?;
        let image = Image::parse_riscv_elf(&bytes);
        let image = image.with_context(|| format!("cannot load {}", file.display()))?;
        let mut firmware = Firmware::of_image(file, image, &bytes);
        options.add_processes(&mut firmware, None)?;
        Ok(firmware)
    }

    fn started(options: &MachineOptions, firmware: &Firmware) -> anyhow::Result<Self> {
        let board = board(options, &firmware.path)?;
        let mut machine = Self::new(&board);
        machine.load(&firmware.image).with_context(|| {
            format!("cannot run {} on the board {}", firmware.path.display(), board.name)
        })?;
        machine.set_command_line(&firmware.path.display().to_string());
        machine.set_output_limit(options.output_limit());
        if let Some(path) = &options.inputs {
            machine.set_script(Script::from_file(path, &board, firmware)?);
        }
        if let Some(path) = &options.stdin {
            machine.set_input(&input::standard_input(path)?);
        }
        Ok(machine)
    }

    fn clock_of(options: &MachineOptions, firmware: &Firmware) -> anyhow::Result<u64> {
        Ok(board(options, &firmware.path)?.clock_hz)
    }

    fn board_name(&self) -> String {
        self.board().name.clone()
    }

    fn clock_hz(&self) -> u64 {
        self.board().clock_hz
    }

    fn untimed(&self) -> Option<String> {
        let board = self.board();
        (board.pipeline.model == Model::Untimed).then(|| {
            format!("the core of {} is not timed: each instruction takes one cycle", board.name)
        })
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
        self.watch(range);
    }

    fn observe_pins(&mut self, on: bool) {
        self.observe_pins(on);
    }

    #[inline]
    fn has_pin_changes(&self) -> bool {
        self.hart.bus.system.has_pin_changes()
    }

    fn take_pin_changes(&mut self) -> Vec<PinChange> {
        self.take_pin_changes()
    }

    fn pin_level(&self, device: usize, pin: u8) -> bool {
        self.pin_level(device, pin)
    }

    fn take_events(&mut self, seen: &mut Seen, from: u32) -> Vec<Event> {
        let cycle = self.cycle();
        let mut events = Vec::new();
        let is_asleep = self.hart.is_asleep();
        if std::mem::replace(&mut seen.is_asleep, is_asleep) != is_asleep {
            events.push(if is_asleep { Event::Slept { cycle } } else { Event::Woke { cycle } });
        }
        let traps = self.hart.open_traps();
        let from_trap = traps.last().map_or(self.pc(), |trap| trap.from);
        for passage in Core::take_passages(self) {
            let (handler, began) = (passage.handler, passage.cycle);
            events.push(match passage.is_entry {
                true => Event::Entered { handler, began, cycle, from: from_trap },
                false => Event::Left { cycle: began },
            });
        }
        if let Some(mask) = seen.masks.look_riscv(self, from) {
            events.push(Event::Held { times: (mask.start, cycle), own: mask.cycles });
        }
        events
    }

    fn leave_handlers(&mut self) {
        self.hart.leave_traps();
    }

    /// The handlers of `riscv-rt` share one entry, so that their names say nothing: a handler has
    /// the name of what raises its trap.
    fn handler_named(&self, _: &Firmware, name: &str) -> Option<u16> {
        let numbers = (1..=16).chain(256..288);
        numbers.into_iter().find(|number| trap::handler_name(*number) == name)
    }

    fn is_in_fault(&self) -> bool {
        self.hart.open_traps().iter().any(|trap| is_fault(trap.cause))
    }

    fn is_main_stack_overflown(&self) -> bool {
        false
    }

    fn cortex_m(&self) -> Option<&CortexM> {
        None
    }

    fn riscv(&self) -> Option<&Self> {
        Some(self)
    }

    /// No pipeline of a RISC-V core has a model of what a halt does to it.
    fn pause(&mut self) {}

    fn take_log(&mut self, log: &mut Log<'_>) -> Vec<Output> {
        let output = self.take_output();
        let is_short = self.output_cut().is_some();
        log.take_from(output, is_short, &|number| self.rtt_name(number), self.rtt_damages())
    }

    fn channel_name(&self, channel: &str) -> String {
        rtt_channel(channel, &|number| self.rtt_name(number))
    }

    fn is_asleep(&self) -> bool {
        self.hart.is_asleep()
    }

    fn dead_loop(&self, _: bool) -> Option<Cause> {
        if !self.jumps_to_itself() {
            return None;
        }
        match self.handler() {
            // After reset, interrupts are off: a program that ends in a loop is not dead by that.
            0 => None,
            handler if trap::is_interrupt(handler) => None,
            exception if self.is_masked() => Some(Cause::FaultLoop { exception }),
            _ => None,
        }
    }

    fn jumps_to_itself(&self) -> bool {
        let pc = self.pc();
        let flow = self.bits(pc).and_then(|bits| self.flow(pc, bits));
        flow.is_some_and(|flow| flow.to == Target::Always(pc))
    }

    fn mask(&self, masks: &mut Masks, from: u32) -> Option<Masked> {
        masks.look_riscv(self, from)
    }

    fn overflow(&self, _: &Firmware) -> Option<Overflow> {
        None
    }

    fn post_mortem(simulation: &Simulation<'_, Self>, cause: &Cause) -> String {
        PostMortem::of(simulation.firmware, &simulation.machine, cause).text()
    }

    fn ending(simulation: &Simulation<'_, Self>, end: &Advance) -> (Outcome, Vec<String>) {
        match end {
            Advance::Exit(code) => (Outcome::Firmware(*code), Vec::new()),
            Advance::Reached(_) => (Outcome::Done, Vec::new()),
            Advance::Ended(cause) => {
                let text = Self::post_mortem(simulation, cause).trim_end().to_owned();
                (cause.outcome(), vec![text])
            }
        }
    }
}
