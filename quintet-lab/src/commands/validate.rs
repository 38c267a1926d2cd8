//! `quintet validate`: how far the simulator's cycles are from silicon's.

use std::path::{Path, PathBuf};

use crate::chip;
use crate::exit::Outcome;
use crate::validate::Source;
use crate::validate::report::{Behaviour, Entry, Report, Summary};
use crate::{output, validate};
use anyhow::{Result, bail};
use quintet_sim::board::Board;
use serde::Serialize;

/// The files of a directory of measurements, the wait states of the flash in which they were
/// measured, and `true` if its line buffer was on. The first file is reported by classes.
const FILES: [(&str, u8, bool); 4] = [
    ("cortex-m3-cycles.json", 0, false),
    ("cortex-m3-cycles-2.json", 0, false),
    ("cortex-m4-cycles.json", 2, true),
    ("cortex-m4-2ws.json", 2, false),
];

const HELP: &str = "\
Three sets of measurements are repeated in the simulator, two of them made on silicon:

  vectors    the RTFM document's 23 measurements, as its author made them: a debugger halts the
             processor at both ends and reads CYCCNT; and the 5 behaviours that it shows
  sequences  files of short instruction sequences, each between two loads of CYCCNT: one of a
             Cortex-M3, by class, and, as a whole, further ones of a Cortex-M3, and of a Cortex-M4
             whose flash has two wait states, with its line buffer and without
  RISC-V     sequences and programs on the register-transfer models of RISC-V cores, at 0, 1 and 3
             wait states. A sequence is exact if each instruction retires in its cycle

The error of a measurement is |simulated - measured| / measured, as a fraction in JSON. A sequence
that was measured with several operands is exact when all of them are, and its error is their mean;
the worst error is the worst single measurement's. What cannot be simulated counts as an error of 1.

Examples:
  quintet validate                             the vectors, which come with the tool
  quintet validate --reference measurements    the whole table
  quintet validate --reference measurements --verbose --filter T0180
                                               one sequence, with its instructions if it is wrong
  quintet validate --sequences mine.json --json
  quintet validate --sequences cortex-m4-2ws.json --wait-states 2
  quintet validate --sequences cortex-m4-cycles.json --wait-states 2 --line-buffer
  quintet validate --gdb-remote localhost:3333 --monitor 'reset halt' --board stm32f446
                                               the vectors on a chip, from its RAM

The JSON has `vectors`, `sequences` (null without a file) and `classes`, with several files `files`,
with those of RISC-V cores `riscv`; with --verbose also `wrong` and `behaviours`. --verbose is about
the first file and the RISC-V cores.";

/// Compare simulated cycles with cycles measured on silicon
#[derive(clap::Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// A directory of measurements that aren't part of the tool: the files cortex-m3-cycles.json,
    /// cortex-m3-cycles-2.json, cortex-m4-cycles.json and cortex-m4-2ws.json, and riscv/ with those
    /// of RISC-V cores. A file that is missing is left out; with --sequences, all are
    #[arg(long, value_name = "DIRECTORY", env = "QUINTET_REFERENCE")]
    reference: Option<PathBuf>,
    /// A file of sequences
    #[arg(long, value_name = "FILE", conflicts_with = "gdb_remote")]
    sequences: Option<PathBuf>,
    /// How many wait states the flash of a CC2652R had, where the sequences are of one
    #[arg(long, value_name = "N", default_value_t = 0, requires = "sequences",
        value_parser = clap::value_parser!(u8).range(..=15))]
    wait_states: u8,
    /// Whether that flash had its line buffer on
    #[arg(long, requires = "sequences")]
    line_buffer: bool,
    /// Only measurements whose identifier, name or class contains TEXT
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    /// List each wrong measurement with its instructions
    #[arg(long, short, conflicts_with = "gdb_remote")]
    verbose: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The board that is simulated beside the chip
    #[arg(long, value_name = "BOARD", default_value = "stm32f100", requires = "gdb_remote")]
    board: String,
    #[command(flatten)]
    chip: chip::Options,
}

/// The JSON of `--verbose`.
#[derive(Serialize)]
struct Details {
    #[serde(flatten)]
    summary: Summary,
    wrong: Vec<Wrong>,
    behaviours: Vec<BehaviourDetails>,
}

#[derive(Serialize)]
struct Wrong {
    name: String,
    class: String,
    case: String,
    measured: u64,
    simulated: Option<u64>,
    reason: Option<String>,
}

