//! `quintet run` for a board with a RISC-V core: runs, prints, exits with the firmware's code.
//!
//! What the tool cannot yet do there is refused by its option.

use std::path::Path;

use super::{Arguments, MAX_CYCLES};
use crate::exit::Outcome;
use crate::output;
use crate::{ctrl_c, input};
use anyhow::{Context, bail};
use quintet_sim::board::Board as OtherBoard;
use quintet_sim::files;
use quintet_sim::image::Image;
use quintet_sim::machine::Output;
use quintet_sim::riscv::board::{self, Board};
use quintet_sim::riscv::machine::{Limits, Machine, Stop};

/// The board of the option `--board` where nobody has chosen one.
const DEFAULT: &str = "lm3s6965";

/// The cycles between two looks at the output and at Ctrl-C.
const SLICE_CYCLES: u64 = 1 << 20;

/// The board and the image, if either of them is of RISC-V.
pub fn find(arguments: &Arguments) -> anyhow::Result<Option<(Board, Image)>> {
    let asked = arguments.machine.board.as_str();
    let is_board = board::names().any(|name| name == asked);
    if !is_board && !arguments.elf.is_file() {
        return Ok(None);
    }
    let bytes = input::firmware(&arguments.elf)?;
    if !is_board && !Image::is_riscv_elf(&bytes) {
        return Ok(None);
    }
    let board = match (is_board, asked) {
        (true, _) => Board::named(asked)?,
        (false, DEFAULT) => Board::named(board::names().next().unwrap_or_default())?,
        (false, path) if Path::new(path).is_file() => {
            Board::parse(&files::read_text(Path::new(path))?, path)?
        }
        _ => {
            // A board that does not exist is the first thing to say.
            OtherBoard::find(asked)?;
            bail!(
                "{} is for RISC-V, and the core of {asked} is not: choose a board with a RISC-V \
                 core, --board {}",
                arguments.elf.display(),
                board::names().collect::<Vec<_>>().join(" or ")
            );
        }
    };
    refuse(arguments)?;
    let image = Image::parse_riscv_elf(&bytes);
    let image = image.with_context(|| format!("cannot load {}", arguments.elf.display()))?;
    Ok(Some((board, image)))
}

/// Refuses what only boards with a Cortex-M can do.
fn refuse(arguments: &Arguments) -> anyhow::Result<()> {
    let machine = &arguments.machine;
    let asked = [
        (arguments.gdb.is_some(), "--gdb"),
        (arguments.coverage.is_some(), "--coverage"),
        (arguments.pins, "--pins"),
        (arguments.json, "--json"),
        (machine.load.is_some(), "--load"),
        (!machine.also.is_empty(), "--also"),
        (!machine.process.is_empty(), "--process"),
        (machine.vector_table.is_some(), "--vector-table"),
        (machine.inputs.is_some(), "--inputs"),
    ];
    let Some((_, option)) = asked.iter().find(|(is_asked, _)| *is_asked) else { return Ok(()) };
    bail!(
        "{option} is not there yet for a board with a RISC-V core: an ELF file runs and prints, \
         within its limits, with --for, --stdin and arguments; leave {option} out"
    );
}

/// Runs the firmware to its end.
pub fn run(arguments: &Arguments, board: &Board, image: &Image) -> anyhow::Result<Outcome> {
    let mut machine = Machine::new(board);
    machine.load(image).with_context(|| {
        format!("cannot run {} on the board {}", arguments.elf.display(), board.name)
    })?;
    machine.set_command_line(&arguments.command_line_of(&arguments.elf));
    machine.set_output_limit(arguments.machine.output_limit());
    if let Some(path) = &arguments.machine.stdin {
        machine.set_input(&input::standard_input(path)?);
    }
    let (limit, is_end) = limit(arguments, board);
    let stop = advance(&mut machine, limit, arguments.machine.instruction_limit())?;
    if let Some(cut) = machine.output_cut() {
        output::complain(&output::cut(cut));
    }
    let (outcome, what) = match stop {
        Some(Stop::Exit { code }) => return Ok(Outcome::Firmware(code)),
        Some(Stop::CycleLimit) if is_end => return Ok(Outcome::Done),
        Some(Stop::CycleLimit) => (Outcome::Limit, "the limit of cycles was reached"),
        Some(Stop::InstructionLimit) => (Outcome::Limit, "the limit of instructions was reached"),
        Some(Stop::Lockup) => {
            (Outcome::Died, "the first instruction of the trap handler can't be executed")
        }
        Some(Stop::Asleep) => (Outcome::Asleep, "the hart sleeps and nothing will ever wake it"),
        None => (Outcome::Interrupted, "interrupted"),
    };
    output::complain(&format!("{what}, {}", machine.whereabouts()));
    Ok(outcome)
}

/// Returns the limit of cycles, and whether reaching it is the end that `--for` asks for.
fn limit(arguments: &Arguments, board: &Board) -> (Option<u64>, bool) {
    let limit = arguments.machine.cycle_limit();
    let Some(super::Microseconds(time)) = arguments.time else { return (limit, false) };
    let cycles = u128::from(time) * u128::from(board.clock_hz) / 1_000_000;
    let end = u64::try_from(cycles).unwrap_or(u64::MAX).max(1);
    let is_first = limit.is_none_or(|limit| limit == MAX_CYCLES || end <= limit);
    if is_first { (Some(end), true) } else { (limit, false) }
}

/// Runs in slices, and prints. Returns `None` if Ctrl-C has ended the run.
fn advance(
    machine: &mut Machine,
    cycles: Option<u64>,
    instructions: Option<u64>,
) -> anyhow::Result<Option<Stop>> {
    // From the beginning on, so that no Ctrl-C is missed.
    ctrl_c::flag();
    let end = cycles.unwrap_or(u64::MAX);
    loop {
        let slice = machine.hart.cycle().saturating_add(SLICE_CYCLES).min(end);
        let stop = machine.run(&Limits { cycles: Some(slice), instructions });
        print(&machine.take_output())?;
        match stop {
            Stop::CycleLimit if machine.hart.cycle() < end => {}
            stop => return Ok(Some(stop)),
        }
        if ctrl_c::is_pressed() {
            ctrl_c::cut(&format!("the run at cycle {}", machine.hart.cycle()));
            return Ok(None);
        }
    }
}

fn print(pieces: &[Output]) -> anyhow::Result<()> {
    for Output { channel, bytes } in pieces {
        if channel == "stderr" {
            output::print_error_bytes(bytes);
        } else {
            output::print_bytes(bytes)?;
        }
    }
    Ok(())
}
