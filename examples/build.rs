//! Hands the memory layout and the linker script of `cortex-m-rt` to the linker.
//!
//! The layout has a folder of its own: the linker looks first into the root of the workspace, where
//! it would find this layout for the programs of the other members.

fn main() {
    println!("cargo::rustc-link-search={}/layout", env!("CARGO_MANIFEST_DIR"));
    println!("cargo::rustc-link-arg=-Tlink.x");
    println!("cargo::rerun-if-changed=layout/memory.x");
}