#[derive(Serialize)]
struct BehaviourDetails {
    name: &'static str,
    kept: bool,
    reason: Option<String>,
}

impl Arguments {
    /// Prints the report.
    pub fn run(&self) -> Result<Outcome> {
        if let Some(address) = &self.chip.gdb_remote {
            return self.run_on_chip(address);
        }
        let mut report = validate::run(&self.files()?, &self.filter)?;
        if self.sequences.is_none()
            && let Some(reference) = &self.reference
        {
            report.riscv = validate::riscv::run(&reference.join("riscv"), &self.filter)?;
        }
        let none = report.sequences.as_ref().is_none_or(Vec::is_empty)
            && report.riscv.entries.iter().all(|(_, entries)| entries.is_empty())
            && report.vectors.is_empty()
            && report.others.iter().all(|(_, entries)| entries.is_empty());
        if none && !self.filter.is_empty() {
            bail!("no measurement's identifier, name or class contains \"{}\"", self.filter);
        }
        match (self.json, self.verbose) {
            (true, true) => output::print_json(&details(&report))?,
            (true, false) => output::print_json(&report.summary())?,
            (false, verbose) => output::print(&report.table(verbose))?,
        }
        Ok(Outcome::Done)
    }

    /// Measures the chip behind a server for GDB, and the simulator beside it.
    fn run_on_chip(&self, address: &str) -> Result<Outcome> {
        let board = Board::find(&self.board)?;
        let report = validate::on_chip::run(&board, &self.filter, (&self.chip, address))?;
        match self.json {
            true => output::print_json(&report)?,
            false => output::print(&report.text())?,
        }
        let is_empty = report.rows.iter().all(|row| row.chip.is_none());
        Ok(if is_empty { Outcome::NothingFound } else { Outcome::Done })
    }

    /// Returns the files of sequences. A file or a directory that you name must exist.
    fn files(&self) -> Result<Vec<Source>> {
        if let Some(path) = &self.sequences {
            if !path.is_file() {
                bail!("{} is not a file; --sequences takes a file of sequences", path.display());
            }
            let (wait_states, line_buffer) = (self.wait_states, self.line_buffer);
            return Ok(vec![Source { path: path.clone(), wait_states, line_buffer }]);
        }
        let Some(directory) = &self.reference else {
            output::complain(
                "only the vectors are compared, as no other measurements are part of the tool; \
                 --reference DIRECTORY names a directory of measurements, --sequences FILE a file \
                 of sequences",
            );
            return Ok(Vec::new());
        };
        files_of(directory)
    }
}

/// Returns the files that are there of a directory of measurements.
fn files_of(directory: &Path) -> Result<Vec<Source>> {
    let shown = directory.display();
    if !directory.is_dir() {
        bail!("{shown} is not a directory; --reference takes a directory of measurements");
    }
    let all = FILES.map(|(name, wait_states, line_buffer)| Source {
        path: directory.join(name),
        wait_states,
        line_buffer,
    });
    let found: Vec<Source> = all.into_iter().filter(|file| file.path.is_file()).collect();
    if found.is_empty() && !directory.join("riscv").is_dir() {
        let names = FILES.map(|(name, ..)| name).join(", ");
        bail!("{shown} has no measurements: none of {names}, and no riscv");
    }
    Ok(found)
}

fn details(report: &Report) -> Details {
    let riscv = report.riscv.entries.iter().flat_map(|(_, entries)| entries);
    let entries = report.vectors.iter().chain(report.sequences.iter().flatten()).chain(riscv);
    let behaviour = |behaviour: &Behaviour| BehaviourDetails {
        name: behaviour.name,
        kept: behaviour.result.is_ok(),
        reason: behaviour.result.clone().err(),
    };
    Details {
        summary: report.summary(),
        wrong: entries.flat_map(wrong).collect(),
        behaviours: report.behaviours.iter().map(behaviour).collect(),
    }
}

fn wrong(entry: &Entry) -> impl Iterator<Item = Wrong> {
    let inexact = entry.measurements.iter().filter(|measurement| !measurement.is_exact());
    inexact.map(|measurement| Wrong {
        name: entry.name.clone(),
        class: entry.class.clone(),
        case: measurement.case.clone(),
        measured: measurement.measured,
        simulated: measurement.simulated.clone().ok(),
        reason: measurement.simulated.clone().err(),
    })
}
