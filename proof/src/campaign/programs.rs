//! Building the campaign's programs: those of processes with the feature that they need, and with
//! the applications that they run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use quintet_lab::process::pack::{Wishes, pack};
use quintet_sim::image::Image;

use super::{Processor, directory, names};
use crate::firmware::{build_in, output, root};

/// What the names of programs of processes begin with, and the one of another name.
const PROCESSES: &str = "process_";
const PROCESSES_THAT_FLOAT: &str = "float_processes";
/// The applications: one program at three places.
const APPLICATIONS: [&str; 3] = ["campaign0", "campaign1", "campaign2"];

/// What was built.
pub struct Programs {
    /// What runs them.
    pub processor: Processor,
    images: PathBuf,
    /// In the Tock binary format; none if no program is one of processes.
    applications: Vec<PathBuf>,
}

/// Returns `true` if a program is one of processes.
#[must_use]
pub fn has_processes(name: &str) -> bool {
    name.starts_with(PROCESSES) || name == PROCESSES_THAT_FLOAT
}

impl Programs {
    /// Builds the programs of these names in the campaign's workspace; all that need no processes,
    /// if there are some of them.
    pub fn build(names: &[String], processor: Processor) -> Result<Self> {
        if names.iter().any(|name| !has_processes(name)) {
            build_in(&directory(), &["--features", features(processor, false)], processor.target)?;
        }
        let some = names.iter().filter(|name| has_processes(name));
        Self::build_some(&directory(), some, processor)
    }

    /// Builds all.
    pub fn build_all(processor: Processor) -> Result<Self> {
        Self::build(&names(processor)?, processor)
    }

    /// Builds some programs, and no other, in a workspace, which may be a copy of the campaign's.
    pub fn build_only(workspace: &Path, names: &[String], processor: Processor) -> Result<Self> {
        let without = names.iter().filter(|name| !has_processes(name));
        let built = Self::build_some(workspace, without, processor)?;
        let with = names.iter().filter(|name| has_processes(name));
        let applications = Self::build_some(workspace, with, processor)?.applications;
        Ok(Self { applications, ..built })
    }

    /// Builds programs that have processes, or programs that have none.
    fn build_some<'a>(
        workspace: &Path,
        names: impl Iterator<Item = &'a String>,
        processor: Processor,
    ) -> Result<Self> {
        let mut arguments = Vec::new();
        let mut applications = Vec::new();
        for name in names {
            if has_processes(name) && applications.is_empty() {
                applications = self::applications(processor)?;
            }
            arguments.extend(["--bin", name]);
        }
        let images = if arguments.is_empty() {
            output().join(processor.target).join("release")
        } else {
            arguments.extend(["--features", features(processor, !applications.is_empty())]);
            build_in(workspace, &arguments, processor.target)?
        };
        Ok(Self { processor, images, applications })
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

/// The features that programs need on a processor.
const fn features(processor: Processor, processes: bool) -> &'static str {
    match (processor.floats, processes) {
        (false, false) => "",
        (false, true) => "processes",
        (true, false) => "floats",
        (true, true) => "floats,processes",
    }
}

/// Builds and packs the applications; the files.
fn applications(processor: Processor) -> Result<Vec<PathBuf>> {
    let workspace = root().join("proof/firmware/process-apps");
    let arguments: Vec<_> = APPLICATIONS.iter().flat_map(|name| ["--bin", name]).collect();
    let built = build_in(&workspace, &arguments, processor.target)?;
    let packed = |name: &&str| {
        let path = built.join(name);
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        // Beyond its variables it asks for little.
        let packed = pack(&Image::parse_elf(&bytes)?, &Wishes { name, heap: 1024, sha256: false })?;
        let file = path.with_extension("tbf");
        std::fs::write(&file, packed).with_context(|| file.display().to_string())?;
        Ok(file)
    };
    APPLICATIONS.iter().map(packed).collect()
}
