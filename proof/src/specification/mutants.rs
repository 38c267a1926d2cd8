//! Quintet broken on purpose: whether the specification can say no.
//!
//! `proof/firmware/specification/mutants.toml` lists mistakes, as the campaign's list does, with
//! the family of schedules that is to go wrong, or `processes`, or `unit` and the unit tests that
//! are to.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::exhaustive::{self, Strides};
use super::interpreter::Interpreter;
use super::processes::interpreter::{self, Images};
use super::processes::{self, short};
use super::trial::Trial;
use super::{Amount, build_of, directory, random};
use crate::campaign::mutants::{Mutant, list};
use crate::firmware::output;

/// A part of the short schedules: primes, so that every operation comes at every place.
const SOME: Strides = Strides { schedules: 17, instructions: 5 };
/// The number of random schedules that follow.
const RANDOM: u64 = 2000;

/// The same for processes: the number of random schedules. Then come schedules with an interrupt
/// before every n-th instruction, and then more random ones.
const RANDOM_OF_PROCESSES: [u64; 2] = [500, 3000];
const SOME_OF_PROCESSES: usize = 97;
/// The stride for a mistake that names a call: the short schedules of this call alone, before every
/// instruction, because a window may be a few instructions long.
const SOME_OF_CALL: usize = 1;

/// The word for a mistake in processes, in place of a family. A call may follow.
const PROCESSES: &str = "processes";
/// The word before the name of unit tests, in place of a family.
const UNIT: &str = "unit ";

/// Makes the mistakes of the families whose names contain `family`.
pub fn run(family: &str) -> Result<()> {
    let mutants = list(&directory())?;
    let mut survivors = Vec::new();
    let mut count = 0;
    for mutant in mutants.iter().filter(|mutant| mutant.program.contains(family)) {
        let found = found(mutant).with_context(|| mutant.name.clone())?;
        println!("{:75} {:12} {}", mutant.name, mutant.program, found.unwrap_or("SURVIVED"));
        if found.is_none() {
            survivors.push(mutant.name.as_str());
        }
        count += 1;
    }
    ensure!(survivors.is_empty(), "the specification does not find: {}", survivors.join("; "));
    println!("all {count} mistakes are found");
    Ok(())
}

/// Returns the check that finds a mistake.
fn found(mutant: &Mutant) -> Result<Option<&'static str>> {
    let tree = mutant.make()?;
    if let Some(tests) = mutant.program.strip_prefix(UNIT) {
        return Ok(do_unit_tests_fail(&tree, tests)?.then_some("a unit test"));
    }
    if let Some(call) = mutant.program.strip_prefix(PROCESSES) {
        return found_by_processes(&tree, call.trim_start());
    }
    let mut interpreter = Interpreter::open(&build_of(&tree)?, 0)?;
    if exhaustive::run(&interpreter, &mutant.program, SOME).is_err() {
        return Ok(Some("a short schedule"));
    }
    let goes_wrong = |index| Amount::default().add(&mut interpreter, &random(0, index)).is_err();
    Ok((0..RANDOM).any(goes_wrong).then_some("a random schedule"))
}

/// Returns the check that finds a mistake in processes.
fn found_by_processes(tree: &Path, call: &str) -> Result<Option<&'static str>> {
    let mut interpreter = interpreter::Interpreter::open(&Images::build(tree)?, 0)?;
    if !call.is_empty() {
        let found = short::run(&interpreter, call, SOME_OF_CALL).is_err();
        return Ok(found.then_some("a short schedule"));
    }
    let [few, many] = RANDOM_OF_PROCESSES;
    for index in 0..many {
        if index == few && short::run(&interpreter, "", SOME_OF_PROCESSES).is_err() {
            return Ok(Some("a short schedule"));
        }
        if interpreter.judge(&processes::random(0, index))?.is_some() {
            return Ok(Some("a random schedule"));
        }
    }
    Ok(None)
}

/// Returns `true` if unit tests of the framework fail in a tree in which they can be built.
fn do_unit_tests_fail(tree: &Path, tests: &str) -> Result<bool> {
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO"))
            .args(["test", "--quiet", "--locked", "--package", "quintet", "--lib"])
            .args(arguments)
            .current_dir(tree)
            .env("CARGO_TARGET_DIR", output().join("unit"))
            .output()
            .context("running cargo")
    };
    let built = run(&["--no-run"])?;
    ensure!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    // One by one: a test that searches a list beside another test would let the other's search
    // start again.
    let ran = run(&[tests, "--", "--test-threads=1"])?;
    let text = String::from_utf8_lossy(&ran.stdout);
    ensure!(!text.contains("running 0 tests"), "there are no unit tests named {tests}");
    Ok(!ran.status.success())
}
