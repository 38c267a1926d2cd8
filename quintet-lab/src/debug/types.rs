//! Statics with their whole types, the framework's among them, and the active variants of `enum`s.
//!
//! This needs the compiler's whole debug information (`debug = 2` in the profile). With line tables
//! only, there are no types, and every search finds nothing.

use super::Reader;
use super::variables::{address, kind, name, number};
use super::whole::Whole;
use crate::firmware::symbols::demangle;
use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, UnitRef};
use std::collections::BTreeMap;

/// Types lie no deeper in each other.
const DEPTH_MAX: usize = 32;
/// A search looks at no more places.
const PLACES_MAX: usize = 1 << 16;

/// Statics that the compiler has taken apart get an address of the tool from here on, where no
/// board has memory for data, and a distance between them.
const APART: u32 = 0xf000_0000;
const APART_BYTES: u32 = 1 << 16;

/// The place of a type's description in the section.
pub type Key = usize;

/// A static.
#[derive(Clone, Debug)]
struct Static {
    path: String,
    address: u32,
    kind: Key,
}

/// A type.
#[derive(Clone, Default, Debug)]
pub struct Shape {
    /// The type's name, with the arguments of generics.
    pub name: String,
    /// The type's size in bytes.
    pub size: u32,
    fields: Vec<Field>,
    element: Option<Key>,
    count: u32,
    tag: Option<Field>,
    variants: Vec<Variant>,
}

#[derive(Clone, Debug)]
struct Field {
    name: String,
    offset: u32,
    kind: Key,
}

/// A variant of an `enum`.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The variant's name.
    pub name: String,
    /// The tag of the active variant. `None`: all tags that no other variant has.
    value: Option<u64>,
    inside: Option<Field>,
}

impl Shape {
    /// Returns `true` if the type has a field of this name.
    pub fn has_field(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }
}

/// Reads up to 8 bytes at an address.
pub type Read<'a> = dyn Fn(u32, u32) -> Option<u64> + 'a;

/// A place in memory that has a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The path of the static.
    pub path: String,
    /// The elements of arrays on the way: ` 3` of the fourth.
    pub index: String,
    /// The address.
    pub address: u32,
    /// The type.
    pub kind: Key,
}

/// The types of an image, and its statics.
#[derive(Default, Debug)]
pub struct Types {
    types: BTreeMap<Key, Shape>,
    statics: Vec<Static>,
    /// The statics that have been taken apart, each by its address of the tool.
    apart: BTreeMap<u32, Whole>,
}

impl Types {
    /// Reads all types. Damaged information ends the search in its unit.
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

    /// Returns a type.
    pub fn shape(&self, kind: Key) -> Option<&Shape> {
        self.types.get(&kind)
    }

    /// Returns the parts of statics whose type is wanted. Parts of such parts don't count, nor do
    /// parts of variants.
    pub fn find(&self, wanted: impl Fn(&Shape) -> bool) -> Vec<Place> {
        let mut found = Vec::new();
        let start = |one: &Static| Place {
            path: one.path.clone(),
            index: String::new(),
            address: one.address,
            kind: one.kind,
        };
        let mut open: Vec<(Place, usize)> =
            self.statics.iter().map(|one| (start(one), 0)).collect();
        for _ in 0..PLACES_MAX {
            let Some((place, depth)) = open.pop() else { break };
            let Some(shape) = self.types.get(&place.kind) else { continue };
            if wanted(shape) {
                found.push(place);
            } else if depth < DEPTH_MAX {
                open.extend(self.parts(&place, shape).map(|part| (part, depth + 1)));
            }
        }
        found.sort_by_key(|place| place.address);
        found.dedup_by_key(|place| place.address);
        found
    }

    /// The fields of a structure and the elements of an array.
    fn parts(&self, place: &Place, shape: &Shape) -> impl Iterator<Item = Place> {
        let (base, size) = (place.clone(), shape.element.map_or(0, |element| self.size(element)));
        let count = if size == 0 { 0 } else { shape.count.min(PLACES_MAX as u32) };
        let elements = (0..count).map(move |index| (index, shape.element.unwrap_or(0)));
        let elements = elements.map(move |(index, kind)| Place {
            path: base.path.clone(),
            index: format!("{} {index}", base.index),
            address: base.address.wrapping_add(index.wrapping_mul(size)),
            kind,
        });
        let base = place.clone();
        let fields = shape.fields.iter().map(move |field| Place {
            address: base.address.wrapping_add(field.offset),
            kind: field.kind,
            ..base.clone()
        });
        fields.chain(elements)
    }

    /// Returns the place of a field.
    pub fn field(&self, place: &Place, name: &str) -> Option<Place> {
        let field = self.types.get(&place.kind)?.fields.iter().find(|one| one.name == name)?;
        let address = place.address.wrapping_add(field.offset);
        Some(Place { address, kind: field.kind, ..place.clone() })
    }

