//! `quintet validate`: how far the simulator's cycles are from silicon's.

use std::path::{Path, PathBuf};

use crate::exit::Outcome;
use crate::validate::report::{Behaviour, Entry, Report, Summary};
use crate::{output, project, validate};
use anyhow::{Result, bail};
use serde::Serialize;

/// Where the sequences are when nobody says, from the project's root.
const SEQUENCES: &str = "../shared/reference/cortex-m3-cycles.json";

const HELP: &str = "\
Two sets of measurements on silicon are repeated in the simulator:

  vectors    the RTFM document's 23 measurements, as its author made them: a debugger halts the
             processor at both ends and reads CYCCNT; and the 5 behaviours that it shows
  sequences  a file of short instruction sequences, each between two loads of CYCCNT

The error of a measurement is |simulated - measured| / measured, as a fraction in JSON. A sequence
that was measured with several operands is exact when all of them are, and its error is their mean;
the worst error is the worst single measurement's. What cannot be simulated counts as an error of 1.

Examples:
  quintet validate                             the table
  quintet validate --verbose --filter T0180    one sequence, with its instructions if it is wrong
  quintet validate --sequences mine.json --json

The JSON has `vectors`, `sequences` (null without a file) and `classes`; with --verbose also `wrong`
and `behaviours`.";

/// Compare simulated cycles with cycles measured on silicon
#[derive(clap::Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// A file of sequences [default: ../shared/reference/cortex-m3-cycles.json, seen from the
    /// project's root]
    #[arg(long, value_name = "FILE")]
    sequences: Option<PathBuf>,
    /// Only measurements whose identifier, name or class contains TEXT
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    /// List each wrong measurement with its instructions
    #[arg(long, short)]
    verbose: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
        let file = self.file()?;
        let report = validate::run(file.as_deref(), &self.filter)?;
        let none = report.sequences.as_ref().is_none_or(Vec::is_empty) && report.vectors.is_empty();
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

    /// The file of sequences. One that was named must be there; the usual one may be missing.
    fn file(&self) -> Result<Option<PathBuf>> {
        if let Some(file) = &self.sequences {
            if !file.is_file() {
                bail!("{} is not a file; --sequences takes a file of sequences", file.display());
            }
            return Ok(Some(file.clone()));
        }
        let usual = project::root().map(|root| root.join(Path::new(SEQUENCES)));
        if let Ok(file) = usual
            && file.is_file()
        {
            return Ok(Some(file));
        }
        output::complain(&format!(
            "no sequences are compared: {SEQUENCES} is not there; --sequences FILE names another"
        ));
        Ok(None)
    }
}

fn details(report: &Report) -> Details {
    let entries = report.vectors.iter().chain(report.sequences.iter().flatten());
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
