//! The short version of `cargo proof hostile`: some hundred thousand instructions.

use proof::campaign::mutants::check_texts;
use proof::campaign::{FLOATS, PLAIN};
use proof::hostile::{Siege, Target, directory};

#[test]
fn a_hostile_process_reaches_nothing_but_its_own() {
    let mut siege = Siege::begin(&Target::build(PLAIN).unwrap(), 1).unwrap();
    let said = siege.run(1_000_000);
    println!("{siege}");
    said.unwrap();
    // It was hostile: it has begun anew often, after most kinds of faults.
    assert!(siege.lives() > 20, "{siege}");
    assert!(siege.faults().iter().filter(|&&count| count > 0).count() >= 4, "{siege}");
}

#[test]
fn nor_does_it_with_floating_point_registers() {
    let mut siege = Siege::begin(&Target::build(FLOATS).unwrap(), 1).unwrap();
    let said = siege.run(600_000);
    println!("{siege}");
    said.unwrap();
    assert!(siege.lives() > 10, "{siege}");
    // It has used them, and was interrupted and has called with them.
    assert!(siege.floated() > 20, "{} times: {siege}", siege.floated());
}

#[test]
fn every_mistake_is_about_a_text_that_is_there() {
    check_texts(&directory()).unwrap();
}
