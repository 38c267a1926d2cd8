//! Quintet broken on purpose: whether the specification can say no.
//!
//! `quintet/tests/specification/mutants.toml` lists mistakes, as the campaign's list does, with the
//! family of schedules that is to go wrong.

use anyhow::{Context, Result, ensure};

use super::exhaustive::{self, Strides};
use super::puppet::Puppet;
use super::{Amount, build_of, directory, random};
use crate::campaign::mutants::{Mutant, list};

/// A part of the short schedules: primes, so that every operation comes at every place.
const SOME: Strides = Strides { schedules: 17, instructions: 37 };
/// So many random schedules follow.
const RANDOM: u64 = 2000;

/// Makes the mistakes of the families whose names contain `family`.
pub fn run(family: &str) -> Result<()> {
    let mutants = list(&directory())?;
    let mut survivors = Vec::new();
    let mut count = 0;
    for mutant in mutants.iter().filter(|mutant| mutant.program.contains(family)) {
        let found = found(mutant).with_context(|| mutant.name.clone())?;
        println!("{:70} {:10} {}", mutant.name, mutant.program, found.unwrap_or("SURVIVED"));
        if found.is_none() {
            survivors.push(mutant.name.as_str());
        }
        count += 1;
    }
    ensure!(survivors.is_empty(), "the specification does not find: {}", survivors.join("; "));
    println!("all {count} mistakes are found");
    Ok(())
}

/// What finds a mistake.
fn found(mutant: &Mutant) -> Result<Option<&'static str>> {
    let tree = mutant.make()?;
    let mut puppet = Puppet::open(&build_of(&tree)?)?;
    if exhaustive::run(&puppet, &mutant.program, SOME).is_err() {
        return Ok(Some("a short schedule"));
    }
    let goes_wrong = |index| Amount::default().add(&mut puppet, &random(0, index)).is_err();
    Ok((0..RANDOM).any(goes_wrong).then_some("a random schedule"))
}
