//! A chip with a RISC-V core.

use std::path::Path;

use anyhow::{Context, bail};
use quintet_sim::board::Board as OtherBoard;
use quintet_sim::cores::{Core, Target};
use quintet_sim::files;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine as CortexM, Output};
use quintet_sim::riscv::board::{self, Board};
use quintet_sim::riscv::machine::Machine;
use quintet_sim::riscv::timing::Model;
use quintet_sim::riscv::trap;

use super::Simulated;
use crate::commands::options::MachineOptions;
use crate::firmware::Firmware;
use crate::input;
use crate::log::Log;
use crate::main_stack::Overflow;
use crate::masks::{Masked, Masks};
use crate::pins::Pins;
use crate::report::death::Cause;
use crate::report::riscv::PostMortem;
use crate::simulation::Simulation;

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
        (options.inputs.is_some(), "--inputs"),
    ];
    let all = others.iter().chain(&own);
    let Some((_, option)) = all.clone().find(|(is_asked, _)| *is_asked) else { return Ok(()) };
    bail!(
        "{option} is not there yet for a board with a RISC-V core: an ELF file runs and prints, \
         within its limits, with --for, --stdin and arguments; leave {option} out"
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

    fn cortex_m(&self) -> Option<&CortexM> {
        None
    }

    /// No pipeline of a RISC-V core has a model of what a halt does to it.
    fn pause(&mut self) {}

    fn take_log(&mut self, log: &mut Log<'_>) -> Vec<Output> {
        let output = self.take_output();
        log.take_from(output, self.output_cut().is_some())
    }

    fn channel_name(&self, channel: &str) -> String {
        channel.to_owned()
    }

    fn take_pins(&mut self, _: &mut Pins) -> String {
        String::new()
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
}
