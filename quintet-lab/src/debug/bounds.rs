//! Bounds on debug information, counted before it is read.
//!
//! A reader of DWARF descends as deep as entries are nested. It copies everything to which entries,
//! units and tables point, which may be the same bytes for all of them. So a small file can take
//! the whole stack, or all memory. One pass counts the cost of reading, in constant memory.
//! Information beyond the bounds of real compilers is left out as a whole.

use super::Reader;
use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, UnitRef};
use object::{Object, ObjectSection};
use std::collections::HashMap;
use std::fmt;

/// At most so much of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Bytes of all sections together, uncompressed.
    pub bytes: u64,
    /// The depth to which entries are nested.
    pub depth: u64,
    /// Units.
    pub units: u64,
    /// Entries of all units.
    pub entries: u64,
    /// Bytes of the tables of abbreviations that units name.
    pub abbreviations: u64,
    /// Bytes of the line tables that units name.
    pub lines: u64,
    /// Address ranges that entries name.
    pub ranges: u64,
    /// Bytes of the names of entries and files.
    pub names: u64,
}

impl Bounds {
    /// About ten times the numbers of the largest firmware.
    pub const USUAL: Self = Self {
        bytes: 256 << 20,
        depth: 512,
        units: 65_536,
        entries: 8 << 20,
        abbreviations: 32 << 20,
        lines: 32 << 20,
        ranges: 4 << 20,
        names: 256 << 20,
    };
}

/// The part of debug information that is too large.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Excess {
    what: &'static str,
    found: u64,
    most: u64,
}

impl fmt::Display for Excess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, found, most } = self;
        write!(
            formatter,
            "the debug information of the firmware is left out, so lines and functions may be \
             missing: it has {found} {what} or more, and at most {most} are read. No compiler \
             writes so much for a microcontroller: build the firmware anew, or strip it of debug \
             information (arm-none-eabi-objcopy --strip-debug)"
        )
    }
}

/// A sum that must not pass a bound.
struct Count {
    what: &'static str,
    found: u64,
    most: u64,
}

impl Count {
    fn new(what: &'static str, most: u64) -> Self {
        Self { what, found: 0, most }
    }

    fn add(&mut self, more: u64) -> Result<(), Excess> {
        self.found = self.found.saturating_add(more);
        let Self { what, found, most } = *self;
        if found <= most { Ok(()) } else { Err(Excess { what, found, most }) }
    }
}

/// Counts the bytes of debug sections as they are when uncompressed.
pub(super) fn check_sizes(file: &object::File<'_>, bounds: &Bounds) -> Result<(), Excess> {
    let mut bytes = Count::new("bytes in its sections, uncompressed,", bounds.bytes);
    for section in file.sections() {
        let name = section.name_bytes().unwrap_or_default();
        if name.starts_with(b".debug_") || name.starts_with(b".zdebug_") {
            bytes.add(section.compressed_data().map_or(0, |data| data.uncompressed_size))?;
        }
    }
    Ok(())
}

/// Counts the tables of abbreviations that the units in `.debug_info` name: each unit reads its
/// own.
pub(super) fn check_abbreviations(
    info: &[u8],
    abbreviations: &[u8],
    bounds: &Bounds,
) -> Result<(), Excess> {
    let mut units = Count::new("units", bounds.units);
    let mut bytes = Count::new("bytes in tables of abbreviations", bounds.abbreviations);
    let mut known = HashMap::new();
    let section = gimli::DebugInfo::new(info, gimli::LittleEndian);
    let mut headers = section.units();
    while let Ok(Some(header)) = headers.next() {
        units.add(1)?;
        let offset = header.debug_abbrev_offset().0;
        let length = match known.get(&offset) {
            Some(length) => *length,
            None => {
                let length = table_length(abbreviations.get(offset..).unwrap_or(&[]));
                known.insert(offset, length);
                length
            }
        };
        bytes.add(length)?;
    }
    Ok(())
}

