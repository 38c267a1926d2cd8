//! Hands the memory layout and the linker script to the linker.

fn main() {
    let directory = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    println!("cargo::rustc-link-search={directory}/../..");
    println!("cargo::rustc-link-arg=-Tlink.x");
    println!("cargo::rerun-if-changed=../../memory.x");
}
