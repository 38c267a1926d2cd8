//! `cargo proof campaign`: Quintet's own programs, interrupted before every instruction.
//!
//! Each program of `proof/firmware/campaign` does one thing between two marks, and judges itself.
//! The lab takes every interrupt before every instruction of the program, one at a time and then in
//! nested pairs. `docs/campaign.md` describes the programs and their judgements.
//!
//! `--mutants` does the opposite: it makes one mistake in Quintet at a time, and the campaign must
//! find each.

pub mod mutants;
pub mod part;
pub mod programs;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use quintet_lab::report::table::grouped;

use crate::firmware::root;
use part::{Amounts, Part, Totals};
use programs::Programs;

/// A processor on which the programs run.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    /// What they are built for.
    pub target: &'static str,
    /// The board of programs whose scenario names none.
    pub board: &'static str,
    /// Whether there are floating-point registers: the programs fill them.
    pub floats: bool,
}

/// The processor without floating-point registers.
pub const PLAIN: Processor =
    Processor { target: "thumbv7m-none-eabi", board: "lm3s6965", floats: false };
/// The one with them. Its board has the memories and the interrupts that the programs use.
pub const FLOATS: Processor =
    Processor { target: "thumbv7em-none-eabihf", board: "mps2-an386", floats: true };

/// Programs that read the counter of cycles, which ARMv6-M lacks.
const COUNT_CYCLES: [&str; 2] = ["ticks", "timers"];

/// A small core, which has PRIMASK alone. The board is that of the first with a Cortex-M0+.
pub const SMALL: Processor = Processor {
    target: "thumbv6m-none-eabi",
    board: concat!(env!("CARGO_MANIFEST_DIR"), "/firmware/campaign/m0plus.toml"),
    floats: false,
};

/// What programs are built for that have no registers of floating point.
pub const TARGET: &str = PLAIN.target;

/// What the names of programs begin with that are about floating-point registers.
const ABOUT_FLOATS: &str = "float_";

/// Interrupt Quintet before every instruction of its primitives, and check that nothing is lost
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Only these programs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Break Quintet in every way listed, and demand that the campaign finds it; with `--floats`,
    /// in those that need floating-point registers
    #[arg(long)]
    mutants: bool,
    /// On a Cortex-M4F, with its registers full in threads, interrupts, idle and processes
    #[arg(long)]
    floats: bool,
    /// On a Cortex-M0+, which has PRIMASK alone
    #[arg(long, conflicts_with_all = ["mutants", "floats"])]
    small: bool,
    #[command(flatten)]
    amounts: Amounts,
}

impl Arguments {
    /// Makes the campaign.
    pub fn run(&self) -> Result<()> {
        let processor = match (self.floats, self.small) {
            (true, _) => FLOATS,
            (_, true) => SMALL,
            _ => PLAIN,
        };
        if self.mutants {
            return mutants::run(&self.names, self.floats, &self.amounts);
        }
        let started = Instant::now();
        let names = chosen(&self.names, names(processor)?)?;
        let programs = if self.small {
            // Not all programs are for this core.
            Programs::build_only(&directory(), &names, processor)?
        } else {
            Programs::build(&names, processor)?
        };
        let parts = names.into_iter().map(|name| (Part::open(&name, &programs), name));
        let parts: Vec<_> = parts.map(|(part, name)| Ok((part?, name))).collect::<Result<_>>()?;
        let mut way = Way::new(parts.iter().map(|(part, _)| part.cost(&self.amounts)).sum());
        println!("{}", part::HEADING);
        let mut totals = Totals::default();
        let mut wrong = Vec::new();
        for (part, name) in parts {
            let Some(result) = part.run(&self.amounts) else { bail!("interrupted by Ctrl-C") };
            println!("{result}");
            totals.add(&result);
            if !result.is_clean() {
                println!("{}", result.failures);
                wrong.push(name);
            }
            way.add(part.cost(&self.amounts));
        }
        println!("{totals}");
        println!("built and run in {:.0} s", started.elapsed().as_secs_f64());
        ensure!(wrong.is_empty(), "interrupts break {}", wrong.join(", "));
        let runs = grouped(totals.runs());
        println!("clean: nothing was lost, run twice, reordered or left masked in {runs} runs");
        Ok(())
    }
}

/// How far a campaign has come, and how long the rest takes: said on standard error.
struct Way {
    all: u64,
    done: u64,
    started: Instant,
}

impl Way {
    /// The cycles of two processors in a second, before it is known: of a computer of 2023.
    const CYCLES_A_SECOND: u64 = 80_000_000;

    fn new(all: u64) -> Self {
        let minutes = all / Self::CYCLES_A_SECOND / 60 + 1;
        let cycles = grouped(all / 1_000_000);
        eprintln!("about {cycles} million cycles: some {minutes} min on two idle processors");
        Self { all, done: 0, started: Instant::now() }
    }

    /// A program's are done.
    fn add(&mut self, cycles: u64) {
        self.done += cycles;
        let seconds = self.started.elapsed().as_secs_f64();
        let left = seconds * (self.all - self.done) as f64 / self.done.max(1) as f64;
        let percent = 100 * self.done / self.all.max(1);
        eprintln!("{percent} % in {seconds:.0} s; about {left:.0} s to go");
    }
}

/// The workspace of the programs.
pub fn directory() -> PathBuf {
    root().join("proof/firmware/campaign")
}

/// The names of the programs that a processor runs, sorted.
pub fn names(processor: Processor) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory().join("src/bin"))? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.retain(|name| processor.floats || !name.starts_with(ABOUT_FLOATS));
    if processor.target == SMALL.target {
        names.retain(|name| !COUNT_CYCLES.contains(&name.as_str()));
    }
    names.sort();
    Ok(names)
}

/// Those of `all` that are wanted: all, if none is named.
fn chosen(wanted: &[String], all: Vec<String>) -> Result<Vec<String>> {
    if let Some(unknown) = wanted.iter().find(|name| !all.contains(name)) {
        bail!("there is no {unknown}; there are {}", all.join(", "));
    }
    Ok(all.into_iter().filter(|name| wanted.is_empty() || wanted.contains(name)).collect())
}
