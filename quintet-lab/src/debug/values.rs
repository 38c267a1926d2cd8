//! Values of firmware, as a debugger shows them: a text, and the parts of which a value consists.

use super::evaluate::Content;
use super::types::Key;
use super::types::Types;
use super::types::view::{Part, View};

/// A text shows at most so many elements of an array, and so deep.
const SHOWN_MAX: u32 = 8;
const DEPTH_MAX: u32 = 3;
/// A text of firmware is shown up to so many bytes.
const TEXT_MAX: u32 = 256;
/// No text about a value is longer.
const LENGTH_MAX: usize = 1000;

/// A value: where it is, and its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    content: Content,
    /// Where the value begins in the content.
    offset: u32,
    /// The type.
    pub kind: Option<Key>,
}

/// Why a value can't be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unknown {
    /// The compiler has removed the variable, or keeps it elsewhere at this place.
    #[error("optimised out")]
    OptimisedOut,
    /// Nothing is at its address.
    #[error("nothing can be read at {0:#010x}")]
    Unreadable(u32),
    /// The debug information doesn't describe the type.
    #[error("of an unknown type")]
    Untyped,
}

/// The types and the memory.
#[derive(Clone, Copy)]
pub struct Shower<'a> {
    /// The types.
    pub types: &'a Types,
    /// Reads a byte of memory.
    pub read: &'a dyn Fn(u32) -> Option<u8>,
}

impl Value {
    /// A value.
    pub fn new(content: Content, kind: Option<Key>) -> Self {
        Self { content, offset: 0, kind }
    }

    /// A value in memory.
    pub fn at(address: u32, kind: Key) -> Self {
        Self::new(Content::Memory(address), Some(kind))
    }

    /// The address, if the value is in memory.
    pub fn address(&self) -> Option<u32> {
        match self.content {
            Content::Memory(address) => Some(address.wrapping_add(self.offset)),
            _ => None,
        }
    }

    /// The register, if the value is all of one.
    pub fn register(&self) -> Option<u16> {
        match self.content {
            Content::Register(number, _) if self.offset == 0 => Some(number),
            _ => None,
        }
    }

    fn part(&self, part: &Part<'_>) -> Self {
        let offset = self.offset.wrapping_add(part.offset);
        Self { content: self.content.clone(), offset, kind: Some(part.kind) }
    }
}

