//! `cargo proof specification`: the kernel beside a model of its behaviour.
//!
//! The interpreter of `proof/firmware/specification` has threads, interrupts and idle that run
//! scripts. Random schedules of operations and interrupts run in the simulator. The results of the
//! operations, and their order, are compared with the [model]. A schedule that the model can't
//! explain is shrunk, and printed with the seed that makes it again. [Processes](processes) have an
//! interpreter and a model of their own. `docs/campaign.md` says more.

pub mod check;
pub mod exhaustive;
mod families;
mod follow;
pub mod interpreter;
pub mod model;
mod mutants;
pub mod operation;
mod operation_mix;
pub mod processes;
mod run;
pub mod schedule;
mod trial;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use quintet_lab::report::table::{grouped, table, text};

use crate::campaign::TARGET;
use crate::firmware::{build_in, root};
use crate::random::Random;
use interpreter::Interpreter;
use processes::interpreter::Images;
use schedule::Schedule;

pub use trial::Amount;

/// The directory of the interpreters in the tree.
const DIRECTORY: &str = "proof/firmware/specification";
/// The instructions of a schedule within which most of its interrupts come.
const SPANS: [u32; 3] = [400, 1500, 5000];
/// The schedules between two lines of progress.
const CASES_BETWEEN: u64 = 50_000;

/// Compare the kernel with its executable specification, on random and on short schedules
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// So many random schedules
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    cases: u64,
    /// Choose others
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Only this one of them
    #[arg(long, value_name = "I")]
    only: Option<u64>,
    /// Only schedules of processes, which else come behind all others, unless families are chosen
    #[arg(long)]
    processes: bool,
    /// Leave out the short ones that are all made
    #[arg(long)]
    random: bool,
    /// Of the short ones, only families whose names contain this; of processes, only calls whose
    /// names begin with it, as YieldWaitFor, or Rung, where a thread rings
    #[arg(long, value_name = "NAME", default_value = "")]
    family: String,
    /// Of the short ones, only every N-th, and interrupts before every N-th instruction
    #[arg(long, value_name = "N", default_value = "1")]
    every: NonZeroUsize,
    /// Take interrupts and switches so many instructions later behind a mask, unless there is an
    /// ISB: processors may
    #[arg(long, value_name = "N", default_value_t = 0)]
    late: u64,
    /// Break Quintet on purpose instead, and see whether that is found
    #[arg(long)]
    mutants: bool,
}

impl Arguments {
    /// Runs the schedules.
    pub fn run(&self) -> Result<()> {
        if self.mutants {
            return mutants::run(&self.family);
        }
        if !self.processes {
            self.run_all_but_processes()?;
        }
        if self.processes || self.only.is_none() && self.family.is_empty() {
            self.run_processes()?;
        }
        println!("the specification allows all that the kernel did");
        Ok(())
    }

    fn run_all_but_processes(&self) -> Result<()> {
        let mut interpreter = Interpreter::open(&build()?, self.late)?;
        let started = Instant::now();
        let mut amount = Amount::default();
        if let Some(index) = self.only {
            let schedule = random(self.seed, index);
            print!("{schedule}");
            return amount.add(&mut interpreter, &schedule);
        }
        if !self.random {
            self.run_short(&interpreter)?;
            println!("{:.0} s", started.elapsed().as_secs_f64());
        }
        self.run_random("", started, |amount, index| {
            amount.add(&mut interpreter, &random(self.seed, index))
        })
    }

    fn run_processes(&self) -> Result<()> {
        let mut interpreter =
            processes::interpreter::Interpreter::open(&Images::build(&root())?, self.late)?;
        if let Some(index) = self.only {
            let schedule = processes::random(self.seed, index);
            print!("{schedule}");
            return Amount::default().add(&mut interpreter, &schedule);
        }
        println!("processes:");
        if !self.random {
            let started = Instant::now();
            let amount = processes::short::run(&interpreter, &self.family, self.every.get())?;
            println!("short: {amount}, {:.0} s", started.elapsed().as_secs_f64());
        }
        self.run_random(" --processes", Instant::now(), |amount, index| {
            amount.add(&mut interpreter, &processes::random(self.seed, index))
        })
    }

    /// Runs random schedules, by their numbers.
    fn run_random(
        &self,
        option: &str,
        started: Instant,
        mut add: impl FnMut(&mut Amount, u64) -> Result<()>,
    ) -> Result<()> {
        let mut amount = Amount::default();
        for index in 0..self.cases {
            if let Err(error) = add(&mut amount, index) {
                let (seed, late) = (self.seed, self.late);
                let command = format!("cargo proof specification{option} --seed {seed}");
                bail!("{error}\nagain: {command} --late {late} --only {index}");
            }
            if (index + 1).is_multiple_of(CASES_BETWEEN) {
                println!("{amount}, {:.0} s", started.elapsed().as_secs_f64());
            }
        }
        println!("{amount}, {:.0} s", started.elapsed().as_secs_f64());
        Ok(())
    }
}

impl Arguments {
    /// Runs the short ones, and prints a table of them.
    fn run_short(&self, interpreter: &Interpreter) -> Result<()> {
        let every = self.every.get();
        let strides = exhaustive::Strides { schedules: every, instructions: every };
        let mut rows = table(&["family", ">short", ">interrupted", ">operations"]);
        let mut all = Amount::default();
        for done in exhaustive::run(interpreter, &self.family, strides)? {
            let operations = done.short.operations + done.interrupted.operations;
            let [short, interrupted] = [done.short.schedules, done.interrupted.schedules];
            let [short, interrupted, operations] = [short, interrupted, operations].map(grouped);
            rows.add_row([done.name.to_owned(), short, interrupted, operations]);
            all += done.short;
            all += done.interrupted;
        }
        println!("{}all short schedules: {all}", text(&rows));
        Ok(())
    }
}

/// Builds the interpreters. Returns their directory.
pub fn build() -> Result<PathBuf> {
    build_of(&root())
}

/// Builds the interpreters of a tree.
fn build_of(tree: &Path) -> Result<PathBuf> {
    build_in(&tree.join(DIRECTORY), &[], TARGET)
}

/// Returns the directory of the interpreters.
pub fn directory() -> PathBuf {
    root().join(DIRECTORY)
}

/// The schedule with a number.
pub fn random(seed: u64, index: u64) -> Schedule {
    let mut random = Random::of_item(seed, index);
    let span = random.pick(&SPANS);
    Schedule::random(&mut random, span)
}
