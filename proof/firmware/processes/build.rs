//! Hands the linker script of `cortex-m-rt` to the linker, with memories that leave room for
//! processes.

use std::env;

fn main() {
    let is_an505 = env::var_os("CARGO_FEATURE_AN505").is_some();
    let board = if is_an505 { "an505" } else { "lm3s6965" };
    println!("cargo::rustc-link-search={}/memories/{board}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo::rustc-link-arg=-Tlink.x");
    println!("cargo::rerun-if-changed=memories");
    println!("cargo::rerun-if-changed=memory.x");
}
