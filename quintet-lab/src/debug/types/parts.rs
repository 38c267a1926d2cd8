//! The parts of variables: the field or element at an offset.
//!
//! Parts have names as far as the firmware's author sees them: the framework's own types are whole,
//! and wrappers of the standard library have no name.

use super::{DEPTH_MAX, Field, Key, Origin, Shape, Types};

/// The place of a field in a structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// How far behind the structure's beginning.
    pub offset: u32,
    /// The field's type.
    pub kind: Key,
}

impl Types {
    /// Returns the part of the variable at `address` that lies `offset` bytes behind its beginning:
    /// `[2].name`, or an empty text if the variable is one whole. `None` if the variable isn't
    /// known.
    pub fn part(&self, address: u32, offset: u32) -> Option<String> {
        let variable = self.statics.iter().rfind(|one| one.address == address)?;
        let mut place = (variable.kind, offset);
        let mut path = String::new();
        for _ in 0..DEPTH_MAX {
            let Some((name, inside)) = self.step(place) else { break };
            path.push_str(&name);
            place = inside;
        }
        Some(path)
    }

    /// Returns the offset of a field in a structure of C.
    pub fn offset(&self, structure: &str, field: &str) -> Option<u32> {
        // A declaration has no size.
        let is_it = |shape: &&Shape| {
            shape.origin == Origin::Foreign && shape.name == structure && shape.size > 0
        };
        let fields = &self.types.values().rfind(is_it)?.fields;
        fields.iter().find(|one| one.name == field).map(|one| one.offset)
    }

    /// Returns the place of a field in a structure of any language: `base.prio` of `k_thread`. A
    /// field of a part without a name counts as the structure's own, and of an array the first
    /// element is meant.
    pub fn within(&self, structure: &str, path: &str) -> Option<Member> {
        let named = self.types.iter().rev();
        let mut named = named.filter(|(_, shape)| shape.name == structure && shape.size > 0);
        named.find_map(|(key, _)| {
            let start = Member { offset: 0, kind: *key };
            path.split('.').try_fold(start, |place, name| self.inside(place, name, DEPTH_MAX))
        })
    }

    fn inside(&self, place: Member, name: &str, depth: usize) -> Option<Member> {
        let depth = depth.checked_sub(1)?;
        let mut shape = self.types.get(&self.meant(place.kind))?;
        while let Some(element) = shape.element {
            shape =
                self.types.get(&self.meant(element)).filter(|next| !std::ptr::eq(*next, shape))?;
        }
        let at = |field: &Field| Member { offset: place.offset + field.offset, kind: field.kind };
        let mut own = shape.fields.iter().filter(|field| field.name == name);
        own.next().map(at).or_else(|| {
            let mut unnamed = shape.fields.iter().filter(|field| field.name.is_empty());
            unnamed.find_map(|field| self.inside(at(field), name, depth))
        })
    }

    /// The type behind names for it.
    fn meant(&self, mut kind: Key) -> Key {
        for _ in 0..DEPTH_MAX {
            match self.aliases.get(&kind) {
                Some(behind) => kind = *behind,
                None => break,
            }
        }
        kind
    }

    /// Returns `true` if a type is a pointer, and no array.
    pub fn is_pointer(&self, kind: Key) -> bool {
        let shape = self.types.get(&self.meant(kind));
        shape.is_some_and(|shape| shape.element.is_none() && shape.size == 4)
    }

    /// Returns the size of a type, names for it included.
    pub fn size_meant(&self, kind: Key) -> u32 {
        self.size(self.meant(kind))
    }

    /// Returns the name of an enumeration's value.
    pub fn enumerator(&self, kind: Key, value: u64) -> Option<&str> {
        let shape = self.types.get(&self.meant(kind))?;
        let mut all = shape.variants.iter();
        all.find(|variant| variant.value == Some(value)).map(|variant| &*variant.name)
    }

    /// Returns the name of a value of the enumeration with this name.
    pub fn enumerator_of(&self, name: &str, value: u64) -> Option<&str> {
        let mut named = self.types.iter().filter(|(_, shape)| shape.name == name);
        named.find_map(|(key, _)| self.enumerator(*key, value))
    }

