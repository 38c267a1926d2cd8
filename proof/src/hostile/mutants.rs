//! Quintet broken on purpose: whether a hostile process gets through then, and is seen.
//!
//! `proof/firmware/processes/mutants.toml` lists mistakes, as the campaign's list does.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::siege::Siege;
use super::target::Target;
use crate::campaign::PLAIN;
use crate::campaign::mutants::{Mutant, list};
use crate::firmware::root;
use crate::random::Random;

/// Returns the directory of the list.
pub fn directory() -> PathBuf {
    root().join("proof/firmware/processes")
}

/// Makes the mistakes, each for so many instructions at most.
pub fn run(seed: u64, instructions: u64) -> Result<()> {
    let mutants = list(&directory())?;
    let mut survivors = Vec::new();
    for mutant in &mutants {
        let found = found(mutant, seed, instructions).with_context(|| mutant.name.clone())?;
        println!("{:70} {}", mutant.name, found.as_deref().unwrap_or("SURVIVED"));
        if found.is_none() {
            survivors.push(mutant.name.as_str());
        }
    }
    ensure!(survivors.is_empty(), "the hostile process does not find: {}", survivors.join("; "));
    println!("all {} mistakes are found", mutants.len());
    Ok(())
}

/// Returns the failure that a mistake causes.
fn found(mutant: &Mutant, seed: u64, instructions: u64) -> Result<Option<String>> {
    let target = Target::of(&mutant.make()?, PLAIN)?;
    // Applications that have no room are no finding; a kernel that doesn't begin is one.
    target.machine(&mut Random::new(seed))?;
    let said = Siege::begin(&target, seed).and_then(|mut siege| siege.run(instructions));
    let first = |error: anyhow::Error| error.to_string().lines().next().map(str::to_owned);
    Ok(said.err().and_then(first))
}
