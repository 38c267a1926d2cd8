//! The tests of `quintet::chart::Test` (`quintet/tests/host`), as a crate of their own beside a
//! tree's `quintet`. Without the other dependencies of `quintet`'s tests, the crate builds quickly.

use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

use super::build::scratch;
use crate::firmware::root;

/// The first test that fails against the `quintet` of a tree, if one does. Tests that don't build
/// prove nothing, so that is an error.
pub fn first_failure(tree: &Path) -> Result<Option<String>> {
    let directory = scratch().join("host-tests");
    write(&directory, tree).with_context(|| format!("writing to {}", directory.display()))?;
    let built = cargo(&directory, &["--no-run"])?;
    if !built.status.success() {
        let said = String::from_utf8_lossy(&built.stderr);
        bail!("the tests in {} don't build:\n{said}", directory.display());
    }
    let ran = cargo(&directory, &["--", "--test-threads=1"])?;
    if ran.status.success() {
        return Ok(None);
    }
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    Ok(Some(failed(&said).unwrap_or(said)))
}

fn cargo(directory: &Path, arguments: &[&str]) -> Result<Output> {
    Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--test", "host"])
        .args(arguments)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", scratch().join("target"))
        .output()
        .context("cargo could not be started")
}

/// Writes the crate: its tests are those of this tree.
fn write(directory: &Path, tree: &Path) -> Result<()> {
    let tree = tree.canonicalize()?;
    std::fs::create_dir_all(directory.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"host-tests\"\nedition = \"2024\"\n\n[dependencies]\n\
         quintet = {{ path = {:?}, features = [\"time\"] }}\n\
         embassy-time = {{ version = \"0.5\", features = [\"tick-hz-1_000_000\"] }}\n\n\
         [[test]]\nname = \"host\"\npath = {:?}\n\n\
         [profile.dev]\ndebug = false\nincremental = false\n\n[workspace]\n",
        tree.join("quintet"),
        root().canonicalize()?.join("quintet/tests/host/main.rs"),
    );
    std::fs::write(directory.join("Cargo.toml"), manifest)?;
    std::fs::copy(tree.join("Cargo.lock"), directory.join("Cargo.lock"))?;
    std::fs::write(directory.join("src/lib.rs"), "")?;
    Ok(())
}

/// Returns the name of the first test that failed, which stands behind the four dashes of its
/// output.
fn failed(said: &str) -> Option<String> {
    let line = said.lines().find_map(|line| line.strip_prefix("---- "))?;
    Some(line.trim_end_matches(" stdout ----").to_owned())
}

#[cfg(test)]
mod tests {
    use super::failed;

    #[test]
    fn the_first_test_that_failed_is_named() {
        let said = "running 2 tests\nF.\nfailures:\n\n---- seen::a_start stdout ----\n\nthread ..";
        assert_eq!(failed(said).as_deref(), Some("seen::a_start"));
        assert_eq!(failed("killed"), None);
    }
}