    /// Returns the addresses of the variables, and of parts of variables, whose type is the
    /// structure with this name.
    pub fn variables_of(&self, structure: &str) -> Vec<u32> {
        let is_it = |kind: Key| {
            self.types.get(&self.meant(kind)).is_some_and(|shape| shape.name == structure)
        };
        let whole = self.statics.iter().filter(|one| is_it(one.kind)).map(|one| one.address);
        let parts = self.find(|shape| shape.name == structure).into_iter().map(|one| one.address);
        let mut all: Vec<u32> = whole.chain(parts).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the name of a type's part at the offset, and the place within this part.
    fn step(&self, (key, offset): (Key, u32)) -> Option<(String, (Key, u32))> {
        let shape = self.types.get(&key).filter(|shape| shape.origin != Origin::Framework)?;
        if let Some(element) = shape.element {
            let size = self.size(element);
            let index = offset.checked_div(size)?;
            return Some((format!("[{index}]"), (element, offset % size)));
        }
        let inside = |field: &Field| {
            let inside = offset.checked_sub(field.offset)?;
            (inside < self.size(field.kind)).then_some(inside)
        };
        let mut all = shape.fields.iter();
        let (field, inside) = all.find_map(|field| Some((field, inside(field)?)))?;
        // Fields without names are numbered.
        let name = field.name.trim_start_matches("__");
        let is_wrapper = shape.origin == Origin::Library;
        let name = if is_wrapper { String::new() } else { format!(".{name}") };
        Some((name, (field.kind, inside)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Static;
    use super::*;

    /// A structure of a wrapped word that is 8 bytes wide and an array of five, and three of them.
    fn types() -> Types {
        let field = |name: &str, offset, kind| Field { name: name.into(), offset, kind };
        let sized = |size| Shape { size, ..Shape::default() };
        let array = |element, count| Shape { element: Some(element), count, ..Shape::default() };
        let nothing = field("marker", 0, 99);
        let fields = vec![nothing, field("__0", 0, 3), field("five", 8, 4)];
        let wrapped = vec![field("value", 0, 5)];
        let types = [
            (1, array(2, 3)),
            (2, Shape { fields, ..sized(48) }),
            (3, Shape { fields: wrapped, origin: Origin::Library, ..sized(8) }),
            (4, array(5, 5)),
            (5, sized(8)),
            (99, sized(0)),
        ];
        let one = |address, kind| Static { path: String::new(), address, kind };
        let statics = vec![one(0x100, 1), one(0x200, 5)];
        Types { types: types.into(), statics, ..Types::default() }
    }

    #[test]
    fn parts_are_named_as_far_as_they_have_names() {
        let types = types();
        let part = |address, offset| types.part(address, offset);
        assert_eq!(part(0x100, 0).as_deref(), Some("[0].0"));
        assert_eq!(part(0x100, 48 + 4).as_deref(), Some("[1].0"));
        assert_eq!(part(0x100, 96 + 8 + 17).as_deref(), Some("[2].five[2]"));
        assert_eq!(part(0x200, 4).as_deref(), Some(""), "one whole");
        assert_eq!(part(0x300, 0), None, "nobody knows it");
    }

    #[test]
    fn fields_of_c_are_found_by_their_names() {
        let mut types = types();
        let both = types.types.get_mut(&2).unwrap();
        both.name = "both".into();
        assert_eq!(types.offset("both", "five"), None, "a type of Rust");
        types.types.get_mut(&2).unwrap().origin = Origin::Foreign;
        assert_eq!(types.offset("both", "five"), Some(8));
        assert_eq!((types.offset("both", "six"), types.offset("other", "five")), (None, None));
    }

    #[test]
    fn an_array_of_arrays_has_the_size_of_its_elements() {
        let mut types = types();
        let rows = Shape { element: Some(4), count: 3, ..Shape::default() };
        types.types.insert(6, rows);
        assert_eq!((types.size(4), types.size(6)), (40, 120));
    }

    #[test]
    fn a_type_in_itself_ends() {
        let circle = Shape { element: Some(1), count: 2, ..Shape::default() };
        let statics = vec![Static { path: String::new(), address: 0, kind: 1 }];
        let circle = Types { types: [(1, circle)].into(), statics, ..Types::default() };
        assert_eq!(circle.part(0, 4).as_deref(), Some(""), "it has no size");
    }
}
