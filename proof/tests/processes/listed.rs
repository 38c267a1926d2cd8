//! What is refused of the drivers that a kernel lists, at compile time or at its start.

use quintet_sim::machine::{Stop, Until};

use super::{CYCLES_MAX, support};

/// What the compiler says of a program that it refuses.
fn refused(name: &str) -> String {
    let arguments = ["--bin", name, "--features", "refused"];
    let message = support::try_build("processes", support::TARGET, &arguments);
    message.expect_err("the compiler refuses it")
}

#[test]
fn two_drivers_of_one_number_are_refused() {
    let message = refused("two_of_one_number");
    let expected = "two of `drivers` have the number 0x00000002, so no call would reach the later \
                    one: leave one of them out, or give it another `NUMBER`";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn drivers_and_consoles_with_places_for_too_few_processes_are_refused() {
    let message = refused("few_places");
    let expected = "the driver `&ALARM` has places for 1 of the 4 processes that `count` allows: \
                    give it as many places, as in `Alarm<4>` with `count = 4`";
    assert!(message.contains(expected), "{message}");
    let message = refused("few_faults");
    let expected = "the `Shell<N>` has places for the faults of fewer processes than `count` says: \
                    give it that number";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_driver_that_does_not_say_its_places_is_refused_at_the_start() {
    let kernels = support::build("processes", support::TARGET, &["--bin", "few_slots"]);
    let kernel = support::image(&kernels.join("few_slots"));
    let board = quintet_sim::board::Board::named(support::BOARD).expect("built in");
    let mut machine = support::machine(&board, &kernel);
    let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
    let printed = support::printed(&mut machine);
    assert!(matches!(stop, Stop::Exit { code: 1 }), "{stop:?}: {printed}");
    let expected = "the driver `&BELL` has places for 2 of the 4 processes that `count` allows: \
                    give its `Clients` as many places, as in `Clients<4, ..>` with `count = 4`";
    assert!(printed.contains(expected), "{printed}");
}
