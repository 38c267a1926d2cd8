//! The crates in `examples/boards`: copied, as they stand in no workspace of the tree.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use quintet_lab::new::Source;

use proof::firmware::root;

/// The inputs of an example: presses of its button.
const INPUTS: &str = "inputs.toml";

/// One of them.
pub struct Example {
    /// The name of its directory.
    pub name: String,
    /// What it must print.
    pub expected: Vec<String>,
    directory: PathBuf,
}

/// All of them, by name.
pub fn all() -> Result<Vec<Example>> {
    let parent = root().join("examples/boards");
    let entries = std::fs::read_dir(&parent).with_context(|| parent.display().to_string())?;
    let mut examples = Vec::new();
    for entry in entries {
        let directory = entry?.path();
        let expected = directory.join("expected.txt");
        if directory.is_dir() {
            let text = std::fs::read_to_string(&expected)
                .with_context(|| expected.display().to_string())?;
            let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
            examples.push(Example {
                name,
                expected: text.lines().map(str::to_owned).collect(),
                directory,
            });
        }
    }
    examples.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(examples)
}

/// What the runner gets besides.
pub const ARGUMENTS: [&str; 3] = ["--", "--inputs", INPUTS];

impl Example {
    /// Copies its files, as they are but for the path of Quintet.
    pub fn copy(&self, to: &Path) -> Result<()> {
        copy(&self.directory, to)?;
        let path = to.join("Cargo.toml");
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let Source::Checkout(quintet) = Source::checkout(&root())? else { return Ok(()) };
        let quintet = toml::Value::from(quintet.display().to_string()).to_string();
        let text = text.replace("\"../../../quintet\"", &quintet);
        std::fs::write(&path, text).with_context(|| path.display().to_string())
    }
}

/// Copies a directory, but for what cargo has made in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    let entries = std::fs::read_dir(from).with_context(|| from.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        let Some(name) = path.file_name() else { continue };
        if ["target", "Cargo.lock"].iter().any(|made| name == *made) {
            continue;
        }
        let place = to.join(name);
        if path.is_dir() {
            copy(&path, &place)?;
        } else {
            std::fs::copy(&path, &place).with_context(|| place.display().to_string())?;
        }
    }
    Ok(())
}
