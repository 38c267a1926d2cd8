//! Reads types and statics from the debug information.

use super::whole::Whole;
use super::{APART, APART_BYTES, Field, Key, Origin, Shape, Static, Types, Variant};
use crate::debug::Reader;
use crate::debug::owner::is_library;
use crate::firmware::symbols::demangle;
use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, Operation, UnitRef};

/// The name of the type of an async function's future.
const FUTURE: &str = "{async_fn_env#0}";

impl Types {
    /// Reads all types. Damaged information ends the search in its unit.
    pub(in crate::debug) fn read(dwarf: &Dwarf<Reader>) -> Self {
        let mut found = Self::default();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            if let Ok(unit) = dwarf.unit(header) {
                let _ = found.read_unit(&unit.unit_ref(dwarf));
            }
        }
        found
    }

    fn read_unit(&mut self, unit: &UnitRef<'_, Reader>) -> gimli::Result<()> {
        let mut origin = Origin::Foreign;
        // The entries around the present one, from the unit's own on, each with the type that its
        // parts belong to.
        let mut around: Vec<(Key, gimli::DwTag)> = Vec::new();
        // The modules and functions around, each with its depth.
        let mut spaces: Vec<(usize, String)> = Vec::new();
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            let Some(offset) = entry.offset().to_debug_info_offset(&unit.header) else { break };
            let depth = usize::try_from(entry.depth()).unwrap_or(0);
            around.truncate(depth);
            origin = match depth {
                0 if is_rust(entry) => Origin::Firmware,
                1 if origin != Origin::Foreign => origin_of(&name(unit, entry)),
                _ => origin,
            };
            let (tag, parent) = (entry.tag(), around.last().copied());
            spaces.truncate(spaces.partition_point(|(at, _)| *at < depth));
            if tag == gimli::DW_TAG_namespace {
                spaces.push((depth, name(unit, entry)));
            }
            let owner = self.read_entry(unit, entry, (offset.0, origin), parent);
            if tag == gimli::DW_TAG_structure_type
                && let Some(shape) = self.types.get_mut(&offset.0)
                && shape.name.starts_with(FUTURE)
            {
                shape.function = spaces.last().map(|(_, name)| name.clone());
            }
            around.push((owner, tag));
        }
        Ok(())
    }

    /// Notes an entry. Returns the type that entries inside of it belong to.
    fn read_entry(
        &mut self,
        unit: &UnitRef<'_, Reader>,
        entry: &DebuggingInformationEntry<Reader>,
        (key, origin): (Key, Origin),
        parent: Option<(Key, gimli::DwTag)>,
    ) -> Key {
        let inherited = parent.map_or(0, |(owner, _)| owner);
        match entry.tag() {
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_base_type
            | gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_array_type
            | gimli::DW_TAG_enumeration_type => {
                self.types.insert(key, Shape { origin, ..new_shape(unit, entry, key) });
                return key;
            }
            gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => {
                self.aliases.extend(kind(unit, entry).map(|kind| (key, kind)));
            }
            gimli::DW_TAG_variable => {
                let place = address(unit, entry).or_else(|| self.take_apart(unit, entry));
                let place = place.zip(kind(unit, entry));
                let linkage = entry.attr_value(gimli::DW_AT_linkage_name);
                let linkage = linkage.and_then(|value| unit.attr_string(value).ok());
                let path = linkage.map(|text| {
                    demangle(&String::from_utf8_lossy(
                        gimli::Reader::to_slice(&text).as_deref().unwrap_or(&[]),
                    ))
                });
                let path = path.unwrap_or_else(|| name(unit, entry));
                self.statics.extend(place.map(|(address, kind)| Static { path, address, kind }));
            }
            _ => {
                if let Some(shape) = self.types.get_mut(&inherited) {
                    part(shape, unit, entry, parent.map(|(_, tag)| tag));
                }
            }
        }
        inherited
    }

    /// Gives an address to a static that has been taken apart.
    fn take_apart(
        &mut self,
        unit: &UnitRef<'_, Reader>,
        entry: &DebuggingInformationEntry<Reader>,
    ) -> Option<u32> {
        let whole = Whole::of(unit, entry)?;
        let count = u32::try_from(self.apart.len()).ok()?;
        let address = APART.checked_add(count.checked_mul(APART_BYTES)?)?;
        self.apart.insert(address, whole);
        Some(address)
    }
}

/// Returns `true` if a unit's own entry says that the unit is in Rust.
fn is_rust(entry: &DebuggingInformationEntry<Reader>) -> bool {
    let language = entry.attr_value(gimli::DW_AT_language);
    language == Some(AttributeValue::Language(gimli::DW_LANG_Rust))
}

