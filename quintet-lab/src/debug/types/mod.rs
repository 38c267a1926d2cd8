//! Statics with their whole types, the framework's among them, and the active variants of `enum`s.
//!
//! This needs the compiler's whole debug information (`debug = 2` in the profile). With line tables
//! only, there are no types, and every search finds nothing.
//!
//! ```text
//!  mod   ── places by their types, active variants
//!   ├ read: from the debug information
//!   ├ view: what a value consists of, for a debugger
//!   ├ parts: the names of a variable's parts
//!   └ whole: statics that the optimiser has taken apart
//! ```

pub mod parts;
pub(super) mod read;
pub mod view;
mod whole;

use std::collections::BTreeMap;
use whole::Whole;

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
    origin: Origin,
    fields: Vec<Field>,
    element: Option<Key>,
    count: u32,
    tag: Option<Field>,
    variants: Vec<Variant>,
    /// How the bits of a number are to be read.
    encoding: Option<gimli::DwAte>,
    is_pointer: bool,
    /// What a pointer points to.
    target: Option<Key>,
    /// The function of an async function's future.
    function: Option<String>,
}

/// The origin of a type.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Origin {
    /// The firmware, or a crate that it uses.
    #[default]
    Firmware,
    /// Rust's own library.
    Library,
    /// This framework.
    Framework,
    /// Another language, as C.
    Foreign,
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
    /// The line of the source that declares it: of a future, where it waits.
    line: Option<u32>,
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
    /// The variants in which the place lies, from outside: the place is there while all are active.
    pub within: Vec<Within>,
}

/// An `enum` around a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Within {
    /// The address of the `enum`.
    pub address: u32,
    /// The type of the `enum`.
    pub kind: Key,
    /// The variant that has the place inside.
    pub variant: String,
}

/// The types of an image, and its statics.
#[derive(Default, Debug)]
pub struct Types {
    types: BTreeMap<Key, Shape>,
    /// Names of C for types, and types that are constant or volatile: the type behind each.
    aliases: BTreeMap<Key, Key>,
    statics: Vec<Static>,
    /// The statics that have been taken apart, each by its address of the tool.
    apart: BTreeMap<u32, Whole>,
}

impl Types {
    /// Returns a type.
    pub fn shape(&self, kind: Key) -> Option<&Shape> {
        self.types.get(&kind)
    }

    /// Returns the parts of statics whose type is wanted. Parts of such parts don't count, nor do
    /// parts of variants.
    pub fn find(&self, wanted: impl Fn(&Shape) -> bool) -> Vec<Place> {
        self.search(wanted, false)
    }

    /// Returns all parts of statics whose type is wanted, also within each other, and within the
    /// variants of `enum`s.
    pub fn find_within(&self, wanted: impl Fn(&Shape) -> bool) -> Vec<Place> {
        self.search(wanted, true)
    }

    fn search(&self, wanted: impl Fn(&Shape) -> bool, is_within: bool) -> Vec<Place> {
        let mut found = Vec::new();
        let start = |one: &Static| Place {
            path: one.path.clone(),
            index: String::new(),
            address: one.address,
            kind: one.kind,
            within: Vec::new(),
        };
        let mut open: Vec<(Place, usize)> =
            self.statics.iter().map(|one| (start(one), 0)).collect();
        for _ in 0..PLACES_MAX {
            let Some((place, depth)) = open.pop() else { break };
            let Some(shape) = self.types.get(&place.kind) else { continue };
            let is_wanted = wanted(shape);
            if depth < DEPTH_MAX && (is_within || !is_wanted) {
                open.extend(self.parts(&place, shape).map(|part| (part, depth + 1)));
            }
            if depth < DEPTH_MAX && is_within {
                open.extend(inside(&place, shape).map(|part| (part, depth + 1)));
            }
            if is_wanted {
                found.push(place);
            }
        }
        found.sort_by_key(|place| (place.address, place.kind));
        found.dedup_by_key(|place| (place.address, place.kind));
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
            within: base.within.clone(),
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
    pub fn size(&self, mut kind: Key) -> u32 {
        // An array, and an array of arrays, has its size from its elements.
        let mut count = 1_u32;
        for _ in 0..DEPTH_MAX {
            let Some(shape) = self.types.get(&kind) else { break };
            let Some(element) = shape.element.filter(|_| shape.size == 0) else {
                return shape.size.saturating_mul(count);
            };
            count = count.saturating_mul(shape.count);
            kind = element;
        }
        0
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

    /// Returns the address and the size of the tag of an `enum` at an address.
    pub fn tag(&self, address: u32, kind: Key) -> Option<(u32, u32)> {
        let tag = self.types.get(&kind)?.tag.as_ref()?;
        Some((address.wrapping_add(tag.offset), self.size(tag.kind)))
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

/// The contents of the variants of an `enum`.
fn inside(place: &Place, shape: &Shape) -> impl Iterator<Item = Place> {
    let with_content = |variant: &Variant| Some((variant.name.clone(), variant.inside.clone()?));
    shape.variants.iter().filter_map(with_content).map(|(variant, inside)| {
        let mut within = place.within.clone();
        within.push(Within { address: place.address, kind: place.kind, variant });
        let address = place.address.wrapping_add(inside.offset);
        Place { address, kind: inside.kind, within, ..place.clone() }
    })
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
        let variant = |name: &str, value, inside| Variant {
            name: name.to_owned(),
            value,
            inside,
            line: None,
        };
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
        let mut types = BTreeMap::from(types);
        // A machine with a field that is perhaps another machine.
        let some = Field { offset: 0, ..field("Some", 0, 11) };
        let optional = Shape {
            tag: Some(field("", 0, 8)),
            variants: vec![variant("None", Some(3), None), variant("Some", None, Some(some))],
            ..shape("Option<Machine<app::Lamp>>", 1)
        };
        types.insert(10, optional);
        types.insert(11, Shape { fields: vec![field("__0", 0, 2)], ..shape("Some", 1) });
        let owner = Shape { fields: vec![field("lamp", 0, 10)], ..shape("Owner", 1) };
        types.insert(12, owner);
        let fields = vec![field("__kept", 2, 9), field("__state", 1, 3), field("__data", 0, 12)];
        types.insert(13, Shape { fields, ..shape("Machine<app::Owner>", 2) });
        let path = "x::app::__quintet_lamp_LocalResources::new::__quintet_local_chart".to_owned();
        let statics = vec![Static { path, address, kind: 1 }];
        Types { types, statics, ..Types::default() }
    }

    /// A machine `Owner`, whose state is in its second byte. Its first byte is a machine `Lamp`, or
    /// 3 if there is none.
    pub fn nested(address: u32) -> Types {
        let statics = vec![Static { path: "x::OWNER".to_owned(), address, kind: 13 }];
        Types { statics, ..types(address) }
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
