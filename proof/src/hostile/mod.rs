//! `cargo proof hostile`: a process that does forbidden things forever, and a check of what it
//! reaches.
//!
//! The kernel `besieged` of `proof/firmware/processes` runs the process `hostile` of
//! `proof/firmware/process-apps`, and others beside it. [`Siege`] drives them in the simulator, and
//! checks the machine whenever a process goes on: see `watch`. `docs/campaign.md` lists the attacks
//! and the comparisons.

mod lateness;
mod mutants;
mod reach;
mod siege;
mod target;
mod watch;

use std::time::Instant;

use anyhow::{Result, bail};
use quintet_lab::report::table::grouped;

use crate::campaign::{FLOATS, PLAIN, SMALL};

pub use mutants::directory;
pub use siege::Siege;
pub use target::Target;

/// The instructions between two lines of progress.
const INSTRUCTIONS_BETWEEN: u64 = 10_000_000;

/// Let a hostile process attack the kernel, and check that it reaches nothing
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// How many million instructions are executed in all
    #[arg(long, value_name = "N", default_value_t = 20)]
    millions: u64,
    /// What the process does, and the random code that it jumps into
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Break Quintet in every way listed, and demand that the process gets through
    #[arg(long, conflicts_with = "floats")]
    mutants: bool,
    /// On a Cortex-M4F: the process and the kernel use floating-point registers
    #[arg(long)]
    floats: bool,
    /// On a Cortex-M0+, whose one fault tells no cause
    #[arg(long, conflicts_with_all = ["mutants", "floats"])]
    small: bool,
}

impl Arguments {
    /// Runs the siege.
    pub fn run(&self) -> Result<()> {
        if self.mutants {
            return mutants::run(self.seed, self.millions * 1_000_000);
        }
        let started = Instant::now();
        let processor = match (self.floats, self.small) {
            (true, _) => FLOATS,
            (_, true) => SMALL,
            _ => PLAIN,
        };
        let mut siege = Siege::begin(&Target::build(processor)?, self.seed)?;
        let end = self.millions * 1_000_000;
        while siege.instructions() < end {
            let until = end.min(siege.instructions() + INSTRUCTIONS_BETWEEN);
            if let Err(error) = siege.run(until) {
                let (seed, millions) = (self.seed, siege.instructions() / 1_000_000 + 1);
                let floats = match (self.floats, self.small) {
                    (true, _) => " --floats",
                    (_, true) => " --small",
                    _ => "",
                };
                let again =
                    format!("cargo proof hostile --seed {seed} --millions {millions}{floats}");
                bail!("{error}\n{siege}\nagain: {again}");
            }
            let done = grouped(siege.instructions());
            eprintln!("{done} instructions in {:.0} s", started.elapsed().as_secs_f64());
        }
        println!("{siege}");
        println!("nothing was reached, read or delayed that isn't the process's own");
        Ok(())
    }
}