/// The origin of the types of a crate.
fn origin_of(crate_name: &str) -> Origin {
    match crate_name {
        name if is_library(name) => Origin::Library,
        "quintet" => Origin::Framework,
        _ => Origin::Firmware,
    }
}

fn new_shape(
    unit: &UnitRef<'_, Reader>,
    entry: &DebuggingInformationEntry<Reader>,
    key: Key,
) -> Shape {
    let size = number(entry, gimli::DW_AT_byte_size);
    let is_pointer =
        [gimli::DW_TAG_pointer_type, gimli::DW_TAG_reference_type].contains(&entry.tag());
    let size = size.unwrap_or(if is_pointer { 4 } else { 0 });
    let is_array = entry.tag() == gimli::DW_TAG_array_type;
    // The values of an enumeration are the whole of it.
    let tag = (entry.tag() == gimli::DW_TAG_enumeration_type).then(|| Field {
        name: String::new(),
        offset: 0,
        kind: key,
    });
    let element = kind(unit, entry).filter(|_| is_array);
    let target = kind(unit, entry).filter(|_| is_pointer);
    let encoding = match entry.attr_value(gimli::DW_AT_encoding) {
        Some(AttributeValue::Encoding(encoding)) => Some(encoding),
        _ => None,
    };
    let name = name(unit, entry);
    Shape { name, size, element, tag, encoding, is_pointer, target, ..Shape::default() }
}

/// Adds what an entry says about the type around it.
fn part(
    shape: &mut Shape,
    unit: &UnitRef<'_, Reader>,
    entry: &DebuggingInformationEntry<Reader>,
    parent: Option<gimli::DwTag>,
) {
    let field = kind(unit, entry).map(|kind| Field {
        name: name(unit, entry),
        offset: number(entry, gimli::DW_AT_data_member_location).unwrap_or(0),
        kind,
    });
    match (entry.tag(), parent) {
        (gimli::DW_TAG_member, Some(gimli::DW_TAG_variant_part)) => shape.tag = field,
        (gimli::DW_TAG_member, Some(gimli::DW_TAG_variant)) => {
            if let (Some(variant), Some(field)) = (shape.variants.last_mut(), field) {
                variant.name.clone_from(&field.name);
                variant.inside = Some(field);
                variant.line = number(entry, gimli::DW_AT_decl_line);
            }
        }
        (gimli::DW_TAG_member, _) => shape.fields.extend(field),
        (gimli::DW_TAG_variant, _) => {
            let value = bits(entry, gimli::DW_AT_discr_value);
            shape.variants.push(Variant { name: String::new(), value, inside: None, line: None });
        }
        (gimli::DW_TAG_enumerator, _) => {
            let value = bits(entry, gimli::DW_AT_const_value);
            let name = name(unit, entry);
            shape.variants.push(Variant { name, value, inside: None, line: None });
        }
        (gimli::DW_TAG_subrange_type, _) => {
            let last = || number(entry, gimli::DW_AT_upper_bound)?.checked_add(1);
            shape.count = number(entry, gimli::DW_AT_count).or_else(last).unwrap_or(0);
        }
        _ => {}
    }
}

/// A number that may be negative, as its bits.
fn bits(entry: &DebuggingInformationEntry<Reader>, what: gimli::DwAt) -> Option<u64> {
    let value: AttributeValue<Reader> = entry.attr_value(what)?;
    value.udata_value().or_else(|| value.sdata_value().map(i64::cast_unsigned))
}

/// Returns the entry's name; an empty text if there is none.
pub(in crate::debug) fn name(
    unit: &UnitRef<'_, Reader>,
    entry: &DebuggingInformationEntry<Reader>,
) -> String {
    let text = entry.attr_value(gimli::DW_AT_name).and_then(|value| unit.attr_string(value).ok());
    let text = text.as_ref().map(|text| String::from_utf8_lossy(text.bytes()).into_owned());
    text.unwrap_or_default()
}

/// Returns a number that the entry has.
fn number(entry: &DebuggingInformationEntry<Reader>, what: gimli::DwAt) -> Option<u32> {
    u32::try_from(entry.attr_value(what)?.udata_value()?).ok()
}

/// Returns the place of the description of the entry's type.
pub(in crate::debug) fn kind(
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
fn address(unit: &UnitRef<'_, Reader>, entry: &DebuggingInformationEntry<Reader>) -> Option<u32> {
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
