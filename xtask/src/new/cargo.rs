//! Cargo in a crate for a chip, as its user calls it, with this tree's `quintet` as the runner.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use quintet_lab::toolchain::{self, Setup};

use proof::firmware::{output, root};

/// What a call left behind.
pub struct Finished {
    /// `true` if it ended with 0.
    pub succeeded: bool,
    /// What it printed, on both channels.
    pub printed: String,
}

/// Calls cargo in the crate in a directory.
pub fn call(directory: &Path, arguments: &[&str], is_locked: bool) -> Result<Finished> {
    let target = target(directory)?;
    let setup = Setup { workspace: directory, target: &target, profile: "dev", flags: &[] };
    let quintet = quintet()?;
    let beside = quintet.parent().unwrap_or(&quintet).to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(beside).chain(std::env::split_paths(&path));
    let mut command = toolchain::cargo(&setup)?;
    // Before the arguments: what stands behind `--` is the firmware's.
    command.args(is_locked.then_some("--locked"));
    let finished = command
        .args(arguments)
        .env("PATH", std::env::join_paths(paths)?)
        .env("CARGO_TARGET_DIR", output())
        .env_remove("QUINTET_BOARD")
        .env_remove("QUINTET_MAX_CYCLES")
        .output()
        .context("cargo could not be started")?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let printed = text(&finished.stdout) + &text(&finished.stderr);
    Ok(Finished { succeeded: finished.status.success(), printed })
}

/// What the crate is built for.
fn target(directory: &Path) -> Result<String> {
    let path = directory.join(".cargo/config.toml");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let config: toml::Table = text.parse().with_context(|| path.display().to_string())?;
    let target = config.get("build").and_then(|build| build.get("target")?.as_str());
    Ok(target.context("its .cargo/config.toml has no target")?.to_owned())
}

/// The command `quintet` of this tree, built where it isn't.
fn quintet() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--workspace", "--bins", "--examples"])
        .current_dir(root())
        .status()
        .context("cargo could not be started")?;
    ensure!(status.success(), "the command quintet does not build: cargo says why above");
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root().join("target"), PathBuf::from);
    let path = target.join("debug").join(format!("quintet{}", std::env::consts::EXE_SUFFIX));
    path.canonicalize().with_context(|| path.display().to_string())
}
