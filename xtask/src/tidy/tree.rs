//! The text files of the tree, read once for all rules.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Directories that hold no source: build output and the version control's own.
const SKIPPED: [&str; 3] = ["target", ".git", "corpus"];

/// A text file.
#[derive(Clone, Debug)]
pub struct File {
    /// The file's path from the root, with `/`.
    pub path: String,
    /// The file's content.
    pub text: String,
}

impl File {
    /// The lines, each with its number from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// All text files.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The files, sorted by path.
    pub files: Vec<File>,
    /// The paths of everything, directories and binary files included.
    pub paths: Vec<String>,
}

/// The root of the tree that this was built in.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

/// `target` as seen from the directory of `file`.
pub fn join(file: &str, target: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

impl Tree {
    /// Reads everything below `root`, except build output.
    pub fn read(root: &Path) -> Result<Self> {
        let mut tree = Self::default();
        tree.add(root, "")?;
        tree.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(tree)
    }

    /// The file at `path`.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    fn add(&mut self, directory: &Path, prefix: &str) -> Result<()> {
        let entries = std::fs::read_dir(directory)
            .with_context(|| format!("cannot list {}", directory.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            let path = format!("{prefix}{name}");
            if entry.file_type()?.is_dir() {
                self.add(&entry.path(), &format!("{path}/"))?;
            } else if let Ok(text) = String::from_utf8(std::fs::read(entry.path())?) {
                self.files.push(File { path: path.clone(), text });
            }
            self.paths.push(path);
        }
        Ok(())
    }
}
