//! Building the campaign's programs: those of processes with the feature that they need, and with
//! the applications that they run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use quintet_lab::process::pack::{Wishes, pack};
use quintet_sim::image::Image;

use super::{TARGET, directory, names};
use crate::cross::firmware::{build_in, output, root};

/// What the names of programs of processes begin with.
const PROCESSES: &str = "process_";
/// The applications: one program at three places.
const APPLICATIONS: [&str; 3] = ["campaign0", "campaign1", "campaign2"];

/// What was built.
pub struct Programs {
    images: PathBuf,
    /// In the Tock binary format; none if no program is one of processes.
    applications: Vec<PathBuf>,
}

/// Returns `true` if a program is one of processes.
#[must_use]
pub fn has_processes(name: &str) -> bool {
    name.starts_with(PROCESSES)
}

impl Programs {
    /// Builds the programs of these names in the campaign's workspace; all that need no feature, if
    /// there are some of them.
    pub fn build(names: &[String]) -> Result<Self> {
        if names.iter().any(|name| !has_processes(name)) {
            build_in(&directory(), &[], TARGET)?;
        }
        Self::build_some(&directory(), names.iter().filter(|name| has_processes(name)))
    }

    /// Builds all.
    pub fn build_all() -> Result<Self> {
        Self::build(&names()?)
    }

    /// Builds one program in a workspace, which may be a copy of the campaign's.
    pub fn build_one(workspace: &Path, name: &String) -> Result<Self> {
        Self::build_some(workspace, [name].into_iter())
    }

    fn build_some<'a>(workspace: &Path, names: impl Iterator<Item = &'a String>) -> Result<Self> {
        let mut arguments = Vec::new();
        let mut applications = Vec::new();
        for name in names {
            if has_processes(name) && applications.is_empty() {
                arguments.extend(["--features", "processes"]);
                applications = self::applications()?;
            }
            arguments.extend(["--bin", name]);
        }
        let images = if arguments.is_empty() {
            output().join(TARGET).join("release")
        } else {
            build_in(workspace, &arguments, TARGET)?
        };
        Ok(Self { images, applications })
    }

    /// The program of a name.
    #[must_use]
    pub fn elf(&self, name: &str) -> PathBuf {
        self.images.join(name)
    }

    /// The applications that it runs.
    #[must_use]
    pub fn applications(&self, name: &str) -> &[PathBuf] {
        if has_processes(name) { &self.applications } else { &[] }
    }
}

/// Builds and packs the applications; the files.
fn applications() -> Result<Vec<PathBuf>> {
    let workspace = root().join("quintet/tests/process-apps");
    let arguments: Vec<_> = APPLICATIONS.iter().flat_map(|name| ["--bin", name]).collect();
    let built = build_in(&workspace, &arguments, TARGET)?;
    let packed = |name: &&str| {
        let path = built.join(name);
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        // Beyond its variables it asks for little.
        let packed = pack(&Image::parse_elf(&bytes)?, &Wishes { name, heap: 1024 })?;
        let file = path.with_extension("tbf");
        std::fs::write(&file, packed).with_context(|| file.display().to_string())?;
        Ok(file)
    };
    APPLICATIONS.iter().map(packed).collect()
}
