//! The short version of `cargo proof campaign`: a few hundred injections into each program, a test
//! for each; and into some with floating-point registers full, on a Cortex-M4F.
//!
//! They are spread over all of each program, and are the same every time.

use std::process::ExitCode;
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Failed, Trial};
use proof::campaign::part::{Amounts, Part};
use proof::campaign::programs::Programs;
use proof::campaign::{FLOATS, PLAIN, directory, mutants, names};

const SAMPLE: Amounts = Amounts { sample: Some(400), pair_distance: 400, pair_cycles: 1, seed: 0 };

/// Those that run on a Cortex-M4F here: the command runs all.
const FLOATING: [&str; 6] = [
    "float_processes",
    "float_tasks",
    "float_threads",
    "process_turns",
    "thread_give",
    "thread_patterns",
];

/// Built once, by the first test that runs.
static PROGRAMS: LazyLock<Programs> =
    LazyLock::new(|| Programs::build_all(PLAIN).expect("the programs build"));
static PROGRAMS_THAT_FLOAT: LazyLock<Programs> = LazyLock::new(|| {
    let names = FLOATING.map(str::to_owned);
    Programs::build_only(&directory(), &names, FLOATS).expect("the programs build")
});

fn main() -> ExitCode {
    let names = names(PLAIN).expect("the programs can be listed");
    assert!(!names.is_empty());
    let mut tests = vec![Trial::test("every_mistake_is_about_a_text_that_is_there", texts)];
    let check_plain = |name: String| Trial::test(name.clone(), move || check(&name, &PROGRAMS));
    tests.extend(names.into_iter().map(check_plain));
    let check_floating = |name: &'static str| {
        Trial::test(format!("{name}_with_floats"), move || check(name, &PROGRAMS_THAT_FLOAT))
    };
    tests.extend(FLOATING.map(check_floating));
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// Interrupts before sampled instructions break nothing.
fn check(name: &str, programs: &Programs) -> Result<(), Failed> {
    let finding = Part::open(name, programs)?.run(&SAMPLE).ok_or("it was stopped")?;
    if !finding.is_clean() {
        return Err(finding.failures.into());
    }
    if finding.runs() <= 400 {
        return Err(format!("{} runs only", finding.runs()).into());
    }
    Ok(())
}

fn texts() -> Result<(), Failed> {
    for directory in [directory(), proof::specification::directory()] {
        mutants::check_texts(&directory)?;
    }
    Ok(())
}
