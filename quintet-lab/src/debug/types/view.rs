//! What a value consists of, for a debugger that shows it.

use super::{APART, DEPTH_MAX, Field, Key, Read, Shape, Types};

/// What kind of value a type describes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum View<'a> {
    /// Nothing is known of it.
    Unknown,
    /// A number, or a truth value or a character, by its encoding.
    Scalar(gimli::DwAte),
    /// An address of something; of what, if that is known.
    Pointer(Option<Key>),
    /// Elements in a row: their type and their number.
    Array(Key, u32),
    /// An address and a number of elements there: their type, and whether they are text.
    Slice(Key, bool),
    /// One of several variants: the name of the active one, if it is known, and its fields.
    Variant(Option<&'a str>, Vec<Part<'a>>),
    /// Fields.
    Fields(Vec<Part<'a>>),
}

/// A field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part<'a> {
    /// The field's name.
    pub name: &'a str,
    /// Where it begins, in bytes.
    pub offset: u32,
    /// Its type.
    pub kind: Key,
}

impl Types {
    /// Returns the type behind names for types.
    pub fn resolved(&self, mut kind: Key) -> Key {
        for _ in 0..DEPTH_MAX {
            match self.aliases.get(&kind) {
                Some(behind) if !self.types.contains_key(&kind) => kind = *behind,
                _ => break,
            }
        }
        kind
    }

    /// Returns the name of a type for people.
    pub fn type_name(&self, kind: Key) -> String {
        self.name_within(kind, 0)
    }

    fn name_within(&self, kind: Key, depth: usize) -> String {
        let shape = self.types.get(&self.resolved(kind)).filter(|_| depth < DEPTH_MAX);
        let Some(shape) = shape else { return "?".into() };
        match (shape.element, shape.target) {
            (Some(element), _) => {
                format!("[{}; {}]", self.name_within(element, depth + 1), shape.count)
            }
            (_, Some(target)) if shape.name.is_empty() => {
                format!("*{}", self.name_within(target, depth + 1))
            }
            _ if shape.is_pointer && shape.name.is_empty() => "*void".into(),
            _ => shape.name.clone(),
        }
    }

    /// Returns what a value of the type consists of. `read` reads up to 8 bytes at an offset of
    /// the value.
    pub fn view(&self, kind: Key, read: &Read<'_>) -> View<'_> {
        let kind = self.resolved(kind);
        let Some(shape) = self.types.get(&kind) else { return View::Unknown };
        if let Some(encoding) = shape.encoding {
            return View::Scalar(encoding);
        }
        if let Some(element) = shape.element {
            return View::Array(element, shape.count);
        }
        if shape.is_pointer {
            return View::Pointer(shape.target);
        }
        if let Some((element, is_text)) = self.slice(shape) {
            return View::Slice(element, is_text);
        }
        if shape.tag.is_none() && shape.variants.is_empty() {
            return View::Fields(shape.fields.iter().map(Part::of).collect());
        }
        let Some((variant, _)) = self.active((0, kind), read) else {
            return View::Variant(None, Vec::new());
        };
        let inside = shape.variants.iter().find(|one| one.name == variant);
        let inside = inside.and_then(|one| one.inside.as_ref());
        let fields = inside.and_then(|inside| {
            let shape = self.types.get(&self.resolved(inside.kind))?;
            let moved = |field| {
                let part = Part::of(field);
                Part { offset: part.offset.saturating_add(inside.offset), ..part }
            };
            Some(shape.fields.iter().map(moved).collect())
        });
        View::Variant(Some(variant), fields.unwrap_or_default())
    }

    /// Returns the type of the elements, if the type is a slice, and whether these are text.
    fn slice(&self, shape: &Shape) -> Option<(Key, bool)> {
        let is_wide = shape.fields.len() == 2 && shape.has_field("length");
        let pointer = shape.fields.iter().find(|field| field.name == "data_ptr")?;
        let target = self.types.get(&self.resolved(pointer.kind))?.target?;
        is_wide.then_some((target, shape.name.ends_with("str")))
    }

    /// Returns the types of the futures of async functions with a name.
    pub fn futures(&self, function: &str) -> impl Iterator<Item = Key> {
        let all = self.types.iter();
        let of = all.filter(move |(_, shape)| shape.function.as_deref() == Some(function));
        of.map(|(key, _)| *key)
    }

    /// Returns where the active variant of a future waits: the line in its source. `None` if it
    /// waits nowhere.
    pub fn waits_at(&self, (address, kind): (u32, Key), read: &Read<'_>) -> Option<u32> {
        let kind = self.resolved(kind);
        let (active, _) = self.active((address, kind), read)?;
        let shape = self.types.get(&kind)?;
        let variant = shape.variants.iter().find(|one| one.name == active)?;
        // The first three numbers are: not begun, has returned, has panicked.
        variant.value.filter(|number| *number > 2)?;
        variant.line
    }

    /// Returns the statics: paths, addresses, types.
    pub fn statics(&self) -> impl Iterator<Item = (&str, u32, Key)> {
        self.statics.iter().map(|one| (&*one.path, one.address, one.kind))
    }

    /// Reads a byte of a static that the compiler has taken apart. `None` inside of `Some`: it
    /// can't be read. `None`: the address is an ordinary one.
    pub fn apart(&self, address: u32, read: &Read<'_>) -> Option<Option<u8>> {
        if address < APART || self.apart.is_empty() {
            return None;
        }
        let is_here = self.apart.contains_key(&(address & !(super::APART_BYTES - 1)));
        is_here.then(|| self.memory(address, 1, read).and_then(|byte| u8::try_from(byte).ok()))
    }
}

impl<'a> Part<'a> {
    fn of(field: &'a Field) -> Self {
        Self { name: &field.name, offset: field.offset, kind: field.kind }
    }
}
