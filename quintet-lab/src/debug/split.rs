//! Debug information that a compiler has split: the ELF file has lines, and `.dwo` files beside the
//! objects have the rest (`-gsplit-dwarf`).

use super::Reader;
use gimli::{DW_AT_GNU_dwo_name, DW_AT_dwo_name, Dwarf, Reader as _};

/// What is said of an image whose information lies in other files; `None` if it lies in the image.
pub(super) fn said(dwarf: &Dwarf<Reader>) -> Option<String> {
    let mut units = dwarf.units();
    let (mut first, mut count) = (None, 0_usize);
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        if let Some(name) = outside(dwarf, &unit) {
            first.get_or_insert(name);
            count += 1;
        }
    }
    let others = match count.checked_sub(1)? {
        0 => String::new(),
        1 => " and another file".to_owned(),
        others => format!(" and {others} other files"),
    };
    Some(format!(
        "debug information was split off into {}{others}, which isn't read: lines are known, but \
         inlined functions and types aren't; build without -gsplit-dwarf (in Rust: split-debuginfo \
         = \"off\")",
        first?
    ))
}

/// The file with the rest of a unit.
fn outside(dwarf: &Dwarf<Reader>, unit: &gimli::Unit<Reader>) -> Option<String> {
    let mut entries = unit.entries();
    let root = entries.next_dfs().ok()??;
    let name = [DW_AT_dwo_name, DW_AT_GNU_dwo_name];
    let value = name.into_iter().find_map(|name| root.attr_value(name))?;
    let name = dwarf.attr_string(unit, value).ok()?;
    Some(name.to_string_lossy().ok()?.into_owned())
}