/// The length of the table of abbreviations at the beginning of `bytes`.
fn table_length(bytes: &[u8]) -> u64 {
    /// The attribute's form that has its value in the table of abbreviations.
    const IMPLICIT: u64 = 0x21;
    let mut rest = bytes;
    let mut end = || -> Option<()> {
        while leb(&mut rest)? != 0 {
            leb(&mut rest)?;
            rest = rest.get(1..)?;
            loop {
                let (name, form) = (leb(&mut rest)?, leb(&mut rest)?);
                if form == IMPLICIT {
                    leb(&mut rest)?;
                }
                if (name, form) == (0, 0) {
                    break;
                }
            }
        }
        Some(())
    };
    match end() {
        Some(()) => (bytes.len() - rest.len()) as u64,
        None => bytes.len() as u64,
    }
}

/// A number in LEB128, whose bits beyond 64 don't matter here.
fn leb(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (&byte, behind) = rest.split_first()?;
        *rest = behind;
        value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(value)
}

/// Counts the entries and lines into which the readers would descend, and the bytes that they would
/// copy.
pub(super) fn check(dwarf: &Dwarf<Reader>, bounds: &Bounds) -> Result<(), Excess> {
    let mut counts = Counts {
        depth: bounds.depth,
        entries: Count::new("entries", bounds.entries),
        lines: Count::new("bytes in line tables", bounds.lines),
        ranges: Count::new("address ranges", bounds.ranges),
        names: Count::new("bytes of names", bounds.names),
    };
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        if let Ok(unit) = dwarf.unit(header) {
            counts.add_unit(&unit.unit_ref(dwarf))?;
        }
    }
    Ok(())
}

struct Counts {
    depth: u64,
    entries: Count,
    lines: Count,
    ranges: Count,
    names: Count,
}

impl Counts {
    /// Damaged information ends a unit, as it does for the readers.
    fn add_unit(&mut self, unit: &UnitRef<'_, Reader>) -> Result<(), Excess> {
        self.add_lines(unit)?;
        let mut entries = unit.entries();
        while let Ok(Some(entry)) = entries.next_dfs() {
            let depth = u64::try_from(entry.depth()).unwrap_or(0);
            Count::new("levels of entries in each other", self.depth).add(depth)?;
            self.entries.add(1)?;
            self.add_entry(unit, entry)?;
        }
        Ok(())
    }

    fn add_entry(
        &mut self,
        unit: &UnitRef<'_, Reader>,
        entry: &DebuggingInformationEntry<Reader>,
    ) -> Result<(), Excess> {
        if let Some(name) = entry.attr_value(gimli::DW_AT_name) {
            self.names.add(length(unit, name))?;
        }
        let ranges = entry.attr_value(gimli::DW_AT_ranges);
        let Some(Ok(Some(mut ranges))) = ranges.map(|value| unit.attr_ranges(value)) else {
            return Ok(());
        };
        while let Ok(Some(_)) = ranges.next() {
            self.ranges.add(1)?;
        }
        Ok(())
    }

    /// Adds the unit's line table, and the paths that its directories and files make.
    fn add_lines(&mut self, unit: &UnitRef<'_, Reader>) -> Result<(), Excess> {
        use gimli::Reader as _;
        let Some(program) = &unit.line_program else { return Ok(()) };
        let header = program.header();
        self.lines.add((header.header_length() + header.raw_program_buf().len()) as u64)?;
        let base = unit.comp_dir.as_ref().map_or(0, |directory| directory.len() as u64);
        for file in header.file_names() {
            let directory = file.directory(header).map_or(0, |name| length(unit, name));
            self.names.add(base + directory + length(unit, file.path_name()))?;
        }
        Ok(())
    }
}

/// The length of a string.
fn length(unit: &UnitRef<'_, Reader>, value: AttributeValue<Reader>) -> u64 {
    use gimli::Reader as _;
    unit.attr_string(value).map_or(0, |text| text.len() as u64)
}

#[cfg(test)]
mod tests;
