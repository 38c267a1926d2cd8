//! The parts of variables: the field or element at an offset.
//!
//! Parts have names as far as the firmware's author sees them: the framework's own types are whole,
//! and wrappers of the standard library have no name.

use super::Reader;
use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, Operation, UnitRef};
use std::collections::BTreeMap;

/// Types lie no deeper in each other.
const DEPTH_MAX: usize = 32;

/// The debug information about variables and their types.
#[derive(Debug, Default)]
pub struct Variables {
    /// The types of variables, by their addresses.
    variables: BTreeMap<u32, Key>,
    types: BTreeMap<Key, Type>,
    /// In bytes, where that is said.
    sizes: BTreeMap<Key, u32>,
    /// Structures of C by their names.
    named: BTreeMap<String, Key>,
}

/// The place of a type's description in the section.
type Key = usize;

/// A type that has parts.
#[derive(Debug)]
enum Type {
    Structure { is_wrapper: bool, fields: Vec<Field> },
    Array { element: Key, count: u32 },
}

#[derive(Debug)]
struct Field {
    name: String,
    offset: u32,
    kind: Key,
}

impl Variables {
    /// Reads all variables. Damaged information ends the search in its unit.
    pub(super) fn read(dwarf: &Dwarf<Reader>) -> Self {
        let mut found = Self::default();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            if let Ok(unit) = dwarf.unit(header) {
                let _ = found.read_unit(&unit.unit_ref(dwarf));
            }
        }
        found
    }

    /// Returns the part of the variable at `address` that lies `offset` bytes behind its beginning:
    /// `[2].name`, or an empty text if the variable is one whole. `None` if the variable isn't
    /// known.
    pub fn part(&self, address: u32, offset: u32) -> Option<String> {
        let mut place = (*self.variables.get(&address)?, offset);
        let mut path = String::new();
        for _ in 0..DEPTH_MAX {
            let Some((name, inside)) = self.step(place) else { break };
            path.push_str(&name);
            place = inside;
        }
        Some(path)
    }

    /// Returns the offset of a field in a structure of C.
    pub fn field(&self, structure: &str, field: &str) -> Option<u32> {
        match self.types.get(self.named.get(structure)?)? {
            Type::Structure { fields, .. } => {
                fields.iter().find(|one| one.name == field).map(|one| one.offset)
            }
            Type::Array { .. } => None,
        }
    }

    /// Returns the name of a type's part at the offset, and the place within this part.
    fn step(&self, (key, offset): (Key, u32)) -> Option<(String, (Key, u32))> {
        match self.types.get(&key)? {
            Type::Structure { is_wrapper, fields } => {
                let inside = |field: &Field| {
                    let inside = offset.checked_sub(field.offset)?;
                    (inside < self.size(field.kind, 0)).then_some(inside)
                };
                let mut all = fields.iter();
                let (field, inside) = all.find_map(|field| Some((field, inside(field)?)))?;
                // Fields without names are numbered.
                let name = field.name.trim_start_matches("__");
                let name = if *is_wrapper { String::new() } else { format!(".{name}") };
                Some((name, (field.kind, inside)))
            }
            Type::Array { element, .. } => {
                let size = self.size(*element, 0);
                let index = offset.checked_div(size)?;
                Some((format!("[{index}]"), (*element, offset % size)))
            }
        }
    }

    /// Returns the size of a type in bytes. An array of arrays has its size from its elements.
    fn size(&self, key: Key, depth: usize) -> u32 {
        match (self.sizes.get(&key), self.types.get(&key)) {
            (Some(size), _) => *size,
            (None, Some(Type::Array { element, count })) if depth < DEPTH_MAX => {
                self.size(*element, depth + 1).saturating_mul(*count)
            }
            _ => 0,
        }
    }

    fn read_unit(&mut self, unit: &UnitRef<'_, Reader>) -> gimli::Result<()> {
        let mut crate_name = String::new();
        let mut is_rust = false;
        // The entries around the present one, from the unit's own on.
        let mut around: Vec<Key> = Vec::new();
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            let Some(offset) = entry.offset().to_debug_info_offset(&unit.header) else { break };
            let depth = usize::try_from(entry.depth()).unwrap_or(0);
            around.truncate(depth);
            if depth == 1 {
                crate_name = name(unit, entry);
                let language = entry.attr_value(gimli::DW_AT_language);
                is_rust = language == Some(AttributeValue::Language(gimli::DW_LANG_Rust));
            }
            if entry.tag() == gimli::DW_TAG_structure_type && !is_rust {
                // A declaration has no size.
                let is_whole = number(entry, gimli::DW_AT_byte_size).is_some();
                self.named.extend(is_whole.then(|| (name(unit, entry), offset.0)));
            }
            self.read_entry(unit, entry, (offset.0, around.last().copied()), &crate_name);
            around.push(offset.0);
        }
        Ok(())
    }

    /// Notes an entry in the first place, with the entry's parent as the second.
    fn read_entry(
        &mut self,
        unit: &UnitRef<'_, Reader>,
        entry: &DebuggingInformationEntry<Reader>,
        (key, parent): (Key, Option<Key>),
        crate_name: &str,
    ) {
        if let Some(size) = number(entry, gimli::DW_AT_byte_size) {
            self.sizes.insert(key, size);
        }
        let kind = kind(unit, entry);
        match (entry.tag(), kind) {
            (gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type, _) => {
                let is_wrapper = matches!(crate_name, "core" | "alloc");
                // Types of the framework have no parts.
                if crate_name != "quintet" {
                    self.types.insert(key, Type::Structure { is_wrapper, fields: Vec::new() });
                }
            }
            (gimli::DW_TAG_array_type, Some(element)) => {
                self.types.insert(key, Type::Array { element, count: 0 });
            }
            (gimli::DW_TAG_variable, Some(kind)) => {
                let address = address(unit, entry);
                self.variables.extend(address.map(|address| (address, kind)));
            }
            (tag, kind) => match (parent.and_then(|key| self.types.get_mut(&key)), kind) {
                (Some(Type::Structure { fields, .. }), Some(kind))
                    if tag == gimli::DW_TAG_member =>
                {
                    let offset = number(entry, gimli::DW_AT_data_member_location).unwrap_or(0);
                    fields.push(Field { name: name(unit, entry), offset, kind });
                }
                (Some(Type::Array { count, .. }), _) if tag == gimli::DW_TAG_subrange_type => {
                    *count = number(entry, gimli::DW_AT_count).unwrap_or(0);
                }
                _ => (),
            },
        }
    }
}

