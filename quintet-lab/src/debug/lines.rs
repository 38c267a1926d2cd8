//! Lines of source and the addresses of their code, in both directions.
//!
//! ```text
//!  src/main.rs:12 ──> 0x1a2, 0x2f0     where a breakpoint on the line goes
//!  0x1a4          ──> src/main.rs:12   the statement that an address belongs to
//! ```

use std::path::Path;

use super::{Reader, straighten};
use gimli::{AttributeValue, Dwarf, Reader as _};

/// The code from an address on belongs to a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The first address.
    pub address: u32,
    /// The number of the file.
    pub file: u32,
    /// The line; 0 where no line is.
    pub line: u32,
    /// `true` if a statement begins here.
    pub is_statement: bool,
    /// `true` if the code that a function begins with ends here.
    pub ends_prologue: bool,
}

/// All lines of an image.
#[derive(Default, Debug)]
pub struct Lines {
    files: Vec<String>,
    rows: Vec<Row>,
}

impl Lines {
    /// Adds the lines of units. Damaged ones are left out.
    pub(super) fn read(&mut self, dwarf: &Dwarf<Reader>, units: &[gimli::Unit<Reader>]) {
        for unit in units {
            let _ = self.read_unit(&unit.unit_ref(dwarf));
        }
    }

    fn read_unit(&mut self, unit: &gimli::UnitRef<'_, Reader>) -> gimli::Result<()> {
        let Some(program) = unit.line_program.clone() else { return Ok(()) };
        let mut numbers: std::collections::BTreeMap<u64, u32> = std::collections::BTreeMap::new();
        let mut rows = program.rows();
        while let Some((header, row)) = rows.next_row()? {
            let Ok(address) = u32::try_from(row.address()) else { continue };
            let file = match numbers.get(&row.file_index()) {
                Some(number) => *number,
                None => {
                    let path = header.file(row.file_index()).map(|file| path(unit, header, file));
                    let number = self.file(path.unwrap_or_default());
                    numbers.insert(row.file_index(), number);
                    number
                }
            };
            let line = row.line().and_then(|line| u32::try_from(line.get()).ok()).unwrap_or(0);
            self.rows.push(Row {
                address,
                file,
                line: if row.end_sequence() { 0 } else { line },
                is_statement: row.is_stmt() && !row.end_sequence() && line != 0,
                ends_prologue: row.prologue_end(),
            });
        }
        Ok(())
    }

