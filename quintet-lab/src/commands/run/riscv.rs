//! `quintet run` for a board with a RISC-V core: runs, prints, exits with the firmware's code.
//!
//! What the tool cannot yet do there is refused by its option.

use std::path::Path;

use super::gdb;
use super::{Arguments, MAX_CYCLES, Microseconds};
use crate::coverage::{Recorder, gathered};
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::output;
use crate::report::death::Cause;
use crate::report::riscv::PostMortem;
use crate::simulated::{Simulated, family, riscv};
use crate::simulation::{Advance, Simulation, Sink};
use quintet_sim::cores::Family;
use quintet_sim::riscv::machine::Machine;

type RiscV<'a> = Simulation<'a, Machine>;

/// Opens the firmware, if it or the board is of RISC-V.
pub fn find(arguments: &Arguments) -> anyhow::Result<Option<Firmware>> {
    let options = &arguments.machine;
    if family(options, &arguments.elf)? != Family::RiscV {
        return Ok(None);
    }
    riscv::board(options, &arguments.elf)?;
    let others = [(arguments.pins, "--pins"), (arguments.json, "--json")];
    riscv::refuse(options, &others)?;
    Machine::open(options, &arguments.elf).map(Some)
}

/// Runs the firmware to its end.
pub fn run(arguments: &Arguments, firmware: &Firmware) -> anyhow::Result<Outcome> {
    if let Some(port) = arguments.gdb {
        let command_line = arguments.command_line(firmware);
        return gdb::serve_riscv(firmware, &arguments.machine, &command_line, port);
    }
    let mut options = arguments.machine.clone();
    let end = match arguments.time {
        None => None,
        Some(Microseconds(time)) => {
            let clock = riscv::board(&options, &arguments.elf)?.clock_hz;
            let cycles = u128::from(time) * u128::from(clock) / 1_000_000;
            let end = u64::try_from(cycles).unwrap_or(u64::MAX).max(1);
            let is_first = [0, MAX_CYCLES].contains(&options.max_cycles);
            (is_first || end <= options.max_cycles).then_some(end)
        }
    };
    options.max_cycles = end.unwrap_or(options.max_cycles);
    let mut simulation = RiscV::new(firmware, &options, Sink::Print)?;
    simulation.machine.set_command_line(&arguments.command_line(firmware));
    let advance = advance(firmware, &mut simulation, arguments.coverage.as_deref())?;
    let cause = match advance {
        Advance::Exit(code) => return Ok(Outcome::Firmware(code)),
        Advance::Ended(Cause::CycleLimit(limit)) if Some(limit) == end => return Ok(Outcome::Done),
        Advance::Reached(_) => return Ok(Outcome::Done),
        Advance::Ended(cause) => cause,
    };
    let report = PostMortem::of(firmware, &simulation.machine, &cause);
    output::complain(report.text().trim_end());
    Ok(cause.outcome())
}

/// Runs to the end. With a directory, writes there what was executed.
fn advance(
    firmware: &Firmware,
    simulation: &mut RiscV<'_>,
    directory: Option<&Path>,
) -> anyhow::Result<Advance> {
    let Some(directory) = directory else { return simulation.advance(&[]) };
    let mut recorder = Recorder::default();
    let end = simulation.advance_stepwise(|machine, from| recorder.look(machine, from))?;
    let mut coverage = recorder.coverage(&simulation.machine, firmware, false);
    coverage.is_partial = simulation.is_cut();
    gathered::store(directory, firmware, None, &coverage)?;
    Ok(end)
}
