//! `cargo xtask cross`.

use std::io::IsTerminal;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::differential::{Plan, run};
use super::{Subset, qemu};

/// What the command takes.
pub const HELP: &str = "\
cargo xtask cross: random instruction sequences on the simulator and on QEMU
  --cases N     how many (100000)
  --seed S      the stream of cases (1)
  --first I     the number of the first case (0): --first I --cases 1 replays one
  --v6m         ARMv6-M instructions on a Cortex-M0 instead of ARMv7-M on a Cortex-M3
  --seconds T   begin nothing new after this long (no limit)";

/// Runs it.
pub fn main(arguments: &[String]) -> Result<()> {
    let mut plan =
        Plan { seed: 1, first: 0, cases: 100_000, subset: Subset::V7M, limit: Duration::MAX };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut number = || -> Result<u64> {
            let text = arguments.next().with_context(|| format!("{argument} needs a number"))?;
            text.parse().with_context(|| format!("{argument}: {text} is not a number"))
        };
        match argument.as_str() {
            "--cases" => plan.cases = number()?,
            "--seed" => plan.seed = number()?,
            "--first" => plan.first = number()?,
            "--seconds" => plan.limit = Duration::from_secs(number()?),
            "--v6m" => plan.subset = Subset::V6M,
            "--help" => {
                println!("{HELP}");
                return Ok(());
            }
            other => bail!("{other} is unknown\n{HELP}"),
        }
    }
    if !qemu::is_installed() {
        bail!(
            "qemu-system-arm is not installed: install it (package qemu-system-arm) and try again"
        );
    }
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
