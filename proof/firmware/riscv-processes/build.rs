//! Copies the kernels of `examples/processes`, with the timer of RISC-V in the place of SysTick and
//! with other addresses, and hands the linker scripts to the linker.

use std::{env, fs, path::Path};

/// What is written otherwise for this board.
const OTHERWISE: [(&str, &str); 5] = [
    ("systick_timer!(Clock, 12_000_000)", "machine_timer!(Clock, 10_000_000, clint = 0x0200_0000)"),
    (".SYST", ".MTIMER"),
    ("0x0002_0000..0x0004_0000", "0x8002_0000..0x8004_0000"),
    ("0x2000_4000..0x2001_0000", "0x8004_4000..0x8005_0000"),
    ("0x0002_0000..0x0003_0000", "0x8002_0000..0x8003_0000"),
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = root.join("../../../examples/processes/src/bin");
    let out = env::var("OUT_DIR").expect("it is set by cargo");
    println!("cargo::rerun-if-changed={}", programs.display());
    for file in fs::read_dir(programs).expect("there are programs") {
        let path = file.expect("it can be listed").path();
        let text = fs::read_to_string(&path).expect("it is text");
        let name = path.file_name().expect("it is a file");
        fs::write(Path::new(&out).join(name), adapted(&text)).expect("it can be written");
    }
    println!("cargo::rerun-if-changed=processes.x");
    println!("cargo::rustc-link-search={}", root.display());
    println!("cargo::rustc-link-arg=-Tprocesses.x");
    println!("cargo::rustc-link-arg=-Tlink.x");
}

/// The program's items. The attributes and comments of the crate can't be included.
fn adapted(text: &str) -> String {
    text.lines()
        .filter(|line| !line.starts_with("//!") && !line.starts_with("#!["))
        .map(|line| {
            let replaced =
                OTHERWISE.iter().fold(line.to_owned(), |line, (from, to)| line.replace(from, to));
            replaced + "\n"
        })
        .chain(["use riscv as _;\nuse riscv_rt as _;\n".to_owned()])
        .collect()
}
