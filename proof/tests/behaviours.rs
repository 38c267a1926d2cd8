//! Every program in `firmware/behaviours` prints what is written beside it: a test for each
//! program.
//!
//! The programs are built for the target, and run in this process by the simulator.

mod support;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Failed, Trial};
use quintet_sim::board::Board;
use quintet_sim::machine::{Stop, Until};

/// What a program may take. All end long before.
const CYCLES_MAX: u64 = 50_000_000;

/// Where the programs are, of which all but those of a feature are built at once, by the first test
/// that runs.
static PROGRAMS: LazyLock<PathBuf> =
    LazyLock::new(|| support::build("behaviours", support::TARGET, &[]));
static WITH_EMBASSY: LazyLock<PathBuf> = LazyLock::new(|| {
    let feature = ["--features", "embassy-sync", "--bin", "resource_within_raw_mutex"];
    support::build("behaviours", support::TARGET, &feature)
});

fn main() -> ExitCode {
    let mut tests = of_directory("bin", &PROGRAMS);
    tests.extend(of_directory("embassy_sync", &WITH_EMBASSY));
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// A test for each program of a directory.
fn of_directory(sources: &str, programs: &'static LazyLock<PathBuf>) -> Vec<Trial> {
    let directory =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware/behaviours/src").join(sources);
    let files = std::fs::read_dir(directory).expect("there are programs");
    let paths = files.map(|file| file.expect("it can be listed").path());
    let test = |source: PathBuf| {
        let name = source.file_stem().and_then(|stem| stem.to_str()).expect("names are UTF-8");
        let name = name.to_owned();
        Trial::test(name.clone(), move || {
            check(&programs.join(name), &source.with_extension("out"))
        })
    };
    let mut tests: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(test)
        .collect();
    assert!(!tests.is_empty());
    tests.sort_by(|one, other| one.name().cmp(other.name()));
    tests
}

/// Whether a program prints what is written in a file, and ends well.
fn check(program: &Path, expected: &Path) -> Result<(), Failed> {
    let expected = std::fs::read_to_string(expected)
        .map_err(|error| format!("{}: {error}", expected.display()))?;
    let board = Board::named(support::BOARD).expect("built in");
    let mut machine = support::machine(&board, &support::image(program));
    let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
    let printed = support::printed(&mut machine);
    if printed != expected || stop != (Stop::Exit { code: 0 }) {
        return Err(format!("ended with {stop:?}; expected:\n{expected}printed:\n{printed}").into());
    }
    Ok(())
}
