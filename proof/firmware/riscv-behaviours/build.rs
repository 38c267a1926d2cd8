//! Copies the programs of `behaviours`, with the timer of RISC-V in the place of SysTick, and
//! hands the linker scripts to the linker.

use std::{env, fs, path::Path};

fn main() {
    let firmware = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it is in `firmware`");
    let programs = firmware.join("behaviours/src/bin");
    let out = env::var("OUT_DIR").expect("it is set by cargo");
    println!("cargo::rerun-if-changed={}", programs.display());
    for file in fs::read_dir(programs).expect("there are programs") {
        let path = file.expect("it can be listed").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("it is text");
            let name = path.file_name().expect("it is a file");
            fs::write(Path::new(&out).join(name), adapted(&text)).expect("it can be written");
        }
    }
    println!("cargo::rustc-link-search={}", firmware.join("riscv").display());
    println!("cargo::rustc-link-arg=-Tvirt.x");
    println!("cargo::rustc-link-arg=-Tlink.x");
}

/// The program's items, with another timer. The attributes and comments of the crate can't be
/// included, nor what the crate has by itself.
fn adapted(text: &str) -> String {
    text.lines()
        .filter(|line| !line.starts_with("//!") && !line.starts_with("#!["))
        .map(|line| {
            let line = line.replace(
                "systick_timer!(Clock, 12_000_000)",
                "machine_timer!(Clock, 10_000_000, clint = 0x0200_0000)",
            );
            line.replace(".SYST", ".MTIMER") + "\n"
        })
        .chain(["use riscv as _;\nuse riscv_rt as _;\n".to_owned()])
        .collect()
}