impl Shower<'_> {
    /// Reads bytes of a value.
    pub fn bytes(&self, value: &Value, offset: u32, size: u32) -> Result<Vec<u8>, Unknown> {
        let one = |at: u32| match &value.content {
            Content::Memory(_) => {
                let address = value.address().unwrap_or(0).wrapping_add(at);
                let word = |address: u32, size: u32| {
                    (0..size).rev().try_fold(0, |all, at| {
                        Some(all << 8 | u64::from((self.read)(address.wrapping_add(at))?))
                    })
                };
                match self.types.apart(address, &word) {
                    Some(byte) => byte.ok_or(Unknown::OptimisedOut),
                    None => (self.read)(address).ok_or(Unknown::Unreadable(address)),
                }
            }
            Content::Register(_, bytes) | Content::Bytes(bytes) => {
                let at = value.offset.checked_add(at).and_then(|at| usize::try_from(at).ok());
                let byte = at.and_then(|at| *bytes.get(at)?);
                byte.ok_or(Unknown::OptimisedOut)
            }
        };
        (offset..offset.saturating_add(size)).map(one).collect()
    }

    fn number(&self, value: &Value, offset: u32, size: u32) -> Result<u64, Unknown> {
        let bytes = self.bytes(value, offset, size.min(8))?;
        Ok(bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
    }

    /// What the value consists of.
    pub fn view(&self, value: &Value) -> View<'_> {
        let read = |offset, size| self.number(value, offset, size).ok();
        value.kind.map_or(View::Unknown, |kind| self.types.view(kind, &read))
    }

    /// The size of a value, in bytes.
    pub fn size(&self, value: &Value) -> u32 {
        value.kind.map_or(0, |kind| self.types.size(self.types.resolved(kind)))
    }

    /// The name of the value's type.
    pub fn type_name(&self, value: &Value) -> String {
        value.kind.map_or_else(|| "?".to_owned(), |kind| self.types.type_name(kind))
    }

    /// The value as a number: of a number, a truth value, a character or a pointer.
    pub fn scalar(&self, value: &Value) -> Option<Result<i128, Unknown>> {
        let size = self.size(value);
        if size > 8 {
            return None;
        }
        let number = |is_signed: bool| {
            let bits = self.number(value, 0, size)?;
            let unused = 64 - 8 * size.clamp(1, 8);
            Ok(if is_signed {
                i128::from((bits << unused).cast_signed() >> unused)
            } else {
                i128::from(bits)
            })
        };
        match self.view(value) {
            View::Scalar(gimli::DW_ATE_signed | gimli::DW_ATE_signed_char) => Some(number(true)),
            View::Scalar(gimli::DW_ATE_float) => None,
            View::Scalar(_) | View::Pointer(_) => Some(number(false)),
            _ => None,
        }
    }

    /// The bytes of a number that a person has typed, for a value of this type.
    pub fn parse(&self, value: &Value, text: &str) -> Result<Vec<u8>, String> {
        let text = text.trim();
        let size = self.size(value).min(8);
        let View::Scalar(encoding) = self.view(value) else {
            return Err(format!(
                "only numbers, truth values and characters can be set, and this is a {}: set its \
                 parts",
                self.type_name(value)
            ));
        };
        let refused = || format!("\"{text}\" is no value of the type {}", self.type_name(value));
        let bits = match (encoding, size) {
            (gimli::DW_ATE_float, 4) => {
                text.parse::<f32>().map_err(|_| refused())?.to_bits().into()
            }
            (gimli::DW_ATE_float, _) => text.parse::<f64>().map_err(|_| refused())?.to_bits(),
            (gimli::DW_ATE_boolean, _) => match text {
                "true" | "1" => 1,
                "false" | "0" => 0,
                _ => return Err(refused()),
            },
            (gimli::DW_ATE_UTF, _) if text.starts_with('\'') => {
                let mut inside = text.trim_matches('\'').chars();
                match (inside.next(), inside.next()) {
                    (Some(character), None) => u32::from(character).into(),
                    _ => return Err(refused()),
                }
            }
            (encoding, size) => {
                let number = parse_number(text).ok_or_else(refused)?;
                let bits = 8 * size.max(1);
                let is_signed =
                    [gimli::DW_ATE_signed, gimli::DW_ATE_signed_char].contains(&encoding);
                let (least, most) = if is_signed {
                    (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
                } else {
                    (0, (1_i128 << bits) - 1)
                };
                let is_character = encoding == gimli::DW_ATE_UTF;
                let fits = (least..=most).contains(&number);
                let exists = !is_character
                    || u32::try_from(number).is_ok_and(|n| char::from_u32(n).is_some());
                if !fits || !exists {
                    return Err(refused());
                }
                number as u64
            }
        };
        Ok(bits.to_le_bytes()[..size as usize].to_vec())
    }

    /// The value in a line.
    pub fn text(&self, value: &Value) -> String {
        let mut text = match self.shown(value, 0) {
            Ok(text) => text,
            Err(unknown) => format!("<{unknown}>"),
        };
        if let Some((end, _)) = text.char_indices().nth(LENGTH_MAX) {
            text.truncate(end);
            text.push_str("..");
        }
        text
    }

    fn shown(&self, value: &Value, depth: u32) -> Result<String, Unknown> {
        let size = self.size(value);
        Ok(match self.view(value) {
            View::Unknown => return Err(Unknown::Untyped),
            View::Scalar(encoding) => self.of_scalar(value, encoding, size)?,
            View::Pointer(_) => format!("{:#010x}", self.number(value, 0, 4)?),
            View::Array(..) if depth >= DEPTH_MAX => "[..]".into(),
            View::Array(_, count) => {
                let shown = self.elements(value, 0, count.min(SHOWN_MAX));
                self.list(&shown, count, depth)
            }
            View::Slice(_, true) => self.of_text(value)?,
            View::Slice(..) if depth >= DEPTH_MAX => "[..]".into(),
            View::Slice(..) => {
                let count = self.number(value, 4, 4)? as u32;
                let shown = self.elements(value, 0, count.min(SHOWN_MAX));
                self.list(&shown, count, depth)
            }
            View::Variant(None, _) => return Err(Unknown::OptimisedOut),
            View::Variant(Some(name), fields) => {
                format!("{name}{}", self.of_fields(value, &fields, depth))
            }
            View::Fields(fields) => {
                let name = self.type_name(value);
                let name = name.split('<').next().unwrap_or_default();
                let is_tuple = name.starts_with('(');
                format!("{}{}", if is_tuple { "" } else { name }, {
                    self.of_fields(value, &fields, depth)
                })
            }
        })
    }

    fn of_scalar(
        &self,
        value: &Value,
        encoding: gimli::DwAte,
        size: u32,
    ) -> Result<String, Unknown> {
        if size > 8 {
            let bytes = self.bytes(value, 0, size.min(16))?;
            let number = bytes.iter().rev().fold(0_u128, |all, byte| all << 8 | u128::from(*byte));
            return Ok(match encoding {
                gimli::DW_ATE_signed => number.cast_signed().to_string(),
                _ => number.to_string(),
            });
        }
        let bits = self.number(value, 0, size)?;
        Ok(match (encoding, size) {
            (gimli::DW_ATE_boolean, _) => match bits {
                0 => "false".into(),
                1 => "true".into(),
                other => format!("{other} (no bool)"),
            },
            (gimli::DW_ATE_float, 4) => f32::from_bits(bits as u32).to_string(),
            (gimli::DW_ATE_float, 8) => f64::from_bits(bits).to_string(),
            (gimli::DW_ATE_UTF, 4) => match char::from_u32(bits as u32) {
                Some(character) => format!("{character:?}"),
                None => format!("{bits:#x} (no char)"),
            },
            (_, 0) => "()".into(),
            _ => self.scalar(value).unwrap_or(Ok(i128::from(bits)))?.to_string(),
        })
    }

    fn of_text(&self, value: &Value) -> Result<String, Unknown> {
        let (address, length) =
            (self.number(value, 0, 4)? as u32, self.number(value, 4, 4)? as u32);
        let shown = length.min(TEXT_MAX);
        let one = |at: u32| {
            let address = address.wrapping_add(at);
            (self.read)(address).ok_or(Unknown::Unreadable(address))
        };
        let bytes = (0..shown).map(one).collect::<Result<Vec<u8>, _>>()?;
        let more = if shown < length { ".." } else { "" };
        Ok(format!("{:?}{more}", String::from_utf8_lossy(&bytes)))
    }

    fn of_fields(&self, value: &Value, fields: &[Part<'_>], depth: u32) -> String {
        if fields.is_empty() {
            return String::new();
        }
        let is_tuple = fields.iter().all(|field| number(field.name).is_some());
        if depth >= DEPTH_MAX {
            return if is_tuple { "(..)".into() } else { " { .. }".into() };
        }
        let one = |field: &Part<'_>| {
            let shown = self.shown(&value.part(field), depth + 1);
            let shown = shown.unwrap_or_else(|unknown| format!("<{unknown}>"));
            if is_tuple { shown } else { format!("{}: {shown}", field.name) }
        };
        let all: Vec<String> = fields.iter().map(one).collect();
        if is_tuple {
            format!("({})", all.join(", "))
        } else {
            format!(" {{ {} }}", all.join(", "))
        }
    }

    fn list(&self, shown: &[Value], count: u32, depth: u32) -> String {
        let one = |value: &Value| {
            self.shown(value, depth + 1).unwrap_or_else(|unknown| format!("<{unknown}>"))
        };
        let all: Vec<String> = shown.iter().map(one).collect();
        let more = if count > SHOWN_MAX { format!(", .. {count} in all") } else { String::new() };
        format!("[{}{more}]", all.join(", "))
    }

    /// The number of a value's elements, and the number of its other parts.
    pub fn counts(&self, value: &Value) -> (u32, u32) {
        match self.view(value) {
            View::Array(_, count) => (count, 0),
            View::Slice(_, false) => (self.number(value, 4, 4).map_or(0, |count| count as u32), 0),
            View::Pointer(Some(target)) => {
                let size = self.types.size(self.types.resolved(target));
                (0, u32::from(size > 0))
            }
            View::Fields(fields) | View::Variant(_, fields) => (0, fields.len() as u32),
            _ => (0, 0),
        }
    }

    /// The elements of an array or a slice, from `start` on.
    pub fn elements(&self, value: &Value, start: u32, count: u32) -> Vec<Value> {
        let (total, _) = self.counts(value);
        let end = start.saturating_add(count).min(total);
        let of = |kind: Key| self.types.size(self.types.resolved(kind));
        match self.view(value) {
            View::Array(kind, _) => {
                let size = of(kind);
                let place = |index: u32| Part { name: "", offset: index.wrapping_mul(size), kind };
                (start..end).map(|index| value.part(&place(index))).collect()
            }
            View::Slice(kind, false) => {
                let Ok(address) = self.number(value, 0, 4) else { return Vec::new() };
                let (address, size) = (address as u32, of(kind));
                let place = |index: u32| address.wrapping_add(index.wrapping_mul(size));
                (start..end).map(|index| Value::at(place(index), kind)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The named parts of a value: fields, and what a pointer points to.
    pub fn parts(&self, value: &Value) -> Vec<(String, Value)> {
        match self.view(value) {
            View::Fields(fields) | View::Variant(_, fields) => {
                let name = |name: &str| number(name).unwrap_or(name).to_owned();
                let named = fields.iter().map(|field| (name(field.name), value.part(field)));
                named.collect()
            }
            View::Pointer(_) => {
                self.target(value).map(|to| ("*".to_owned(), to)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a pointer points to.
    pub fn target(&self, value: &Value) -> Option<Value> {
        let View::Pointer(Some(kind)) = self.view(value) else { return None };
        let address = self.number(value, 0, 4).ok()? as u32;
        (self.types.size(self.types.resolved(kind)) > 0).then(|| Value::at(address, kind))
    }
}

/// The number of a field without a name: `0` of `__0`.
fn number(field: &str) -> Option<&str> {
    let number = field.strip_prefix("__")?;
    number.parse::<u32>().is_ok().then_some(number)
}

/// A number as people write it: decimal, or with 0x, 0o or 0b, and with `_`.
pub fn parse_number(text: &str) -> Option<i128> {
    let text = text.trim().replace('_', "");
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, &*text),
    };
    let bases = [("0x", 16), ("0X", 16), ("0b", 2), ("0o", 8)];
    let based = bases.iter().find_map(|(prefix, base)| Some((digits.strip_prefix(prefix)?, *base)));
    let (digits, base) = based.unwrap_or((digits, 10));
    if !digits.starts_with(|first: char| first.is_digit(base)) {
        return None;
    }
    i128::from_str_radix(digits, base).ok()?.checked_mul(sign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::types::example;

    #[test]
    fn variants_show_their_names_and_arrays_their_elements() {
        let types = example::types(0x100);
        let read = |address: u32| {
            [(0x100, 1), (0x101, 2)]
                .into_iter()
                .find(|(at, _)| *at == address)
                .map(|(_, byte)| byte)
        };
        let shower = Shower { types: &types, read: &read };
        let machines = Value::at(0x100, 1);
        assert_eq!(shower.counts(&machines), (2, 0));
        let text = shower.text(&machines);
        assert_eq!(
            text,
            "[Machine { __kept: NeverKeeps, __state: Some(TurnsOn) }, \
             Machine { __kept: NeverKeeps, __state: None }]"
        );
        let second = &shower.elements(&machines, 1, 5)[..];
        assert_eq!(second.len(), 1, "there are no more");
        assert_eq!(shower.parts(&second[0])[1].0, "__state");
        let nowhere = Value::at(0x200, 3);
        assert_eq!(shower.text(&nowhere), "<optimised out>");
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, number) in [("12", Some(12)), ("-0x1_0", Some(-16)), ("0b101", Some(5))] {
            assert_eq!(parse_number(text), number);
        }
        for text in ["", "-", "0x", "x", "1 2", "--1", "0x-1"] {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }
}
