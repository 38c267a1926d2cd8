//! The project's own tree: the benchmark firmware, and the reference data beside it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Returns the root of the project's tree: a directory at or above the current one, or the tree in
/// which the tool was built.
///
/// # Errors
/// The tool was installed from its package, which has no firmware, and runs outside of a clone.
pub fn root() -> Result<PathBuf> {
    find(&std::env::current_dir()?, Path::new(env!("CARGO_MANIFEST_DIR")).parent())
}

fn find(current: &Path, built_in: Option<&Path>) -> Result<PathBuf> {
    let is_tree = |candidate: &&Path| {
        candidate.join("benches/scenarios").is_dir() && candidate.join("quintet-lab").is_dir()
    };
    let found = current.ancestors().chain(built_in).find(is_tree);
    found.map(Path::to_owned).with_context(|| {
        format!(
            "the benchmark firmware is in Quintet's repository, not in the package of this tool, \
             and {} is not in a clone: run this command inside one (its root has \
             benches/scenarios)",
            current.display()
        )
    })
}

/// Returns cargo's directory for builds of the tree.
pub fn target_directory(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

/// Returns the directory in which all firmware of the tree is built. Crates that several workspaces
/// and boards need, macros above all, are built once.
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

    #[test]
    fn an_installed_tool_says_that_it_needs_a_clone() {
        let elsewhere = Path::new("/nowhere/registry/quintet-lab-0.0.0");
        let message = find(elsewhere, elsewhere.parent()).unwrap_err().to_string();
        assert_eq!(
            message,
            "the benchmark firmware is in Quintet's repository, not in the package of this tool, \
             and /nowhere/registry/quintet-lab-0.0.0 is not in a clone: run this command inside \
             one (its root has benches/scenarios)"
        );
    }
}
