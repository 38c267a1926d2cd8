//! Every program in `tests/firmware` prints what is written beside it.
//!
//! The programs are built for the target, and run in this process by the simulator.

mod support;

use std::path::Path;

use quintet_sim::board::Board;
use quintet_sim::machine::{Stop, Until};

/// What a program may take. All end long before.
const CYCLES_MAX: u64 = 50_000_000;

/// What a program prints, and how it ends.
fn run(program: &Path) -> (String, Stop) {
    let board = Board::named(support::BOARD).expect("built in");
    let mut machine = support::machine(&board, &support::image(program));
    let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
    (support::printed(&mut machine), stop)
}

/// Whether each program in a directory prints what is written beside it.
fn check(programs: &Path, sources: &str) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware/src").join(sources);
    let files = std::fs::read_dir(sources).expect("there are programs");
    let mut count = 0;
    for file in files {
        let path = file.expect("it can be listed").path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("names are UTF-8");
        let expected = std::fs::read_to_string(path.with_extension("out"))
            .unwrap_or_else(|error| panic!("{name}.out: {error}"));
        let (printed, stop) = run(&programs.join(name));
        assert_eq!(printed, expected, "{name} ended with {stop:?}");
        assert_eq!(stop, Stop::Exit { code: 0 }, "{name}");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn every_program_prints_what_is_written_beside_it() {
    check(&support::build("firmware", support::TARGET, &[]), "bin");
}

#[test]
fn so_does_what_is_of_embassy_sync() {
    let feature = ["--features", "embassy-sync", "--bin", "resource_within_raw_mutex"];
    check(&support::build("firmware", support::TARGET, &feature), "embassy_sync");
}
