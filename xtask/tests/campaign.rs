//! The short version of `cargo xtask campaign`: a few hundred injections into each program.
//!
//! They are spread over all of each program, and are the same every time.

use xtask::campaign::part::{Amounts, Part};
use xtask::campaign::programs::Programs;
use xtask::campaign::{directory, mutants, names};

#[test]
fn interrupts_before_sampled_instructions_break_nothing() {
    let programs = Programs::build_all().unwrap();
    let amounts = Amounts { sample: Some(400), pair_distance: 400, pair_cycles: 1, seed: 0 };
    let names = names().unwrap();
    for name in &names {
        let part = Part::open(name, &programs).unwrap();
        let finding = part.run(&amounts).unwrap();
        assert!(finding.is_clean(), "{}", finding.failures);
        assert!(finding.runs() > 400, "{name}: {} runs", finding.runs());
    }
    assert!(!names.is_empty());
}

#[test]
fn every_mistake_is_about_a_text_that_is_there() {
    for directory in [directory(), xtask::specification::directory()] {
        mutants::check_texts(&directory).unwrap();
    }
}
