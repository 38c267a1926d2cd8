//! An interrupt above the kernel's ceiling that uses an object is named, and so is the object, in
//! builds with debug assertions. Others look at nothing.

mod support;

use quintet_sim::board::Board;
use quintet_sim::machine::{Stop, Until};

const CYCLES_MAX: u64 = 10_000_000;

/// What the program prints that is built with debug assertions or without.
fn printed(assertions: bool) -> (String, Stop) {
    let profile = format!("profile.release.debug-assertions={assertions}");
    let arguments = ["--bin", "above", "--config", &profile];
    let programs = support::build("main-firmware", support::TARGET, &arguments);
    let board = Board::named(support::BOARD).expect("built in");
    let mut machine = support::machine(&board, &support::image(&programs.join("above")));
    let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
    (support::printed(&mut machine), stop)
}

#[test]
fn who_uses_an_object_above_the_ceiling_is_named() {
    let (printed_with, _) = printed(true);
    let says = "the kernel's own may\n\
                `quintet::sync::semaphore::Semaphore::try_give` was called by the interrupt 5 \
                (exception 21), whose hardware priority 0x00 is above the kernel's ceiling 0xe0: ";
    assert!(printed_with.starts_with(says), "{printed_with}");
    assert!(printed_with.contains("may wake, or pend a task that uses the object"));
    let without = printed(false);
    let says = "the kernel's own may\nnothing has looked\n".to_owned();
    assert_eq!(without, (says, Stop::Exit { code: 0 }));
}
