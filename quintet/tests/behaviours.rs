//! Every program in `tests/firmware` prints what is written beside it.
//!
//! The programs are built for the target, and run in this process by the simulator.

use std::path::{Path, PathBuf};
use std::process::Command;

use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};

/// What a program may take. All end long before.
const CYCLES_MAX: u64 = 50_000_000;

/// The workspace of the programs.
fn firmware() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware")
}

/// Builds all programs, and returns the directory that they are in.
fn build() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("behaviours");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--locked"])
        .current_dir(firmware())
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("thumbv7m-none-eabi/release")
}

/// What a program prints, and how it ends.
fn run(program: &Path) -> (String, Stop) {
    let bytes = std::fs::read(program).expect("it was built");
    let image = Image::parse_elf(&bytes).expect("it is an ELF file");
    let mut machine = Machine::new(&Board::named("lm3s6965").expect("built in"));
    machine.load(&image).expect("it is linked for the board");
    machine.reset();
    let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
    let printed = machine.take_output().into_iter().flat_map(|output| output.bytes).collect();
    (String::from_utf8(printed).expect("programs print text"), stop)
}

#[test]
fn every_program_prints_what_is_written_beside_it() {
    let programs = build();
    let files = std::fs::read_dir(firmware().join("src/bin")).expect("there are programs");
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
