//! Lets the linker find the script of applications, `process.x`.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=process.x");
    let directory = env::var_os("OUT_DIR").unwrap_or_default();
    let script = Path::new(&directory).join("process.x");
    if let Err(error) = fs::write(&script, include_bytes!("process.x")) {
        println!("cargo::error=cannot write {}: {error}", script.display());
    }
    println!("cargo::rustc-link-search={}", script.with_file_name("").display());
}
