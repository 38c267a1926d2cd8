//! With the feature `guard-main-stack`, an overflow of main's stack ends in a message that says so,
//! before it has overwritten statics; and one of a thread's in that thread's, as ever.

mod support;

use std::sync::{Mutex, PoisonError};

use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Stop, Until};

const CYCLES_MAX: u64 = 10_000_000;
/// The code with which a program ends whose exception has reported.
const REPORTED: u32 = 3;

/// Programs that have one name take each other's place: who builds reads at once.
static BUILDS: Mutex<()> = Mutex::new(());

/// A program that is built with these features.
fn image(program: &str, features: &str) -> Image {
    let _alone = BUILDS.lock().unwrap_or_else(PoisonError::into_inner);
    let arguments = ["--bin", program, "--features", features];
    support::image(&support::build("main-stack", support::TARGET, &arguments).join(program))
}

/// What a program prints that is built with these features, and how it ends.
fn run(program: &str, features: &str) -> (String, Stop) {
    let image = image(program, features);
    let board = Board::named(support::BOARD).expect("built in");
    let mut machine = support::machine(&board, &image);
    let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
    (support::printed(&mut machine), stop)
}

/// Where main's stack ends, rounded to a guard.
fn end(program: &str, features: &str) -> u32 {
    support::address(&image(program, features), "_stack_end").next_multiple_of(256)
}

#[test]
fn an_overflow_of_mains_is_mains() {
    for (program, features) in
        [("alone", "guarded"), ("interrupted", "guarded"), ("interrupted", "guarded,moving")]
    {
        let (printed, stop) = run(program, features);
        let end = end(program, features);
        let says = format!(
            "the main stack overflowed: it has grown down to {end:#010x}, where the statics end"
        );
        assert!(printed.starts_with(&says), "{program}, {features}: {printed}, {stop:?}");
        assert_eq!(stop, Stop::Exit { code: REPORTED }, "{program}, {features}");
    }
}

#[test]
fn an_overflow_of_a_threads_is_that_threads() {
    for features in ["guarded", "guarded,moving", ""] {
        let (printed, stop) = run("thread", features);
        let says = "the stack of the thread `worker` overflowed: its 1024 bytes don't suffice";
        assert!(printed.starts_with(says), "{features}: {printed}, {stop:?}");
        assert_eq!(stop, Stop::Exit { code: REPORTED }, "{features}");
    }
}

#[test]
fn a_jump_to_what_is_no_code_is_no_overflow() {
    let (printed, stop) = run("elsewhere", "guarded");
    assert_eq!(printed.trim_end(), "code was to be executed where none may be");
    assert_eq!(stop, Stop::Exit { code: REPORTED });
}

#[test]
fn without_the_feature_nothing_is_there() {
    let (printed, _) = run("alone", "");
    assert!(!printed.contains("overflowed"), "{printed}");
    let image = image("alone", "");
    let is_ours = |name: &str| name.contains("main_guard") || name.contains("main_stack");
    assert!(!image.symbols.iter().any(|symbol| is_ours(&symbol.name)));
}