    fn file(&mut self, path: String) -> u32 {
        let place = self.files.iter().position(|file| *file == path).unwrap_or_else(|| {
            self.files.push(path);
            self.files.len() - 1
        });
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    /// Adds the lines of another file, whose code in `range` lies `by` bytes higher.
    pub(super) fn add(&mut self, other: &Self, range: Option<(u32, u32)>, by: u32) {
        for row in &other.rows {
            let address = row.address.wrapping_add(by);
            if range.is_none_or(|(begin, end)| (begin..end).contains(&address)) {
                let path = other.files.get(row.file as usize).cloned().unwrap_or_default();
                let file = self.file(path);
                self.rows.push(Row { address, file, ..*row });
            }
        }
    }

    pub(super) fn sorted(mut self) -> Self {
        // The end of one sequence stands before the beginning of the next one.
        self.rows.sort_by_key(|row| (row.address, row.line != 0));
        self
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the path of a file.
    pub fn path(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", String::as_str)
    }

    /// Returns the numbers of the files that an editor's path names: the same path, or a path of
    /// which one is the end of the other.
    pub fn files(&self, wanted: &str) -> Vec<u32> {
        let wanted = straighten(wanted);
        let select = |is_it: &dyn Fn(&str) -> bool| -> Vec<u32> {
            let all = (0..).zip(&self.files);
            all.filter(|(_, file)| !file.is_empty() && is_it(file)).map(|(at, _)| at).collect()
        };
        let same = select(&|file| file == wanted);
        if !same.is_empty() {
            return same;
        }
        select(&|file| {
            let (wanted, file) = (Path::new(&wanted), Path::new(file));
            (file.is_relative() && wanted.ends_with(file))
                || (wanted.is_relative() && file.ends_with(wanted))
        })
    }

    /// Returns where the code of a line begins: an address for each piece of it, in order.
    pub fn beginnings(&self, files: &[u32], line: u32) -> Vec<u32> {
        let mut addresses = Vec::new();
        let mut before = None;
        for row in &self.rows {
            let is_it = row.line == line && files.contains(&row.file);
            let goes_on = before == Some((row.file, row.line));
            if is_it && !goes_on && row.is_statement {
                addresses.push(row.address);
            }
            // A row that begins no statement doesn't end the piece either.
            if row.is_statement || row.line == 0 {
                before = Some((row.file, row.line));
            }
        }
        addresses.dedup();
        addresses
    }

    /// Returns the next line behind `line` that has code.
    pub fn next_line(&self, files: &[u32], line: u32) -> Option<u32> {
        let rows = self.rows.iter().filter(|row| row.is_statement && files.contains(&row.file));
        rows.map(|row| row.line).filter(|other| *other > line).min()
    }

    /// Returns the lines from `first` to `last` that have code, in order.
    pub fn within(&self, files: &[u32], first: u32, last: u32) -> Vec<u32> {
        let rows = self.rows.iter().filter(|row| row.is_statement && files.contains(&row.file));
        let lines = rows.map(|row| row.line).filter(|line| (first..=last).contains(line));
        lines.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// Returns the row that an address belongs to.
    pub fn at(&self, address: u32) -> Option<&Row> {
        let behind = self.rows.partition_point(|row| row.address <= address);
        let row = self.rows.get(behind.checked_sub(1)?)?;
        (row.line != 0).then_some(row)
    }

    /// Returns the row of a statement that begins at the address.
    pub fn statement(&self, address: u32) -> Option<&Row> {
        let first = self.rows.partition_point(|row| row.address < address);
        let here = self.rows.get(first..)?.iter().take_while(|row| row.address == address);
        here.filter(|row| row.is_statement).last()
    }

    /// Returns the end of the code that a function begins with, from its first address to the one
    /// behind its last; the first address if none is known.
    pub fn behind_prologue(&self, begin: u32, end: u32) -> u32 {
        let first = self.rows.partition_point(|row| row.address < begin);
        let mut inside = self.rows[first..].iter().take_while(|row| row.address < end);
        inside.find(|row| row.ends_prologue).map_or(begin, |row| row.address)
    }
}

/// The whole path of a file.
fn path(
    unit: &gimli::UnitRef<'_, Reader>,
    header: &gimli::LineProgramHeader<Reader>,
    file: &gimli::FileEntry<Reader>,
) -> String {
    let text = |value: AttributeValue<Reader>| {
        let text = unit.attr_string(value).ok();
        text.and_then(|text| text.to_string_lossy().ok().map(std::borrow::Cow::into_owned))
    };
    let mut path = String::new();
    let directories = [
        unit.comp_dir
            .as_ref()
            .and_then(|text| text.to_string_lossy().ok().map(std::borrow::Cow::into_owned)),
        file.directory(header).and_then(text),
        text(file.path_name()),
    ];
    for part in directories.into_iter().flatten() {
        let is_absolute = part.starts_with('/') || part.get(1..2) == Some(":");
        if is_absolute {
            path = part;
        } else if part != "." {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(&part);
        }
    }
    straighten(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Lines {
        let row = |address, line, ends_prologue| Row {
            address,
            file: 0,
            line,
            is_statement: line != 0,
            ends_prologue,
        };
        let rows = vec![
            row(0x100, 5, false),
            row(0x104, 6, true),
            row(0x106, 6, false),
            row(0x108, 9, false),
            row(0x10a, 6, false),
            row(0x110, 0, false),
            row(0x200, 12, false),
            row(0x210, 0, false),
        ];
        Lines { files: vec!["/a/app/src/main.rs".into()], rows }
    }

    #[test]
    fn a_line_has_a_beginning_for_each_of_its_pieces() {
        let lines = lines();
        let files = lines.files("/a/app/src/main.rs");
        assert_eq!(files, [0]);
        assert_eq!(lines.beginnings(&files, 6), [0x104, 0x10a]);
        assert_eq!(lines.beginnings(&files, 7), [] as [u32; 0]);
        assert_eq!(lines.next_line(&files, 7), Some(9));
        assert_eq!(lines.within(&files, 6, 11), [6, 9]);
        assert_eq!(lines.at(0x107).map(|row| row.line), Some(6));
        assert_eq!(lines.at(0x150), None, "between two pieces of code");
        assert_eq!(lines.statement(0x108).map(|row| row.line), Some(9));
        assert_eq!(lines.statement(0x109), None);
        assert_eq!(lines.behind_prologue(0x100, 0x110), 0x104);
        assert_eq!(lines.behind_prologue(0x200, 0x210), 0x200);
    }

    #[test]
    fn files_are_found_by_whole_path_or_by_the_end_of_one() {
        let lines = lines();
        assert_eq!(lines.files("src/main.rs"), [0]);
        assert_eq!(lines.files("/a/app/src/../src/main.rs"), [0]);
        assert_eq!(lines.files("/a/other/src/main.rs"), [] as [u32; 0]);
        assert_eq!(lines.files("in.rs"), [] as [u32; 0]);
    }
}
