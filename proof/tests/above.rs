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

/// The target of a core that masks by source, with PRIMASK as the kernel's ceiling.
const SOURCES: &str = "thumbv6m-none-eabi";

/// What a program of these features prints that is built with debug assertions or without.
fn printed(program: &str, features: &str, assertions: bool) -> (String, Stop) {
    printed_on(support::TARGET, program, features, assertions)
}

/// The same for a target.
fn printed_on(target: &str, program: &str, features: &str, assertions: bool) -> (String, Stop) {
    let profile = format!("profile.release.debug-assertions={assertions}");
    printed_by(target, program, features, &profile)
}

/// The same with a line for the profile.
fn printed_by(target: &str, program: &str, features: &str, profile: &str) -> (String, Stop) {
    // Not of macros, or they would be built once more.
    let macros = "profile.release.build-override.debug-assertions=false";
    let arguments =
        ["--bin", program, "--features", features, "--config", profile, "--config", macros];
    let (image, board) = {
        // Programs that have one name take each other's place: who builds reads at once.
        let _alone = BUILDS.lock().unwrap_or_else(PoisonError::into_inner);
        let programs = support::build("main-stack", target, &arguments);
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
    let only_in_quintet = "profile.release.package.quintet.debug-assertions=true";
    let (printed_with, _) = printed_by(support::TARGET, "above", "", only_in_quintet);
    assert!(printed_with.starts_with(says), "{printed_with}");
    let without = printed("above", "", false);
    let says = "the kernel's own may\nnothing has looked\n".to_owned();
    assert_eq!(without, (says, Stop::Exit { code: 0 }));
}

/// The kernel's ceiling is one of BASEPRI, or PRIMASK; libraries have sections of it.
#[test]
fn who_may_use_an_object_does_so_under_the_ceiling_of_each_resource() {
    for (target, program, sum) in [
        (support::TARGET, "each_ceiling_to_7", 61),
        (support::TARGET, "each_ceiling_to_8", 63),
        (SOURCES, "each_ceiling_to_8", 63),
    ] {
        let says = format!("{sum} received\n14 events\n28 permits\n");
        let printed = printed_on(target, program, "sections", true);
        assert_eq!(printed, (says, Stop::Exit { code: 0 }), "{program}");
    }
}

#[test]
fn the_clock_may_have_the_highest_priority() {
    for target in [support::TARGET, SOURCES] {
        let (printed, stop) = printed_on(target, "clock_at_top", "clock", true);
        assert_eq!((printed.as_str(), stop), ("10 ticks, 1 other\n", Stop::Exit { code: 0 }));
    }
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
