//! Copies the programs of `behaviours`, and an example, with the timer of RISC-V in the place of
//! SysTick, and hands the linker scripts to the linker.

use std::{env, fs, path::Path};

/// A board: its linker script, and the timer of a Cortex-M in its words.
struct Board {
    script: &'static str,
    timer: &'static str,
}

const VIRT: Board =
    Board { script: "virt.x", timer: "machine_timer!(Clock, 10_000_000, clint = 0x0200_0000)" };
const IBEX: Board = Board { script: "ibex.x", ..VIRT };
const LITEX: Board =
    Board { script: "litex.x", timer: "machine_timer!(Clock, 1_000_000, clint = 0xf001_0000)" };

impl Board {
    /// Returns the board that a feature names.
    fn wanted() -> Self {
        let has = |name: &str| env::var_os(format!("CARGO_FEATURE_{name}")).is_some();
        match (has("IBEX"), has("LITEX")) {
            (true, _) => IBEX,
            (_, true) => LITEX,
            _ => VIRT,
        }
    }
}

fn main() {
    let firmware = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it is in `firmware`");
    let board = Board::wanted();
    let programs = firmware.join("behaviours/src/bin");
    println!("cargo::rerun-if-changed={}", programs.display());
    for file in fs::read_dir(programs).expect("there are programs") {
        let path = file.expect("it can be listed").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            copy(&path, &board);
        }
    }
    let example = firmware.join("../../examples/src/bin/all_models.rs");
    println!("cargo::rerun-if-changed={}", example.display());
    copy(&example, &board);
    println!("cargo::rustc-link-search={}", firmware.join("riscv").display());
    println!("cargo::rustc-link-arg=-T{}", board.script);
    println!("cargo::rustc-link-arg=-Tlink.x");
}

/// Copies a program.
fn copy(path: &Path, board: &Board) {
    let out = env::var("OUT_DIR").expect("it is set by cargo");
    let text = fs::read_to_string(path).expect("it is text");
    let name = path.file_name().expect("it is a file");
    fs::write(Path::new(&out).join(name), adapted(&text, board)).expect("it can be written");
}

/// The program's items, with another timer. The attributes and comments of the crate can't be
/// included, nor what the crate has by itself.
fn adapted(text: &str, board: &Board) -> String {
    text.lines()
        .filter(|line| !line.starts_with("//!") && !line.starts_with("#!["))
        .map(|line| {
            let line = line.replace("systick_timer!(Clock, 12_000_000)", board.timer);
            line.replace(".SYST", ".MTIMER") + "\n"
        })
        .chain(["use riscv as _;\nuse riscv_rt as _;\n".to_owned()])
        .collect()
}