    /// Returns the type of the elements of an array behind wrappers, and their number.
    pub fn elements(&self, kind: Key) -> Option<(Key, u32)> {
        let shape = self.types.get(&self.unwrapped(kind))?;
        Some((self.unwrapped(shape.element?), shape.count))
    }

    /// Returns the type without the structures and unions around it that have nothing else.
    fn unwrapped(&self, mut kind: Key) -> Key {
        for _ in 0..DEPTH_MAX {
            let Some(shape) = self.types.get(&kind) else { break };
            let mut fields = shape.fields.iter().filter(|field| self.size(field.kind) != 0);
            let (Some(only), None) = (fields.next(), fields.next()) else { break };
            if !shape.variants.is_empty() || only.offset != 0 {
                break;
            }
            kind = only.kind;
        }
        kind
    }

    /// Returns the size of a type, in bytes.
    pub fn size(&self, kind: Key) -> u32 {
        let Some(shape) = self.types.get(&kind) else { return 0 };
        match shape.element.and_then(|element| self.types.get(&element)) {
            Some(element) if shape.size == 0 => element.size.saturating_mul(shape.count),
            _ => shape.size,
        }
    }

    /// Returns the names of all variants.
    pub fn variants(&self, kind: Key) -> impl Iterator<Item = &str> {
        let all = self.types.get(&kind).map_or(&[][..], |shape| &shape.variants);
        all.iter().map(|variant| &*variant.name)
    }

    /// Returns the active variant of an `enum` at an address, and the place of the first field.
    /// `read` reads bytes of memory.
    pub fn active(
        &self,
        (address, kind): (u32, Key),
        read: &Read<'_>,
    ) -> Option<(&str, Option<(u32, Key)>)> {
        let shape = self.types.get(&kind)?;
        let variant = match &shape.tag {
            Some(tag) => {
                let size = self.size(tag.kind);
                let value = self.memory(address.wrapping_add(tag.offset), size, read)?;
                let is_it =
                    |variant: &&Variant| variant.value.map(|one| cut(one, size)) == Some(value);
                let rest = || shape.variants.iter().find(|variant| variant.value.is_none());
                shape.variants.iter().find(is_it).or_else(rest)?
            }
            None => match &shape.variants[..] {
                [only] => only,
                _ => return None,
            },
        };
        let first = variant.inside.as_ref().and_then(|inside| {
            let field = self.types.get(&inside.kind)?.fields.first()?;
            Some((address.wrapping_add(inside.offset).wrapping_add(field.offset), field.kind))
        });
        Some((&variant.name, first))
    }

    fn read_unit(&mut self, unit: &UnitRef<'_, Reader>) -> gimli::Result<()> {
        // The entries around the present one, from the unit's own on, each with the type that its
        // parts belong to.
        let mut around: Vec<(Key, gimli::DwTag)> = Vec::new();
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            let Some(offset) = entry.offset().to_debug_info_offset(&unit.header) else { break };
            around.truncate(usize::try_from(entry.depth()).unwrap_or(0));
            let (tag, parent) = (entry.tag(), around.last().copied());
            let owner = self.read_entry(unit, entry, offset.0, parent);
            around.push((owner, tag));
        }
        Ok(())
    }

    /// Notes an entry. Returns the type that entries inside of it belong to.
    fn read_entry(
        &mut self,
        unit: &UnitRef<'_, Reader>,
        entry: &DebuggingInformationEntry<Reader>,
        key: Key,
        parent: Option<(Key, gimli::DwTag)>,
    ) -> Key {
        let inherited = parent.map_or(0, |(owner, _)| owner);
        match entry.tag() {
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_base_type
            | gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_array_type
            | gimli::DW_TAG_enumeration_type => {
                self.types.insert(key, new_shape(unit, entry, key));
                return key;
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

    /// Reads up to 8 bytes of a static.
    fn memory(&self, address: u32, size: u32, read: &Read<'_>) -> Option<u64> {
        match self.apart.get(&(address & !(APART_BYTES - 1))) {
            Some(whole) => whole.read(address & (APART_BYTES - 1), size, read),
            None => read(address, size),
        }
    }

    /// Returns the memory that can change so many bytes of a static: first addresses, and lengths.
    pub fn watched(&self, address: u32, size: u32) -> Vec<(u32, u32)> {
        match self.apart.get(&(address & !(APART_BYTES - 1))) {
            Some(whole) => whole.watched(),
            None => vec![(address, size)],
        }
    }
}

fn new_shape(
    unit: &UnitRef<'_, Reader>,
    entry: &DebuggingInformationEntry<Reader>,
    key: Key,
) -> Shape {
    let size = number(entry, gimli::DW_AT_byte_size);
    let is_pointer = entry.tag() == gimli::DW_TAG_pointer_type;
    let size = size.unwrap_or(if is_pointer { 4 } else { 0 });
    let is_array = entry.tag() == gimli::DW_TAG_array_type;
    // The values of an enumeration are the whole of it.
    let tag = (entry.tag() == gimli::DW_TAG_enumeration_type).then(|| Field {
        name: String::new(),
        offset: 0,
        kind: key,
    });
    let element = kind(unit, entry).filter(|_| is_array);
    Shape { name: name(unit, entry), size, element, tag, ..Shape::default() }
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
            }
        }
        (gimli::DW_TAG_member, _) => shape.fields.extend(field),
        (gimli::DW_TAG_variant, _) => {
            let value = bits(entry, gimli::DW_AT_discr_value);
            shape.variants.push(Variant { name: String::new(), value, inside: None });
        }
        (gimli::DW_TAG_enumerator, _) => {
            let value = bits(entry, gimli::DW_AT_const_value);
            let name = name(unit, entry);
            shape.variants.push(Variant { name, value, inside: None });
        }
        (gimli::DW_TAG_subrange_type, _) => {
            shape.count = number(entry, gimli::DW_AT_count).unwrap_or(0);
        }
        _ => {}
    }
}

