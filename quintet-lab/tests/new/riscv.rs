//! Crates for the boards with a RISC-V core: they build, run, and their tests pass.

use std::path::Path;
use std::process::Command;

use quintet_lab::linker::with_interruptor;
use quintet_lab::toolchain::{self, Setup};

use super::support::{Finished, temporary};
use super::{assert_prints, checkout, new, nowhere};

/// The boards, each with the target of its crate, and cargo's directory: the kernel is built for an
/// address of `msip`, and where that changes, anew.
const BOARDS: [(&str, &str, &str); 3] = [
    ("virt-rv32", "riscv32imac-unknown-none-elf", "firmware"),
    ("ibex-clint", "riscv32imc-unknown-none-elf", "firmware"),
    ("litex-vexriscv-clint", "riscv32imc-unknown-none-elf", "firmware-litex"),
];

/// Makes a crate, runs it and its tests.
fn assert_works(board: &str, target: &str, output: &str, with: &str, lines: &[&str]) {
    let name = format!("tested-{board}");
    let directory = nowhere(board, &name);
    let with = if with.is_empty() { Vec::new() } else { vec!["--with", with] };
    let checkout = checkout();
    let arguments = [&["--board", board, "--path", &checkout][..], &with].concat();
    let made = new(&directory, &arguments);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let locks = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/new");
    let lock = locks.join(format!("{board}.lock"));
    let bless = std::env::var_os("QUINTET_BLESS").is_some();
    if lock.exists() {
        std::fs::copy(&lock, directory.join("Cargo.lock")).unwrap();
    }
    let beside = Path::new(env!("CARGO_BIN_EXE_quintet")).parent().unwrap();
    let output = beside.parent().unwrap().join(output);
    let cargo = |arguments: &[&str]| {
        let setup = Setup { workspace: &directory, target, profile: "dev", flags: &[] };
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(beside.to_owned()).chain(std::env::split_paths(&path));
        let mut command = toolchain::cargo(&setup).unwrap();
        command
            .args(arguments)
            .args((!bless).then_some("--locked"))
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env("CARGO_TARGET_DIR", &output)
            .env_remove("QUINTET_BOARD")
            .env_remove("QUINTET_MAX_CYCLES");
        Finished::new(command.output().expect("cargo starts"))
    };
    assert_prints(&cargo(&["run", "--quiet"]), lines);
    let tested = cargo(&["test", "--quiet"]);
    assert_prints(&tested, &["test the_led_is_on_in_every_other_beat ... ok"]);
    if bless {
        std::fs::copy(directory.join("Cargo.lock"), &lock).unwrap();
    }
    let app = output.join(target).join("debug").join(&name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.arg("test").arg(app).args(["tests", "--board", board]).current_dir(&directory);
    let finished = Finished::new(command.output().expect("quintet starts"));
    assert_prints(&finished, &["3 of 3 met in ", "1 test: 1 passed, 0 failed"]);
}

#[test]
fn a_crate_with_everything_runs_on_qemus_board() {
    let [(board, target, output), ..] = BOARDS;
    let lines = [
        "started\n",
        "beat 9: off\n",
        "report: the sum of all beats is 45\n",
        "counter: on for the 5. time\n",
        "worker: 10 pieces of work\n",
    ];
    assert_works(board, target, output, "async,actors,threads", &lines);
}

#[test]
fn a_crate_for_an_ibex_and_one_for_a_vexriscv_run() {
    for (board, target, output) in &BOARDS[1..] {
        let lines = ["started\n", "beat 0: on\n", "beat 9: off\n"];
        assert_works(board, target, output, "", &lines);
    }
}

#[test]
fn every_board_that_is_named_has_a_crate_that_is_built() {
    assert_eq!(with_interruptor().unwrap(), BOARDS.map(|(board, ..)| board));
    let listed = super::quintet(&["new", "--list"]);
    let line = "RISC-V: quintet new NAME --board BOARD, a file or one of virt-rv32, ibex-clint, \
                litex-vexriscv-clint\n";
    assert!(listed.stdout.ends_with(line), "{}", listed.stdout);
}

#[test]
fn a_board_file_of_the_users_is_the_crates() {
    let text = include_str!("../../../quintet-sim/boards/riscv/virt-rv32.toml")
        .replace("base = 0x0200_0000", "base = 0x0204_0000")
        .replace("\"virt-rv32\"", "\"mine\"");
    let file = temporary("new-riscv.toml", text.as_bytes());
    let directory = nowhere("riscv-file", "blinky");
    let made = new(&directory, &["--board", &file]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(made.stdout.contains("blinky: a crate for mine, in "), "{}", made.stdout);
    let read = |path: &str| std::fs::read_to_string(directory.join(path)).unwrap();
    assert_eq!(read("board.toml"), text);
    let settings = read(".cargo/config.toml");
    assert!(settings.contains("QUINTET_MSIP = \"0x0204_0000\""), "{settings}");
    assert!(settings.contains("QUINTET_BOARD = { value = \"board.toml\""), "{settings}");
    assert!(read("src/main.rs").contains("clint = 0x0204_0000);"));
}

#[test]
fn what_no_crate_can_be_made_for_is_refused() {
    let refused = |arguments: &[&str], parts: &[&str]| {
        let directory = nowhere("riscv-refused", "blinky");
        new(&directory, arguments).fails(120, parts);
        assert!(!directory.exists());
    };
    for board in ["ibex", "litex-vexriscv", "rp2350-riscv"] {
        let said = format!("the board {board} has no core-local interruptor ([clint] in its file)");
        refused(&["--board", board], &[&said, "virt-rv32, ibex-clint, litex-vexriscv-clint"]);
    }
    let said =
        "--with defmt is not for a board with a RISC-V core: there are async, actors, threads";
    refused(&["--board", "virt-rv32", "--with", "threads,defmt"], &[said]);
    let said = "the board virt-rv32 has a RISC-V core, and rp2040 is the name of a chip with a";
    refused(&["--board", "virt-rv32", "--chip", "rp2040"], &[said]);
    let text = include_str!("../../../quintet-sim/boards/riscv/virt-rv32.toml");
    let wrong =
        temporary("new-riscv-wrong.toml", text.replace("sources = 96", "sources = 1").as_bytes());
    refused(
        &["--board", &wrong],
        &["new-riscv-wrong.toml: plic, sources: must be between 2 and 256"],
    );
}
