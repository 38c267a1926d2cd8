//! The short version of `cargo xtask specification`: some hundred random schedules, the same every
//! time, and interrupts before some instructions of short ones.

use xtask::specification::exhaustive::{self, Strides};
use xtask::specification::puppet::Puppet;
use xtask::specification::{Amount, build, random};

/// Primes, so that every operation comes at every place.
const SOME: Strides = Strides { schedules: 331, instructions: 251 };

#[test]
fn the_kernel_does_what_the_specification_allows() {
    let mut puppet = Puppet::open(&build().unwrap()).unwrap();
    let mut amount = Amount::default();
    for index in 0..500 {
        amount.add(&mut puppet, &random(1, index)).unwrap();
    }
    for done in exhaustive::run(&puppet, "", SOME).unwrap() {
        amount += done.short;
        amount += done.interrupted;
    }
    println!("{amount}");
    assert!(amount.schedules > 600 && amount.interrupts > 2000, "{amount}");
}
