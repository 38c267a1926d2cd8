//! Tells the linker where code and memory are.

fn main() {
    println!("cargo:rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo:rustc-link-arg=-Tcalls.x");
    println!("cargo:rustc-link-arg=-Tlink.x");
    println!("cargo:rerun-if-changed=calls.x");
    println!("cargo:rerun-if-changed=src/floor.s");
}
