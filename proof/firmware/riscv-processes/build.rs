//! Copies the kernels of `examples/processes`, with the timer of RISC-V in the place of SysTick and
//! with other addresses, and hands the linker scripts to the linker.

use std::{env, fs, path::Path};

/// What is written otherwise, with the first digits of an address for BASE.
const OTHERWISE: [(&str, &str); 5] = [
    ("systick_timer!(Clock, 12_000_000)", "machine_timer!(Clock, 10_000_000, clint = 0x0200_0000)"),
    (".SYST", ".MTIMER"),
    ("0x0002_0000..0x0004_0000", "0xBASE2_0000..0xBASE4_0000"),
    ("0x2000_4000..0x2001_0000", "0xBASE4_4000..0xBASE5_0000"),
    ("0x0002_0000..0x0003_0000", "0xBASE2_0000..0xBASE3_0000"),
];

/// A board: the first digits of its memory's addresses, and the linker script.
struct Board {
    base: &'static str,
    script: &'static str,
}

impl Board {
    /// Returns the board that a feature names.
    fn wanted() -> Self {
        match env::var_os("CARGO_FEATURE_IBEX") {
            Some(_) => Self { base: "001", script: "processes-ibex.x" },
            None => Self { base: "800", script: "processes.x" },
        }
    }
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = root.join("../../../examples/processes/src/bin");
    let out = env::var("OUT_DIR").expect("it is set by cargo");
    let board = Board::wanted();
    println!("cargo::rerun-if-changed={}", programs.display());
    for file in fs::read_dir(programs).expect("there are programs") {
        let path = file.expect("it can be listed").path();
        let text = fs::read_to_string(&path).expect("it is text");
        let name = path.file_name().expect("it is a file");
        fs::write(Path::new(&out).join(name), adapted(&text, &board)).expect("it can be written");
    }
    println!("cargo::rerun-if-changed={}", board.script);
    println!("cargo::rustc-link-search={}", root.display());
    println!("cargo::rustc-link-arg=-T{}", board.script);
    println!("cargo::rustc-link-arg=-Tlink.x");
}

/// The program's items. The attributes and comments of the crate can't be included.
fn adapted(text: &str, board: &Board) -> String {
    text.lines()
        .filter(|line| !line.starts_with("//!") && !line.starts_with("#!["))
        .map(|line| {
            let replaced = OTHERWISE.iter().fold(line.to_owned(), |line, (from, to)| {
                line.replace(from, &to.replace("BASE", board.base))
            });
            replaced + "\n"
        })
        .chain(["use riscv as _;\nuse riscv_rt as _;\n".to_owned()])
        .collect()
}
