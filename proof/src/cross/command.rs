//! `cargo proof cross`.

use std::io::IsTerminal;

use anyhow::{Result, bail};

use super::Subset;
use super::differential::{Plan, run};
use crate::qemu;

/// Run random instruction sequences on the simulator and on QEMU, and compare what they leave
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// How many sequences
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    cases: u64,
    /// The stream of sequences
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The number of the first one: `--first N --cases 1` replays one
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// ARMv6-M instructions on a Cortex-M0 instead of ARMv7-M on a Cortex-M3
    #[arg(long)]
    v6m: bool,
    /// ARMv7E-M instructions, of floating point too, on a Cortex-M4F
    #[arg(long, conflicts_with = "v6m")]
    v7em: bool,
}

impl Arguments {
    /// Runs them.
    pub fn run(&self) -> Result<()> {
        if !qemu::is_installed() {
            bail!("qemu-system-arm is not installed: install the package qemu-system-arm");
        }
        let plan = Plan {
            seed: self.seed,
            first: self.first,
            cases: self.cases,
            subset: match (self.v6m, self.v7em) {
                (true, _) => Subset::V6M,
                (_, true) => Subset::V7EM,
                _ => Subset::V7M,
            },
        };
        let terminal = std::io::stderr().is_terminal();
        let summary = run(&plan, |cases| {
            if terminal {
                eprint!("\r{cases} of {} cases agree\r", plan.cases);
            }
        })?;
        println!(
            "{} cases of {} halfwords in all agree, {} of them ended by a fault",
            summary.cases, summary.halfwords, summary.faults
        );
        Ok(())
    }
}
