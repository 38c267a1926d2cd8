//! The facts that `#[quintet::app]` leaves in the ELF file: facts of the application, a line each,
//! with tabs between words. `quintet map` shows all of them.

use std::path::Path;

use anyhow::{Context, bail};
use object::{Object, ObjectSection};

use crate::input;

/// The section of the facts. It isn't loaded.
pub const SECTION: &str = ".quintet.map";

/// The longest that are read.
const BYTES_MAX: u64 = 4 << 20;

/// The beginning of the lines of state machines, which are in the same section.
const CHART: &str = "chart\t";

/// Returns the facts of the application in an ELF file, if it has any.
pub fn read(bytes: &[u8]) -> anyhow::Result<Option<String>> {
    let Some(section) = section(bytes)? else { return Ok(None) };
    let facts = only(&section, |line| !line.starts_with(CHART));
    Ok((section.is_empty() || !facts.is_empty()).then_some(facts))
}

/// The lines of the state machines in an ELF file.
pub fn charts(bytes: &[u8]) -> anyhow::Result<String> {
    let section = section(bytes)?.unwrap_or_default();
    Ok(only(&section, |line| line.starts_with(CHART)))
}

/// Some of the lines. The linker may fill up with zeros between them.
fn only(lines: &str, wanted: impl Fn(&str) -> bool) -> String {
    let lines = lines.split('\n').map(|line| line.trim_matches('\0'));
    lines.filter(|line| !line.is_empty() && wanted(line)).flat_map(|line| [line, "\n"]).collect()
}

fn section(bytes: &[u8]) -> anyhow::Result<Option<String>> {
    let file = object::File::parse(bytes).context("cannot read the sections")?;
    let Some(section) = file.section_by_name(SECTION) else { return Ok(None) };
    let data = section.compressed_data().context("cannot read the map")?;
    if data.uncompressed_size > BYTES_MAX {
        bail!(
            "the map in {SECTION} has {} bytes uncompressed, and at most {BYTES_MAX} are read; \
             `#[quintet::app]` leaves far fewer: build the firmware anew",
            data.uncompressed_size
        );
    }
    let data = data.decompress().context("cannot read the map")?;
    Ok(Some(String::from_utf8_lossy(&data).into_owned()))
}

/// Returns `true` if the threads of an application don't preempt each other, and `false` if there
/// is no map.
pub fn is_cooperative(elf: &Path) -> anyhow::Result<bool> {
    let bytes = input::firmware(elf)?;
    let facts = read(&bytes)?.unwrap_or_default();
    let mut lines = facts.split('\n').map(|line| line.trim_matches('\0').split('\t'));
    Ok(lines.any(|mut words| words.next() == Some("line") && words.nth(1) == Some("cooperative")))
}

/// Returns the names of an application's async tasks and actors. The list is empty without a map,
/// or without a file.
pub fn async_tasks(elf: &Path) -> Vec<String> {
    let facts = input::firmware(elf).ok().and_then(|bytes| read(&bytes).ok().flatten());
    let facts = facts.unwrap_or_default();
    let name = |line: &str| match *line.trim_matches('\0').split('\t').collect::<Vec<_>>() {
        ["software" | "actor", name, _, "async", ..] => Some(name.to_owned()),
        _ => None,
    };
    facts.split('\n').filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_and_state_machines_share_a_section() {
        let lines = "line\t0\n\0\0\0chart\tmachine\tA\n\0chart\tinitial\tb\t\n\0level\t1\n";
        assert_eq!(only(lines, |line| !line.starts_with(CHART)), "line\t0\nlevel\t1\n");
        let charts = only(lines, |line| line.starts_with(CHART));
        assert_eq!(charts, "chart\tmachine\tA\nchart\tinitial\tb\t\n");
    }
}
