//! Coverage of many runs in a directory: a tracefile of each, which are added up later.
//!
//! A runner of cargo writes one for each test, so that each is written by one process only.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};

use super::{Coverage, read, write};
use crate::firmware::Firmware;
use crate::output;

/// What the files end with.
const EXTENSION: &str = "info";

/// Refuses coverage of nothing: firmware that has no lines.
pub fn check(coverage: &Coverage, firmware: &Firmware) -> anyhow::Result<()> {
    ensure!(
        !coverage.files.is_empty(),
        "{} has no lines of its own sources: build it with debug information (debug = \
         \"line-tables-only\" in the profile), or show those of crates with --all",
        firmware.path.display()
    );
    Ok(())
}

/// Writes the tracefile of a run, of one test if there are several in the firmware. A file of the
/// same test is written anew.
pub fn store(
    directory: &Path,
    firmware: &Firmware,
    test: Option<&str>,
    coverage: &Coverage,
) -> anyhow::Result<()> {
    check(coverage, firmware)?;
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory {}", directory.display()))?;
    let program = firmware.path.file_name().unwrap_or_default().to_string_lossy();
    let name = test.map_or_else(|| program.to_string(), |test| format!("{program}.{test}"));
    let is_plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    let name: String = name.chars().map(|one| if is_plain(one) { one } else { '-' }).collect();
    output::write(&directory.join(format!("{name}.{EXTENSION}")), write(coverage).as_bytes())
}

/// The sum of the tracefiles in a directory.
pub fn merge(directory: &Path) -> anyhow::Result<Coverage> {
    let entries = fs::read_dir(directory)
        .with_context(|| format!("--merge: cannot read the directory {}", directory.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| directory.display().to_string())?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            paths.push(path);
        }
    }
    ensure!(
        !paths.is_empty(),
        "--merge: {} has no file that ends in .{EXTENSION}; QUINTET_COVERAGE={} cargo test writes \
         one for each test, where quintet run is the runner",
        directory.display(),
        directory.display()
    );
    // The order doesn't depend on the file system.
    paths.sort();
    let mut sum = Coverage::default();
    for path in paths {
        let context = || format!("--merge: {}", path.display());
        let text = fs::read_to_string(&path).with_context(context)?;
        sum.add(read(&text).with_context(context)?);
    }
    Ok(sum)
}
