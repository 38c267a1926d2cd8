//! `cargo xtask package`: the crates as a registry would get them.
//!
//! `manifest` checks a crate's entry in a registry. `files` checks that the package holds all files
//! that its code includes. `documentation` builds the pages as docs.rs does. `version` writes a new
//! version into all manifests and lock files.

mod documentation;
mod files;
mod manifest;
mod version;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::tidy::tree;
use manifest::{Package, Workspace};

/// Pack the crates that are published, and check that each package has all that it needs
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Also build each packed crate from its package alone, as `cargo publish` does: takes minutes
    #[arg(long)]
    verify: bool,
    /// Only build the documentation, as docs.rs does
    #[arg(long, conflicts_with = "verify")]
    documentation: bool,
    /// Only write this version into all manifests and lock files
    #[arg(long, value_name = "VERSION", conflicts_with_all = ["verify", "documentation"])]
    set_version: Option<String>,
}

impl Arguments {
    /// Prints the problems. Fails if there are any.
    pub fn run(&self) -> Result<()> {
        let root = tree::root();
        let workspace = Workspace::read(&root)?;
        if let Some(version) = &self.set_version {
            return version::set(&root, &workspace.version()?, version);
        }
        let packages = workspace.published();
        if self.documentation {
            return packages.iter().try_for_each(|package| documentation::build(&root, package));
        }
        let mut problems = workspace.problems();
        problems.extend(version::problems_of_changelog(&root, &workspace.version()?)?);
        for package in &packages {
            problems.extend(files::problems(package, &list(&root, package)?)?);
        }
        for problem in &problems {
            eprintln!("{problem}");
        }
        ensure!(problems.is_empty(), "{} problems", problems.len());
        pack(&root, &packages, self.verify)
    }
}

/// The files that a package would have, from the package's root.
fn list(root: &Path, package: &Package) -> Result<Vec<String>> {
    let output = Command::new("cargo")
        .args(["package", "--list", "--allow-dirty", "--locked", "--quiet", "--package"])
        .arg(&package.name)
        .current_dir(root)
        .output()
        .context("cargo could not be started")?;
    if !output.status.success() {
        bail!("cargo package --list: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout).context("a path isn't UTF-8")?;
    Ok(text.lines().map(|line| line.replace('\\', "/")).collect())
}

/// Makes the packages, in `target/package`. They are made together, because no registry has the
/// ones that others need.
fn pack(root: &Path, packages: &[&Package], verify: bool) -> Result<()> {
    let mut cargo = Command::new("cargo");
    cargo.args(["package", "--allow-dirty", "--locked", "--quiet"]).current_dir(root);
    for package in packages {
        cargo.args(["--package", &package.name]);
    }
    if !verify {
        cargo.arg("--no-verify");
    }
    let output = cargo.output().context("cargo could not be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo package failed:\n{said}");
    let directory = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), Into::into)
        .join("package");
    for Package { name, version, .. } in packages {
        let path = directory.join(format!("{name}-{version}.crate"));
        let made = std::fs::metadata(&path).with_context(|| path.display().to_string())?;
        println!("{name} {version}: {} KiB", made.len().div_ceil(1024));
    }
    Ok(())
}
