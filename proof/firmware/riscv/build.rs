//! Hands the linker scripts to the linker. The crate `lm3s6965` brings the memory of the Cortex-M.

fn main() {
    println!("cargo::rerun-if-changed=virt.x");
    println!("cargo::rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|name| name == "riscv32") {
        println!("cargo::rustc-link-arg=-Tvirt.x");
    }
    println!("cargo::rustc-link-arg=-Tlink.x");
}
