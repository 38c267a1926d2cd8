//! The short version of `cargo xtask hostile`: some hundred thousand instructions.

use xtask::campaign::mutants::check_texts;
use xtask::hostile::{Siege, Target, directory};

#[test]
fn a_hostile_process_reaches_nothing_but_its_own() {
    let mut siege = Siege::begin(&Target::build().unwrap(), 1).unwrap();
    let said = siege.run(1_000_000);
    println!("{siege}");
    said.unwrap();
    // It was hostile: it has begun anew often, after most kinds of faults.
    assert!(siege.lives() > 20, "{siege}");
    assert!(siege.faults().iter().filter(|&&count| count > 0).count() >= 4, "{siege}");
}

#[test]
fn every_mistake_is_about_a_text_that_is_there() {
    check_texts(&directory()).unwrap();
}
