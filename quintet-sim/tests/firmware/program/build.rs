//! Hands the linker the memory layout.

fn main() {
    let directory = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo::rustc-link-arg=-T{directory}/layout.ld");
    println!("cargo::rerun-if-changed=layout.ld");
}
