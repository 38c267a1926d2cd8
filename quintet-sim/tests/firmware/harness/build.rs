//! Hands the linker the memory layout, and tells the code which architecture it is built for.

fn main() {
    let directory = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo::rustc-link-arg=-T{directory}/layout.ld");
    println!("cargo::rerun-if-changed=layout.ld");
    println!("cargo::rustc-check-cfg=cfg(armv7m)");
    println!("cargo::rustc-check-cfg=cfg(armv7em)");
    if std::env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv7")) {
        println!("cargo::rustc-cfg=armv7m");
    }
    if std::env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv7em")) {
        println!("cargo::rustc-cfg=armv7em");
    }
}
