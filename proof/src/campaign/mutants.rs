//! Deliberate mistakes in Quintet, which show the worth of the campaign.
//!
//! `proof/firmware/campaign/mutants.toml` lists mistakes in words of the source: a text of a file,
//! and the text in its place. Each mistake is made in a copy of the firmware crate. The named
//! program is built with the copy, and its part of the campaign must fail. The list can't get out
//! of date: a text that is not found exactly once is an error.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use super::part::{Amounts, Part};
use super::programs::Programs;
use super::{FLOATS, PLAIN, chosen, directory};
use crate::firmware::{output, root};

/// What is copied, because mutants change it, or because it is built with what they change.
const COPIED: [&str; 4] = ["proof", "quintet", "quintet-charts", "quintet-macros"];

/// The list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutants {
    mutant: Vec<Mutant>,
}

/// One mistake.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// What is wrong, in a few words.
    pub name: String,
    /// The file, from the tree's root.
    file: String,
    /// What stands there.
    text: String,
    /// What a careless author might have written.
    mistake: String,
    /// The program that finds it; of the specification, the family of schedules; of charts, the
    /// feature that it spoils.
    pub program: String,
    /// Whether the program runs on the processor with floating-point registers.
    #[serde(default)]
    floats: bool,
}

/// Reads the list of a directory.
pub fn list(directory: &Path) -> Result<Vec<Mutant>> {
    let path = directory.join("mutants.toml");
    let text = std::fs::read_to_string(&path)?;
    let list: Mutants = toml::from_str(&text).with_context(|| path.display().to_string())?;
    Ok(list.mutant)
}

/// Fails for a mistake of a directory's list whose text doesn't stand in the tree, once.
pub fn check_texts(directory: &Path) -> Result<()> {
    let missing: Vec<_> = list(directory)?
        .iter()
        .filter_map(|mutant| mutant.broken(&root()).err())
        .map(|error| error.to_string())
        .collect();
    ensure!(missing.is_empty(), "{}", missing.join("\n"));
    Ok(())
}

/// Makes every mutant whose program is named, or all; or, of these, those that need floating-point
/// registers.
pub fn run(programs: &[String], floats: bool, amounts: &Amounts) -> Result<()> {
    let mut list = list(&directory())?;
    list.retain(|mutant| mutant.floats || !floats);
    let all: Vec<_> = list.iter().map(|mutant| mutant.program.clone()).collect();
    let programs = chosen(programs, all)?;
    let mut survivors = Vec::new();
    let mut count = 0;
    for mutant in list.iter().filter(|mutant| programs.contains(&mutant.program)) {
        let verdict = mutant.verdict(amounts).with_context(|| mutant.name.clone())?;
        println!("{:60} {:12} {verdict}", mutant.name, mutant.program);
        if verdict == Verdict::Survived {
            survivors.push(mutant.name.as_str());
        }
        count += 1;
    }
    ensure!(survivors.is_empty(), "the campaign does not find: {}", survivors.join("; "));
    println!("all {count} mistakes are found");
    Ok(())
}

/// What became of a mutant.
#[derive(PartialEq, Eq)]
enum Verdict {
    /// So many runs of so many went wrong.
    Found { failed: u64, runs: u64 },
    /// The program goes wrong without any injection.
    Undisturbed,
    /// None did.
    Survived,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Found { failed, runs } => write!(formatter, "found: {failed} of {runs} runs"),
            Self::Undisturbed => formatter.write_str("found: wrong without any injection"),
            Self::Survived => formatter.write_str("SURVIVED"),
        }
    }
}

impl Mutant {
    /// The file with the mistake.
    fn broken(&self, tree: &Path) -> Result<String> {
        let text =
            std::fs::read_to_string(tree.join(&self.file)).with_context(|| self.file.clone())?;
        let count = text.matches(&self.text).count();
        let (name, file) = (&self.name, &self.file);
        ensure!(count == 1, "\"{name}\": its text stands in {file} {count} times, not once");
        Ok(text.replace(&self.text, &self.mistake))
    }

    /// Makes the mistake in a copy of the tree. Where that is.
    pub fn make(&self) -> Result<PathBuf> {
        let tree = output().join("mutants");
        copy(&tree).with_context(|| format!("copying to {}", tree.display()))?;
        std::fs::write(tree.join(&self.file), self.broken(&tree)?)?;
        Ok(tree)
    }

    /// Makes the mistake, and the campaign on it: first single injections, then pairs.
    fn verdict(&self, amounts: &Amounts) -> Result<Verdict> {
        let tree = self.make()?;
        let workspace = tree.join("proof/firmware/campaign");
        let processor = if self.floats { FLOATS } else { PLAIN };
        let name = std::slice::from_ref(&self.program);
        let programs = Programs::build_only(&workspace, name, processor)?;
        let Some(part) = Part::open_right(&self.program, &programs)? else {
            return Ok(Verdict::Undisturbed);
        };
        for pair_cycles in [0, amounts.pair_cycles] {
            let Some(finding) = part.run(&Amounts { pair_cycles, ..*amounts }) else {
                bail!("interrupted by Ctrl-C");
            };
            if !finding.is_clean() {
                return Ok(Verdict::Found { failed: finding.failed(), runs: finding.runs() });
            }
        }
        Ok(Verdict::Survived)
    }
}

/// Copies what mutants change into `tree`, as far as it differs, and links the rest.
pub fn copy(tree: &Path) -> Result<()> {
    std::fs::create_dir_all(tree)?;
    let root = root().canonicalize()?;
    for entry in std::fs::read_dir(&root)? {
        let name = entry?.file_name();
        let (from, to) = (root.join(&name), tree.join(&name));
        let name = name.to_string_lossy();
        if COPIED.contains(&name.as_ref()) {
            copy_directory(&from, &to)?;
        } else if name != "target" && name != ".git" && !to.exists() {
            std::os::unix::fs::symlink(&from, &to)?;
        }
    }
    Ok(())
}

/// Copies a directory's files. Those that are the same are left alone, so that cargo does too;
/// those of an earlier copy that the directory has no more go.
fn copy_directory(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(to)? {
        let entry = entry?;
        if entry.file_name() == "target" || from.join(entry.file_name()).exists() {
            continue;
        }
        if entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        } else {
            std::fs::remove_file(entry.path())?;
        }
    }
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (from, to): (PathBuf, PathBuf) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "target" {
                copy_directory(&from, &to)?;
            }
            continue;
        }
        let content = std::fs::read(&from)?;
        if std::fs::read(&to).ok().as_ref() != Some(&content) {
            std::fs::write(&to, content)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_what_the_directory_has_and_its_builds() {
        let root = std::env::temp_dir().join(format!("quintet-copy-{}", std::process::id()));
        let (from, to) = (root.join("from"), root.join("to"));
        let write = |path: PathBuf| {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "text").unwrap();
        };
        write(from.join("src/new.rs"));
        for old in ["src/old.rs", "gone/old.rs", "target/built"] {
            write(to.join(old));
        }
        copy_directory(&from, &to).unwrap();
        let exists = |path: &str| to.join(path).exists();
        assert!(exists("src/new.rs") && exists("target/built"));
        assert!(!exists("src/old.rs") && !exists("gone"));
        std::fs::remove_dir_all(root).unwrap();
    }
}