/// Returns the entry's name; an empty text if there is none.
pub(super) fn name(
    unit: &UnitRef<'_, Reader>,
    entry: &DebuggingInformationEntry<Reader>,
) -> String {
    let text = entry.attr_value(gimli::DW_AT_name).and_then(|value| unit.attr_string(value).ok());
    let text = text.as_ref().map(|text| String::from_utf8_lossy(text.bytes()).into_owned());
    text.unwrap_or_default()
}

/// Returns a number that the entry has.
pub(super) fn number(entry: &DebuggingInformationEntry<Reader>, what: gimli::DwAt) -> Option<u32> {
    u32::try_from(entry.attr_value(what)?.udata_value()?).ok()
}

/// Returns the place of the description of the entry's type.
pub(super) fn kind(
    unit: &UnitRef<'_, Reader>,
    entry: &DebuggingInformationEntry<Reader>,
) -> Option<Key> {
    match entry.attr_value(gimli::DW_AT_type)? {
        AttributeValue::UnitRef(offset) => {
            offset.to_debug_info_offset(&unit.header).map(|offset| offset.0)
        }
        AttributeValue::DebugInfoRef(offset) => Some(offset.0),
        _ => None,
    }
}

/// Returns the address of a static. Other variables have none, nor has a static that the compiler
/// has taken apart. The linker may have put the static behind others into one.
pub(super) fn address(
    unit: &UnitRef<'_, Reader>,
    entry: &DebuggingInformationEntry<Reader>,
) -> Option<u32> {
    let location = entry.attr_value(gimli::DW_AT_location)?.exprloc_value()?;
    let mut operations = location.operations(unit.encoding());
    let Operation::Address { address } = operations.next().ok()?? else { return None };
    let address = u32::try_from(address).ok()?;
    match operations.next().ok()? {
        None => Some(address),
        Some(Operation::PlusConstant { value }) if operations.next().ok()?.is_none() => {
            address.checked_add(u32::try_from(value).ok()?)
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A structure of a wrapped word that is 8 bytes wide and an array of five, and three of them.
    fn variables() -> Variables {
        let field = |name: &str, offset, kind| Field { name: name.into(), offset, kind };
        let structure = |is_wrapper, fields| Type::Structure { is_wrapper, fields };
        let nothing = field("marker", 0, 99);
        let types = [
            (1, Type::Array { element: 2, count: 3 }),
            (2, structure(false, vec![nothing, field("__0", 0, 3), field("five", 8, 4)])),
            (3, structure(true, vec![field("value", 0, 5)])),
            (4, Type::Array { element: 5, count: 5 }),
        ];
        Variables {
            variables: [(0x100, 1), (0x200, 5)].into(),
            types: types.into(),
            sizes: [(2, 48), (3, 8), (5, 8), (99, 0)].into(),
            ..Variables::default()
        }
    }

    #[test]
    fn parts_are_named_as_far_as_they_have_names() {
        let variables = variables();
        let part = |address, offset| variables.part(address, offset);
        assert_eq!(part(0x100, 0).as_deref(), Some("[0].0"));
        assert_eq!(part(0x100, 48 + 4).as_deref(), Some("[1].0"));
        assert_eq!(part(0x100, 96 + 8 + 17).as_deref(), Some("[2].five[2]"));
        assert_eq!(part(0x200, 4).as_deref(), Some(""), "one whole");
        assert_eq!(part(0x300, 0), None, "nobody knows it");
    }

    #[test]
    fn fields_are_found_by_their_names() {
        let mut variables = variables();
        variables.named.insert("both".into(), 2);
        assert_eq!(variables.field("both", "five"), Some(8));
        assert_eq!(
            (variables.field("both", "six"), variables.field("other", "five")),
            (None, None)
        );
    }

    #[test]
    fn a_type_in_itself_ends() {
        let types = [(1, Type::Array { element: 1, count: 2 })];
        let circle =
            Variables { variables: [(0, 1)].into(), types: types.into(), ..Variables::default() };
        assert_eq!(circle.part(0, 4).as_deref(), Some(""), "it has no size");
    }
}
