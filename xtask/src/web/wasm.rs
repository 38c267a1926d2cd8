//! The crate for the browser: compiled by cargo, with the JavaScript around it by wasm-bindgen.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use quintet_lab::toolchain::{self, Setup};
use wasm_bindgen_cli_support::Bindgen;

use super::target;
use crate::cross::firmware::root;

const TARGET: &str = "wasm32-unknown-unknown";
const PACKAGE: &str = "quintet-web";

/// A crate below draws random numbers: the browser's.
const FLAGS: [&str; 2] = ["--cfg", "getrandom_backend=\"wasm_js\""];

/// Builds it into the folder. Adds the target to the compiler first, if it is missing.
pub fn build(folder: &Path) -> Result<()> {
    let root = root();
    let setup = Setup { workspace: &root, target: TARGET, profile: "release", flags: &FLAGS };
    let target = target();
    let status = toolchain::cargo(&setup)?
        .args(["rustc", "--quiet", "--locked", "--release", "--target", TARGET])
        .args(["--package", PACKAGE, "--lib", "--crate-type", "cdylib"])
        .arg("--target-dir")
        .arg(&target)
        .status()
        .context("cargo could not be started")?;
    ensure!(status.success(), "building {PACKAGE} for {TARGET} failed (cargo says why above)");
    let wasm = target.join(TARGET).join("release/quintet_web.wasm");
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&wasm).web(true)?.typescript(false);
    // Names of functions are half of the size, and only for debuggers.
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(folder).with_context(|| format!("wasm-bindgen on {}", wasm.display()))
}
