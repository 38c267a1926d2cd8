//! The copy of the tree that is built with all changes.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

use super::conditions::Place;
use super::files::{self, Source};
use super::schema::{self, Schema, Site};
use crate::campaign::mutants::copy;
use crate::firmware::{output, root};

/// The roots of the crates that are changed.
const ROOTS: [&str; 2] = ["quintet/src/lib.rs", "quintet-charts/src/lib.rs"];

/// The crates of the copy: those that are changed, and one that is built with them.
const MEMBERS: [&str; 3] = ["quintet", "quintet-charts", "quintet-macros"];

/// What stands for the processor in tests. A change there is one of the tests, but its loops are
/// counted: what waits for a lock for ever waits there.
const STAND_INS: &str = "quintet/src/arch/host";

/// The module that the changed places ask.
const SWITCH: &str = include_str!("switch.rs");

/// Its file in the copy.
const SWITCH_FILE: &str = "__mutants.rs";

/// What the root of a changed crate begins with. The feature is for functions that are called at
/// compile time too.
const HEAD: &str = "\
#![feature(const_eval_select, core_intrinsics)]
#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals)]
";

/// A copy of the tree with its changes.
pub struct Tree {
    /// Where the copy is.
    pub path: PathBuf,
    sources: Vec<Source>,
    /// The changed files of an earlier run, and their times.
    earlier: HashMap<PathBuf, (String, SystemTime)>,
}

impl Tree {
    /// Copies the tree, without its lints, and without the other crates.
    pub fn copy() -> Result<Self> {
        let path = output().join("schema");
        let mut sources = Vec::new();
        for crate_root in ROOTS {
            sources.extend(files::of_crate(&root(), Path::new(crate_root))?);
        }
        let earlier = earlier(&path, &sources);
        copy(&path).with_context(|| format!("copying to {}", path.display()))?;
        replace(&path, "Cargo.toml", &manifest_of_workspace()?)?;
        replace(&path, "Cargo.lock", &std::fs::read_to_string(root().join("Cargo.lock"))?)?;
        for member in MEMBERS {
            let file = format!("{member}/Cargo.toml");
            let text = std::fs::read_to_string(root().join(&file))?;
            replace(&path, &file, &manifest_of_member(&text).context(file.clone())?)?;
        }
        Ok(Self { path, sources, earlier })
    }

    /// Puts all changes into the copy, without those that the compiler refuses. Returns them.
    pub fn change(&self, refused: &HashSet<String>) -> Result<Vec<Site>> {
        let mut schema = Schema::new(refused);
        for source in self.sources.iter().filter(|source| is_stand_in(source)) {
            let text = std::fs::read_to_string(root().join(&source.path))?;
            let text = schema::count(&text).with_context(|| source.path.display().to_string())?;
            self.put(&source.path, &text)?;
        }
        for source in self.sources.iter().filter(|source| is_changed(source)) {
            let file = source.path.to_string_lossy();
            let text = std::fs::read_to_string(root().join(&source.path))?;
            let mut text = schema.add(&file, &text).with_context(|| file.to_string())?;
            if ROOTS.contains(&&*file) {
                text = format!("{HEAD}{text}\n#[doc(hidden)]\npub mod __mutants;\n");
                self.put(&source.path.with_file_name(SWITCH_FILE), SWITCH)?;
            }
            self.put(&source.path, &text)?;
        }
        Ok(schema.sites)
    }

    /// Writes a changed file. If an earlier run wrote the same, the file keeps its time, so that
    /// cargo builds nothing anew.
    fn put(&self, file: &Path, text: &str) -> Result<()> {
        replace(&self.path, &file.to_string_lossy(), text)?;
        if let Some((before, time)) = self.earlier.get(file)
            && before == text
        {
            std::fs::File::options().write(true).open(self.path.join(file))?.set_modified(*time)?;
        }
        Ok(())
    }

    /// Returns the files of targets alone, which aren't changed.
    pub fn of_targets(&self) -> impl Iterator<Item = &Path> {
        let only = self.sources.iter().filter(|source| source.place == Place::Target);
        only.map(|source| source.path.as_path())
    }
}

/// Returns `true` if the changes of a file are tried.
fn is_changed(source: &Source) -> bool {
    source.place == Place::Both
}

/// Returns `true` if only the loops of a file are counted.
fn is_stand_in(source: &Source) -> bool {
    source.path.starts_with(STAND_INS)
}

/// Returns the changed files of an earlier run, and their times.
fn earlier(tree: &Path, sources: &[Source]) -> HashMap<PathBuf, (String, SystemTime)> {
    let files = sources.iter().map(|source| source.path.clone());
    let switches = ROOTS.iter().map(|file| Path::new(file).with_file_name(SWITCH_FILE));
    let read = |file: PathBuf| {
        let path = tree.join(&file);
        let time = path.metadata().and_then(|about| about.modified()).ok()?;
        Some((file, (std::fs::read_to_string(path).ok()?, time)))
    };
    files.chain(switches).filter_map(read).collect()
}

/// Writes a file of the copy, which may be a link to the tree so far.
fn replace(tree: &Path, file: &str, text: &str) -> Result<()> {
    let path = tree.join(file);
    if path.is_symlink() {
        std::fs::remove_file(&path)?;
    }
    std::fs::write(&path, text).with_context(|| path.display().to_string())
}

/// Returns the manifest of the copy's workspace.
fn manifest_of_workspace() -> Result<String> {
    let mut manifest: toml::Table =
        std::fs::read_to_string(root().join("Cargo.toml"))?.parse().context("Cargo.toml")?;
    let workspace = manifest.get_mut("workspace").and_then(toml::Value::as_table_mut);
    let workspace = workspace.context("Cargo.toml has no workspace")?;
    workspace.insert("members".into(), MEMBERS.to_vec().into());
    workspace.remove("lints");
    // The changes make functions long, and a build at a higher level takes longer than the tests
    // get back.
    let profile: toml::Table = "dev.opt-level = 1\ndev.debug = false".parse()?;
    manifest.insert("profile".into(), profile.into());
    Ok(manifest.to_string())
}

/// Returns the manifest of a crate of the copy.
fn manifest_of_member(text: &str) -> Result<String> {
    let mut manifest: toml::Table = text.parse()?;
    manifest.remove("lints");
    Ok(manifest.to_string())
}
