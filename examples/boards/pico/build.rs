//! Hands the memory layout and the linker scripts to the linker.

fn main() {
    println!("cargo::rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo::rustc-link-arg=-Tlink.x");
    println!("cargo::rustc-link-arg=-Tdefmt.x");
    println!("cargo::rustc-link-arg-tests=-Tembedded-test.x");
    println!("cargo::rerun-if-changed=memory.x");
}
