//! Hands the memory layout and the interrupts' default handlers to the linker.

use std::{env, fs, path::Path};

fn main() {
    let output = env::var("OUT_DIR").expect("cargo sets it");
    let defaults: String =
        (0..9).map(|line| format!("PROVIDE(LINE{line} = DefaultHandler);\n")).collect();
    fs::write(Path::new(&output).join("device.x"), defaults)
        .expect("cargo's directory is writable");
    println!("cargo::rustc-link-search={output}");
    println!("cargo::rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo::rustc-link-arg=-Tlink.x");
    println!("cargo::rerun-if-changed=memory.x");
}
