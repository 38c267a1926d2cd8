//! Deliberate mistakes in the macro, which check that the comparison can fail.
//!
//! `proof/tests/charts/mutants.toml` lists mistakes, as the campaign's list does, with the
//! feature of charts that each spoils. The comparison must find each in a few random charts.
//! Mistakes that only tests on the host notice (`program = "host"`) must fail one of [their
//! tests](super::host).

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::build::Built;
use super::chart::Chart;
use super::compare::compare;
use super::{generate, host, steps};
use crate::campaign::mutants::{Mutant, list};
use crate::firmware::root;

/// The charts that have to find a mistake, and the states of each, about.
const CHARTS: u64 = 6;
const STATES: u32 = 16;
/// The events of each.
const EVENTS: usize = 3000;
/// Another one than the usual.
const SEED: u64 = 11;

/// The program of mistakes that tests on the host find.
const HOST: &str = "host";

/// The directory with the list.
pub fn directory() -> PathBuf {
    root().join("proof/tests/charts")
}

/// Makes all mistakes.
pub fn run() -> Result<()> {
    let charts: Vec<_> = (0..CHARTS).map(|index| generate::chart(SEED, index, STATES)).collect();
    let intact = first_difference(&Built::new(&root(), "mutant", &charts)?, &charts)?;
    ensure!(intact.is_none(), "the intact macro differs already: run `cargo proof charts` first");
    let failure = host::first_failure(&root())?;
    ensure!(failure.is_none(), "`cargo test --test host` fails already: {failure:?}");
    let mut survivors = Vec::new();
    let list = list(&directory())?;
    for mutant in &list {
        let found = found(mutant, &charts).with_context(|| mutant.name.clone())?;
        let verdict =
            found.as_ref().map_or_else(|| "SURVIVED".to_owned(), |by| format!("found: {by}"));
        println!("{:70} {:14} {verdict}", mutant.name, mutant.program);
        if found.is_none() {
            survivors.push(mutant.name.as_str());
        }
    }
    ensure!(survivors.is_empty(), "the comparison does not find: {}", survivors.join("; "));
    println!("all {} mistakes are found", list.len());
    Ok(())
}

/// Returns the test that finds a mistake. Charts that don't build with the mistake prove nothing,
/// so a failed build is an error.
fn found(mutant: &Mutant, charts: &[Chart]) -> Result<Option<String>> {
    let tree = mutant.make()?;
    if mutant.program == HOST {
        return Ok(host::first_failure(&tree)?.map(|test| format!("test {test}")));
    }
    let difference = first_difference(&Built::new(&tree, "mutant", charts)?, charts)?;
    Ok(difference.map(|(chart, step)| format!("chart {chart}, step {step}")))
}

/// The first chart that differs, and the step.
fn first_difference(built: &Built, charts: &[Chart]) -> Result<Option<(usize, usize)>> {
    for (index, chart) in charts.iter().enumerate() {
        let steps = steps(SEED, index as u64, 0, EVENTS);
        if let Some(difference) = compare(built, index, chart, &steps)? {
            return Ok(Some((index, difference.step)));
        }
    }
    Ok(None)
}
