//! The short version of `cargo xtask campaign`: a few hundred injections into each program, a test
//! for each.
//!
//! They are spread over all of each program, and are the same every time.

use std::process::ExitCode;
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Failed, Trial};
use xtask::campaign::part::{Amounts, Part};
use xtask::campaign::programs::Programs;
use xtask::campaign::{directory, mutants, names};

const SAMPLE: Amounts = Amounts { sample: Some(400), pair_distance: 400, pair_cycles: 1, seed: 0 };

/// Built once, by the first test that runs.
static PROGRAMS: LazyLock<Programs> =
    LazyLock::new(|| Programs::build_all().expect("the programs build"));

fn main() -> ExitCode {
    let names = names().expect("the programs can be listed");
    assert!(!names.is_empty());
    let mut tests = vec![Trial::test("every_mistake_is_about_a_text_that_is_there", texts)];
    tests.extend(names.into_iter().map(|name| Trial::test(name.clone(), move || check(&name))));
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// Interrupts before sampled instructions break nothing.
fn check(name: &str) -> Result<(), Failed> {
    let finding = Part::open(name, &PROGRAMS)?.run(&SAMPLE).ok_or("it was stopped")?;
    if !finding.is_clean() {
        return Err(finding.failures.into());
    }
    if finding.runs() <= 400 {
        return Err(format!("{} runs only", finding.runs()).into());
    }
    Ok(())
}

fn texts() -> Result<(), Failed> {
    for directory in [directory(), xtask::specification::directory()] {
        mutants::check_texts(&directory)?;
    }
    Ok(())
}
