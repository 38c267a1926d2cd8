//! Tells the linker of the memory.

fn main() {
    println!("cargo:rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    for script in ["memory.x", "link.x"] {
        println!("cargo:rustc-link-arg=-T{script}");
    }
    println!("cargo:rerun-if-changed=memory.x");
}
