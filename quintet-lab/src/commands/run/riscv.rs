//! `quintet run` for a board with a RISC-V core: runs, prints, exits with the firmware's code.
//!
//! What the tool cannot yet do there is refused by its option.

use std::collections::BTreeMap;
use std::path::Path;

use super::gdb;
use super::{Arguments, KEPT_MAX, MAX_CYCLES, Microseconds};
use crate::coverage::{Recorder, gathered};
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::log::Record;
use crate::output;
use crate::report::death::Cause;
use crate::report::riscv::PostMortem;
use crate::simulated::{Simulated, family, riscv};
use crate::simulation::{Advance, Simulation, Sink};
use quintet_sim::cores::Family;
use quintet_sim::riscv::machine::Machine;
use serde::Serialize;

/// What there is to say about a run. The fields have the names that a run on a Cortex-M has.
#[derive(Serialize)]
struct Report {
    file: String,
    board: String,
    outcome: &'static str,
    exit_code: Option<u32>,
    cycles: u64,
    instructions: u64,
    output: BTreeMap<String, String>,
    /// After how many bytes the output was cut.
    output_cut: Option<u64>,
    /// How often each pin changed.
    pin_changes: BTreeMap<String, u64>,
    log: Vec<Record>,
    log_dropped: u64,
    remarks: Vec<String>,
    post_mortem: Option<PostMortem>,
}

type RiscV<'a> = Simulation<'a, Machine>;

/// Opens the firmware, if it or the board is of RISC-V.
pub fn find(arguments: &Arguments) -> anyhow::Result<Option<Firmware>> {
    let options = &arguments.machine;
    if family(options, &arguments.elf)? != Family::RiscV {
        return Ok(None);
    }
    riscv::board(options, &arguments.elf)?;
    riscv::refuse(options, &[])?;
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
    let sink = if arguments.json { Sink::Keep(BTreeMap::new()) } else { Sink::Print };
    if arguments.json && options.max_output == 0 {
        options.max_output = KEPT_MAX;
    }
    let mut simulation = RiscV::new(firmware, &options, sink)?;
    simulation.watch_pins(arguments.pins);
    simulation.machine.set_command_line(&arguments.command_line(firmware));
    let advance = advance(firmware, &mut simulation, arguments.coverage.as_deref())?;
    let (outcome, exit_code, report) = match &advance {
        Advance::Exit(code) => (Outcome::Firmware(*code), Some(*code), None),
        Advance::Ended(Cause::CycleLimit(limit)) if Some(*limit) == end => {
            (Outcome::Done, None, None)
        }
        Advance::Reached(_) => (Outcome::Done, None, None),
        Advance::Ended(cause) => {
            let report = PostMortem::of(firmware, &simulation.machine, cause);
            (cause.outcome(), None, Some(report))
        }
    };
    if arguments.json {
        print_json(firmware, simulation, (outcome, exit_code, report))?;
        return Ok(outcome);
    }
    if let Some(report) = report {
        output::complain(report.text().trim_end());
    }
    let is_silent = !arguments.pins && !simulation.has_printed;
    let is_told = match outcome {
        Outcome::Limit | Outcome::Asleep => true,
        Outcome::Done => simulation.pins.have_changed(),
        _ => false,
    };
    if is_silent && is_told {
        output::complain(&simulation.pins.silence());
    }
    Ok(outcome)
}

fn print_json(
    firmware: &Firmware,
    simulation: RiscV<'_>,
    (outcome, exit_code, post_mortem): (Outcome, Option<u32>, Option<PostMortem>),
) -> anyhow::Result<()> {
    let machine = &simulation.machine;
    output::print_json(&Report {
        file: firmware.path.display().to_string(),
        board: machine.board_name(),
        outcome: outcome.word(),
        exit_code,
        cycles: machine.hart.cycle(),
        instructions: machine.hart.instructions(),
        output_cut: simulation.log.cut(),
        pin_changes: simulation.pins.into_counts(),
        log: simulation.log.records,
        log_dropped: simulation.log.dropped,
        remarks: simulation.log.remarks,
        output: simulation.sink.into_texts(),
        post_mortem,
    })
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
