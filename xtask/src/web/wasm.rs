//! The crate for the browser: compiled by cargo, with the JavaScript around it by wasm-bindgen.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use quintet_lab::toolchain::{self, Setup};

use super::target;
use proof::firmware::root;

const TARGET: &str = "wasm32-unknown-unknown";
const PACKAGE: &str = "quintet-web";

/// A crate below draws random numbers: the browser's.
const FLAGS: [&str; 2] = ["--cfg", "getrandom_backend=\"wasm_js\""];

/// Builds the crate into the folder. Adds the target to the compiler first, if it is missing.
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
    glue(&wasm, folder)
}

/// Writes the JavaScript around the crate. The program that does is a workspace of its own.
fn glue(wasm: &Path, folder: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--locked", "--manifest-path"])
        .arg(root().join("quintet-web/glue/Cargo.toml"))
        .arg("--target-dir")
        .arg(target().join("glue"))
        .arg("--")
        .args([wasm, folder])
        .status()
        .context("cargo could not be started")?;
    ensure!(status.success(), "quintet-web/glue failed (it says why above)");
    Ok(())
}