/// A number that may be negative, as its bits.
fn bits(entry: &DebuggingInformationEntry<Reader>, what: gimli::DwAt) -> Option<u64> {
    let value: AttributeValue<Reader> = entry.attr_value(what)?;
    value.udata_value().or_else(|| value.sdata_value().map(i64::cast_unsigned))
}

/// The lowest bytes of a number.
fn cut(value: u64, bytes: u32) -> u64 {
    if bytes >= 8 { value } else { value & ((1 << (8 * bytes)) - 1) }
}

#[cfg(test)]
pub mod example {
    //! Types for tests.

    use super::*;

    /// Two machines `Lamp` in an array, of a byte each: the states `Off` and `TurnsOn`, and 2
    /// before the start.
    pub fn types(address: u32) -> Types {
        let field = |name: &str, offset, kind| Field { name: name.to_owned(), offset, kind };
        let variant = |name: &str, value, inside| Variant { name: name.to_owned(), value, inside };
        let shape = |name: &str, size| Shape { name: name.into(), size, ..Shape::default() };
        let types = [
            (1, Shape { element: Some(2), count: 2, ..shape("", 0) }),
            (
                2,
                Shape {
                    fields: vec![field("__kept", 1, 9), field("__state", 0, 3)],
                    ..shape("Machine<app::Lamp, quintet::chart::machine::Plain>", 1)
                },
            ),
            (
                3,
                Shape {
                    tag: Some(field("", 0, 8)),
                    variants: vec![
                        variant("None", Some(2), None),
                        variant("Some", None, Some(field("Some", 0, 4))),
                    ],
                    ..shape("Option<app::State>", 1)
                },
            ),
            (4, Shape { fields: vec![field("__0", 0, 5)], ..shape("Some", 1) }),
            (
                5,
                Shape {
                    tag: Some(field("", 0, 5)),
                    variants: vec![
                        variant("Off", Some(0), None),
                        variant("TurnsOn", Some(1), None),
                    ],
                    ..shape("State", 1)
                },
            ),
            (8, shape("u8", 1)),
            (9, shape("NeverKeeps", 0)),
        ];
        let path = "x::app::__quintet_lamp_LocalResources::new::__quintet_local_chart".to_owned();
        let statics = vec![Static { path, address, kind: 1 }];
        Types { types: types.into(), statics, ..Types::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_found_by_their_tags() {
        let types = example::types(0x100);
        let machines = types.find(|shape| shape.has_field("__state"));
        let places: Vec<_> = machines.iter().map(|one| (one.address, &*one.index)).collect();
        assert_eq!(places, [(0x100, " 0"), (0x101, " 1")]);
        let state = types.field(&machines[1], "__state").unwrap();
        let memory = |value| move |_: u32, _: u32| Some(value);
        let active = |place, value| types.active(place, &memory(value));
        let whole = (state.address, state.kind);
        assert_eq!(active(whole, 2), Some(("None", None)));
        assert_eq!(active(whole, 1), Some(("Some", Some((0x101, 5)))));
        assert_eq!(active((0x101, 5), 1), Some(("TurnsOn", None)));
        assert_eq!(active((0x101, 5), 7), None, "no state has this number");
        assert_eq!(types.elements(1), Some((3, 2)), "its machine has nothing but a state");
        assert_eq!(types.find(|shape| shape.name == "u16"), []);
    }
}
