//! An interrupt above the kernel's ceiling that uses an object is named, and so is the object, in
//! builds with debug assertions. Others look at nothing.

mod support;

use std::sync::{Mutex, PoisonError};

use quintet_sim::board::Board;
use quintet_sim::machine::{Stop, Until};

const CYCLES_MAX: u64 = 10_000_000;
/// The code with which a program ends whose exception has reported.
const REPORTED: u32 = 3;
/// The same where something else has.
const PANICKED: u32 = 4;

static BUILDS: Mutex<()> = Mutex::new(());

/// What a program of these features prints that is built with debug assertions or without.
fn printed(program: &str, features: &str, assertions: bool) -> (String, Stop) {
    let profile = format!("profile.release.debug-assertions={assertions}");
    // Not of macros, or they would be built once more.
    let macros = "profile.release.build-override.debug-assertions=false";
    let arguments =
        ["--bin", program, "--features", features, "--config", &profile, "--config", macros];
    let (image, board) = {
        // Programs that have one name take each other's place: who builds reads at once.
        let _alone = BUILDS.lock().unwrap_or_else(PoisonError::into_inner);
        let programs = support::build("main-firmware", support::TARGET, &arguments);
        (support::image(&programs.join(program)), Board::named(support::BOARD).expect("built in"))
    };
    let mut machine = support::machine(&board, &image);
    let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
    (support::printed(&mut machine), stop)
}

#[test]
fn who_uses_an_object_above_the_ceiling_is_named() {
    let (printed_with, _) = printed("above", "", true);
    let says = "the kernel's own may\n\
                `quintet::sync::semaphore::Semaphore::try_give` was called by the interrupt 5 \
                (exception 21), whose hardware priority 0x00 is above the kernel's ceiling 0xe0: ";
    assert!(printed_with.starts_with(says), "{printed_with}");
    assert!(printed_with.contains("may wake, or pend a task that uses the object"));
    let without = printed("above", "", false);
    let says = "the kernel's own may\nnothing has looked\n".to_owned();
    assert_eq!(without, (says, Stop::Exit { code: 0 }));
}

#[test]
fn what_is_refused_is_told_in_a_critical_section_too() {
    let (printed, stop) = printed("above", "sections", true);
    let says =
        "the kernel's own may\n`quintet::sync::semaphore::Semaphore::try_give` was called by ";
    assert!(printed.starts_with(says), "{printed}, {stop:?}");
    assert_eq!(stop, Stop::Exit { code: PANICKED });
}

#[test]
fn a_fault_may_be_reported_in_a_critical_section() {
    let (printed, stop) = printed("alone", "guarded,sections", true);
    assert!(printed.starts_with("the main stack overflowed: "), "{printed}, {stop:?}");
    assert_eq!(stop, Stop::Exit { code: REPORTED });
}
