//! Makes a package of a program, and builds it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use quintet_lab::linker::Memories;
use quintet_lab::toolchain::{self, Setup};
use quintet_sim::board::Board;

use super::Program;
use proof::firmware::output;

/// The build script: the linker finds `memory.x`, and takes the script of cortex-m-rt.
const BUILD: &str = "fn main() {
    println!(\"cargo:rustc-link-search={}\", env!(\"CARGO_MANIFEST_DIR\"));
    println!(\"cargo:rustc-link-arg-bins=-Tlink.x\");
}
";

/// Builds a program. Returns the image, or `None` if the build fails. Cargo has printed the error.
pub fn build(program: &Program, board: &Board) -> Result<Option<PathBuf>> {
    let directory = output().join("hals").join(&program.name);
    let source = directory.join("src");
    std::fs::create_dir_all(&source).with_context(|| source.display().to_string())?;
    let path = program.file("rs");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    write(&source.join("main.rs"), &text)?;
    write(&directory.join("Cargo.toml"), &manifest(program))?;
    write(&directory.join("build.rs"), BUILD)?;
    write(&directory.join("memory.x"), &Memories::of(board)?.script())?;
    // Later builds use the versions that were resolved once.
    let lock = std::fs::read_to_string(program.file("lock")).ok();
    if let Some(lock) = &lock {
        write(&directory.join("Cargo.lock"), lock)?;
    }

    let setup =
        Setup { workspace: &directory, target: &program.target, profile: "release", flags: &[] };
    let built = output().join("hals/build");
    let status = toolchain::cargo(&setup)?
        .args(["build", "--quiet", "--release", "--target", &program.target, "--target-dir"])
        .arg(&built)
        .args(lock.map(|_| "--locked"))
        .status()
        .context("cargo could not be started")?;
    let image = built.join(&program.target).join("release").join(package_name(program));
    Ok(status.success().then_some(image))
}

fn package_name(program: &Program) -> String {
    format!("hal-{}", program.name)
}

/// Leaves the file's time alone where nothing changes, so that nothing is built again.
fn write(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    std::fs::write(path, text).with_context(|| format!("can't write {}", path.display()))
}

/// The package: a workspace of its own, small and without debug information.
fn manifest(program: &Program) -> String {
    let dependencies: String =
        program.dependencies.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
    format!(
        "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [workspace]\n\n[profile.release]\nopt-level = \"s\"\ndebug = false\ncodegen-units = 1\n\n\
         [dependencies]\n{dependencies}",
        package_name(program)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manifest_has_its_dependencies() {
        for program in super::super::programs().unwrap() {
            let manifest: toml::Table = manifest(&program).parse().unwrap();
            let dependencies = manifest["dependencies"].as_table().unwrap();
            assert_eq!(*dependencies, program.dependencies, "{}", program.name);
        }
    }
}
