//! A new version, in the manifest of the root and in all lock files.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::dependencies::workspaces;

/// The file with the changes.
const CHANGELOG: &str = "CHANGELOG.md";

/// Writes the version `new` in place of `old`.
pub fn set(root: &Path, old: &str, new: &str) -> Result<()> {
    ensure!(is_version(new), "\"{new}\" is no version: write one as 1.2.3 or 1.2.3-rc.1");
    let manifest = root.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest)?;
    std::fs::write(&manifest, replaced(&text, old, new))?;
    for workspace in workspaces()? {
        // Cargo changes no more in a lock file than the versions of crates that lie in the tree.
        let output = Command::new("cargo")
            .args(["metadata", "--format-version", "1", "--offline", "--quiet"])
            .current_dir(root.join(&workspace))
            .output()
            .context("cargo could not be started")?;
        if !output.status.success() {
            bail!("cargo metadata in /{workspace}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    println!("the version is {new}; {CHANGELOG} still needs a heading `## [{new}] - DATE`");
    Ok(())
}

/// The root's manifest with the new version: of the workspace, and of the crates with a path.
fn replaced(text: &str, old: &str, new: &str) -> String {
    let written = |version: &str| format!("version = \"{version}\"");
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_ours = line == written(old) || line.contains("path = ");
        lines.push(match is_ours {
            true => line.replace(&written(old), &written(new)),
            false => line.to_owned(),
        });
    }
    lines.join("\n") + "\n"
}

/// Three numbers, perhaps with a word behind them.
fn is_version(text: &str) -> bool {
    let (numbers, behind) = text.split_once('-').map_or((text, None), |(a, b)| (a, Some(b)));
    let is_number = |part: &str| part.parse::<u32>().is_ok_and(|number| number.to_string() == part);
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && behind.is_none_or(|word| {
            !word.is_empty() && word.chars().all(|one| one.is_ascii_alphanumeric() || one == '.')
        })
}

/// Checks that a release has a list of its changes.
pub fn problems_of_changelog(root: &Path, version: &str) -> Result<Option<String>> {
    let text = std::fs::read_to_string(root.join(CHANGELOG)).context(CHANGELOG)?;
    let heading = format!("## [{version}] - ");
    let is_there = text.lines().any(|line| line.starts_with(&heading));
    Ok((!is_there).then(|| {
        format!("{CHANGELOG} has no heading `{heading}DATE`, though the version is {version}")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_crates_of_the_tree_get_the_new_version() {
        let text = "[workspace.package]\nversion = \"0.1.0\"\nother = { version = \"0.1.0\" }\n\
                    ours = { path = \"ours\", version = \"0.1.0\" }\n";
        assert_eq!(
            replaced(text, "0.1.0", "0.2.0"),
            "[workspace.package]\nversion = \"0.2.0\"\nother = { version = \"0.1.0\" }\n\
             ours = { path = \"ours\", version = \"0.2.0\" }\n"
        );
    }

    #[test]
    fn a_version_has_three_numbers() {
        for version in ["0.2.0", "1.10.3", "1.0.0-rc.1"] {
            assert!(is_version(version), "{version}");
        }
        for wrong in ["", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.+3", "a.b.c"] {
            assert!(!is_version(wrong), "{wrong}");
        }
    }
}
