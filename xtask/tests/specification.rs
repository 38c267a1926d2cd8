//! The short version of `cargo xtask specification`: some hundred random schedules, the same every
//! time, and interrupts before some instructions of short ones.

use xtask::specification::puppet::Puppet;
use xtask::specification::{Amount, build, exhaustive, random};

#[test]
fn the_kernel_does_what_the_specification_allows() {
    let mut puppet = Puppet::open(&build().unwrap()).unwrap();
    let mut amount = Amount::default();
    for index in 0..500 {
        amount.add(&mut puppet, &random(1, index)).unwrap();
    }
    exhaustive::interrupted(&mut puppet, &mut amount, 251).unwrap();
    println!("{amount}");
    assert!(amount.schedules > 600 && amount.interrupts > 2000, "{amount}");
}
