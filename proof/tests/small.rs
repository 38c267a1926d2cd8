//! Threads on a core of ARMv6-M: on a Cortex-M0+ and a Cortex-M0 with the board's memories and
//! devices, the programs of `firmware/behaviours` print what is written beside them.
//!
//! These cores have two bits of a priority, so that some priorities of the programs are one.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use quintet_sim::board::{Board, Core};
use quintet_sim::machine::{Stop, Until};

const TARGET: &str = "thumbv6m-none-eabi";
/// What a program may take. All end long before.
const CYCLES_MAX: u64 = 50_000_000;

/// Programs of each kind of wait, of switches by interrupts and by time, and of what is refused.
const PROGRAMS: [&str; 28] = [
    "barrier",
    "condvar",
    "cooperative_threads",
    "futures_of_threads",
    "inbox",
    "instances_of_threads",
    "mailbox",
    "mutex_ceiling",
    "mutex_inheritance",
    "mutex_time_out",
    "notified_under_a_ceiling",
    "pool",
    "preempted_again",
    "rwlock",
    "slices_and_mutexes",
    "slices_and_sections",
    "stacks_stay",
    "started_too_early",
    "thread_mixed",
    "thread_priority",
    "thread_slices",
    "thread_values",
    "threads",
    "threads_delay",
    "threads_wait",
    "waiting_refused",
    "waiting_refused_with_a_level",
    "wakers",
];

/// The built programs. Those of the other target are elsewhere.
static BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
    let bins: Vec<_> = PROGRAMS.iter().flat_map(|name| ["--bin", name]).collect();
    let built = support::build("behaviours", TARGET, &bins);
    // The campaign has programs of the same names.
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("small");
    fs::create_dir_all(&kept).expect("it can be made");
    for name in PROGRAMS {
        fs::copy(built.join(name), kept.join(name)).expect("it was built");
    }
    kept
});

/// The board with another core.
fn board(core: Core) -> Board {
    let board = Board::named(support::BOARD).expect("built in");
    Board { core, core_revision: None, priority_bits: 2, bit_banding: false, ..board }
}

/// Runs all programs on a core.
fn all_print_what_is_written(core: Core) {
    let mut wrong = Vec::new();
    for name in PROGRAMS {
        let written = Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware/behaviours/src/bin");
        let expected = fs::read_to_string(written.join(name).with_extension("out"));
        let image = support::image(&BUILT.join(name));
        let mut machine = support::machine(&board(core), &image);
        let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
        let printed = support::printed(&mut machine);
        if stop != (Stop::Exit { code: 0 }) || Some(printed) != expected.ok() {
            wrong.push((name, stop));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn threads_run_on_a_cortex_m0_plus() {
    all_print_what_is_written(Core::CortexM0Plus);
}

#[test]
fn threads_run_on_a_cortex_m0() {
    all_print_what_is_written(Core::CortexM0);
}
