//! Where the project's own tree is: the benchmark firmware and the reference data beside it.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// The root of the project's tree: a directory at or above the current one, or the one that the
/// tool was built in.
pub fn root() -> Result<PathBuf> {
    let current = std::env::current_dir()?;
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let candidates = current.ancestors().chain(built_in);
    for candidate in candidates {
        if candidate.join("benches/scenarios").is_dir() && candidate.join("quintet-lab").is_dir() {
            return Ok(candidate.to_owned());
        }
    }
    bail!("this needs the project's tree; run it inside a clone (the tree has benches/scenarios)")
}

/// Where cargo puts what it builds of the tree.
pub fn target_directory(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

/// Where all firmware of the tree is built: what several workspaces and boards need, macros above
/// all, is built once.
pub fn firmware_directory(root: &Path) -> PathBuf {
    target_directory(root).join("firmware")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_run_inside_the_tree() {
        assert!(root().unwrap().join("Cargo.toml").is_file());
    }
}
