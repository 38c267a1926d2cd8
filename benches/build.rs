//! Gives the linker what firmware with processes needs beyond the script that all firmware has.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=processes.x");
    println!("cargo:rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo:rustc-link-arg-bin=tock=-Tprocesses.x");
    if std::env::var_os("CARGO_FEATURE_A_PROCESS").is_some() {
        println!("cargo:rustc-link-arg-bin=models=-Tprocesses.x");
    }
}
