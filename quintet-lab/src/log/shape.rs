//! Checks that bytes are a defmt frame with the shape of its format string.
//!
//! The decoder trusts the lengths in the bytes. But the bytes may be anything: text of a program
//! that prints both, or memory that something has overwritten. So this check walks through the
//! frame first, with bounds on everything. Only a frame that has passed is decoded.

use defmt_parser::{DisplayHint, Fragment, Parameter, ParserMode, Type, get_max_bitfield_range};
use std::collections::BTreeMap;

/// Formats nested deeper than this are not believed.
const DEPTH_MAX: u32 = 32;

/// The bytes of all format strings that a frame may use, each counted as often as it is used.
const EXPANSION_MAX: usize = 1 << 22;

/// Numbers are not padded to more digits than this: `u128` has 128 of them and a prefix.
const PADDING_MAX: usize = 256;

/// The format strings of a firmware, by the index that stands for each in a frame.
#[derive(Debug, Default)]
pub struct Formats {
    /// For each format string, `true` if it is a message rather than a part of one.
    pub strings: BTreeMap<u16, (String, bool)>,
    /// The format string of the time in front of each message.
    pub timestamp: Option<String>,
}

/// Why bytes are no frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// They end too early.
    Short,
    /// They are something else.
    Other,
}

impl Formats {
    /// Returns how many of the bytes belong to the frame at their beginning.
    pub fn measure(&self, bytes: &[u8]) -> Result<usize, Flaw> {
        let mut walk = Walk { formats: self, rest: bytes, expansion: EXPANSION_MAX };
        let Some((message, true)) = self.strings.get(&walk.half()?) else {
            return Err(Flaw::Other);
        };
        if let Some(timestamp) = &self.timestamp {
            walk.format(timestamp, DEPTH_MAX)?;
        }
        walk.format(message, DEPTH_MAX)?;
        Ok(bytes.len() - walk.rest.len())
    }
}

struct Walk<'a> {
    formats: &'a Formats,
    rest: &'a [u8],
    expansion: usize,
}

impl<'a> Walk<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Flaw> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Flaw::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn half(&mut self) -> Result<u16, Flaw> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn word(&mut self) -> Result<u32, Flaw> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn spend(&mut self, cost: usize) -> Result<(), Flaw> {
        self.expansion = self.expansion.checked_sub(cost).ok_or(Flaw::Other)?;
        Ok(())
    }

    /// A length that the bytes themselves say.
    fn length(&mut self) -> Result<usize, Flaw> {
        usize::try_from(self.word()?).map_err(|_| Flaw::Other)
    }

    /// A format string by its index: a part of a message.
    fn part(&mut self) -> Result<&'a str, Flaw> {
        let index = self.half()?;
        match self.formats.strings.get(&index) {
            Some((string, false)) => Ok(string),
            _ => Err(Flaw::Other),
        }
    }

    /// Walks through the arguments of a format string, or of its next variant.
    fn format(&mut self, format: &str, depth: u32) -> Result<(), Flaw> {
        let depth = depth.checked_sub(1).ok_or(Flaw::Other)?;
        self.spend(1 + format.len())?;
        for kind in kinds(format)? {
            self.argument(&kind, depth)?;
        }
        Ok(())
    }

    fn variant(&mut self, format: &'a str) -> Result<&'a str, Flaw> {
        let bars = format.matches('|').count();
        if bars == 0 {
            return Ok(format);
        }
        // The search for the variant reads all of it.
        self.spend(format.len())?;
        let discriminant = match bars {
            0..=0xff => usize::from(self.take(1)?[0]),
            0x100..=0xffff => usize::from(self.half()?),
            _ => self.length()?,
        };
        format.split('|').nth(discriminant).ok_or(Flaw::Other)
    }

    fn nested(&mut self, depth: u32) -> Result<(), Flaw> {
        let format = self.part()?;
        let variant = self.variant(format)?;
        self.format(variant, depth)
    }

    fn elements(&mut self, count: usize, depth: u32) -> Result<(), Flaw> {
        let format = self.part()?;
        for _ in 0..count {
            let variant = self.variant(format)?;
            self.format(variant, depth)?;
        }
        Ok(())
    }

    fn argument(&mut self, kind: &Type, depth: u32) -> Result<(), Flaw> {
        if let Some(size) = fixed_size(kind) {
            return self.take(size).map(drop);
        }
        match kind {
            Type::Bool if self.take(1)?[0] > 1 => return Err(Flaw::Other),
            Type::Char => {
                char::from_u32(self.word()?).ok_or(Flaw::Other)?;
            }
            Type::Str => {
                let length = self.length()?;
                std::str::from_utf8(self.take(length)?).map_err(|_| Flaw::Other)?;
            }
            Type::IStr => drop(self.part()?),
            Type::U8Slice => {
                let length = self.length()?;
                self.take(length)?;
            }
            Type::U8Array(length) => drop(self.take(*length)?),
            Type::Debug | Type::Display => {
                let end = self.rest.iter().position(|byte| *byte == 0xff).ok_or(Flaw::Short)?;
                std::str::from_utf8(self.take(end)?).map_err(|_| Flaw::Other)?;
                self.take(1)?;
            }
            Type::Format => self.nested(depth)?,
            Type::FormatSlice => {
                let count = self.length()?;
                self.elements(count, depth)?;
            }
            Type::FormatArray(count) => self.elements(*count, depth)?,
            Type::FormatSequence => self.sequence(depth)?,
            _ => {}
        }
        Ok(())
    }

    /// Formats up to an index of 0.
    fn sequence(&mut self, depth: u32) -> Result<(), Flaw> {
        loop {
            let index = self.half()?;
            if index == 0 {
                return Ok(());
            }
            match self.formats.strings.get(&index) {
                Some((string, false)) => self.format(string, depth)?,
                _ => return Err(Flaw::Other),
            }
        }
    }
}

/// The bytes of a type that has always the same number of them.
fn fixed_size(kind: &Type) -> Option<usize> {
    Some(match kind {
        Type::I8 | Type::U8 => 1,
        Type::I16 | Type::U16 => 2,
        Type::I32 | Type::U32 | Type::Isize | Type::Usize | Type::F32 => 4,
        Type::I64 | Type::U64 | Type::F64 => 8,
        Type::I128 | Type::U128 => 16,
        // The bytes from the lowest bit's to the highest bit's. 2^n bytes are sent.
        Type::BitField(bits) => {
            let last = bits.end.checked_sub(1).filter(|last| *last >= bits.start)?;
            usize::from(last / 8 - bits.start / 8 + 1).next_power_of_two()
        }
        _ => return None,
    })
}

/// Returns the types of a format string's arguments, in the order in which they are sent.
fn kinds(format: &str) -> Result<Vec<Type>, Flaw> {
    let fragments = defmt_parser::parse(format, ParserMode::ForwardsCompatible);
    let parameter = |fragment| match fragment {
        Fragment::Parameter(parameter) => Some(parameter),
        Fragment::Literal(_) => None,
    };
    let parameters = fragments.map_err(|_| Flaw::Other)?.into_iter().filter_map(parameter);
    // An argument that is used several times is sent once.
    let mut by_index: BTreeMap<usize, Vec<Parameter>> = BTreeMap::new();
    for parameter in parameters {
        if padding(&parameter) > PADDING_MAX {
            return Err(Flaw::Other);
        }
        by_index.entry(parameter.index).or_default().push(parameter);
    }
    let kind = |uses: Vec<Parameter>| {
        let bits = |use_: &&Parameter| matches!(use_.ty, Type::BitField(_));
        // For one argument: the bits between the lowest and the highest that are used.
        match get_max_bitfield_range(uses.iter().filter(bits)) {
            Some((low, high)) if low < high && high <= 128 => Ok(Type::BitField(low..high)),
            Some(_) => Err(Flaw::Other),
            None => uses.into_iter().next().map(|first| first.ty).ok_or(Flaw::Other),
        }
    };
    by_index.into_values().map(kind).collect()
}

/// To how many digits an argument's numbers are padded.
fn padding(parameter: &Parameter) -> usize {
    match parameter.hint {
        Some(
            DisplayHint::NoHint { zero_pad }
            | DisplayHint::Hexadecimal { zero_pad, .. }
            | DisplayHint::Octal { zero_pad, .. }
            | DisplayHint::Binary { zero_pad, .. },
        ) => zero_pad,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages from 1 on, parts from 100 on.
    fn formats(messages: &[&str], parts: &[&str]) -> Formats {
        let numbered = |first: u16, strings: &[&str], message: bool| -> Vec<_> {
            let all = strings.iter().zip(first..);
            all.map(|(string, index)| (index, ((*string).to_owned(), message))).collect()
        };
        let mut strings = BTreeMap::new();
        strings.extend(numbered(1, messages, true));
        strings.extend(numbered(100, parts, false));
        Formats { strings, timestamp: None }
    }

    fn measure(message: &str, parts: &[&str], arguments: &[u8]) -> Result<usize, Flaw> {
        let frame: Vec<u8> = [1, 0].iter().chain(arguments).copied().collect();
        formats(&[message], parts).measure(&frame).map(|length| length - 2)
    }

    #[test]
    fn arguments_have_the_sizes_of_their_types() {
        assert_eq!(measure("nothing", &[], &[9, 9]), Ok(0));
        assert_eq!(measure("{=u8} {=i16} {=u32} {=f64}", &[], &[0; 20]), Ok(15));
        assert_eq!(measure("{=u32}", &[], &[0; 3]), Err(Flaw::Short));
        assert_eq!(measure("{=bool}", &[], &[2]), Err(Flaw::Other));
        assert_eq!(measure("{=str}", &[], &[2, 0, 0, 0, b'o', b'k', 7]), Ok(6));
        assert_eq!(measure("{=str}", &[], &[1, 0, 0, 0, 0xff]), Err(Flaw::Other));
        assert_eq!(measure("{=char}", &[], &[0xff; 4]), Err(Flaw::Other));
        assert_eq!(measure("{=[u8; 3]}", &[], &[1, 2, 3, 4]), Ok(3));
        assert_eq!(measure("{=__internal_Display}", &[], &[b'a', 0xff]), Ok(2));
    }

    #[test]
    fn an_argument_used_twice_is_there_once() {
        assert_eq!(measure("{0=u8} {0=u8} {1=u16}", &[], &[0; 9]), Ok(3));
        assert_eq!(measure("{0=0..3} {0=20..23}", &[], &[0; 9]), Ok(4), "three bytes become four");
    }

    #[test]
    fn parts_are_followed() {
        assert_eq!(measure("{=?}", &["{=u16}"], &[100, 0, 1, 2, 3]), Ok(4));
        assert_eq!(measure("{=?}", &["A|B({=u8})|C"], &[100, 0, 1, 7, 9]), Ok(4));
        assert_eq!(measure("{=?}", &["A|B"], &[100, 0, 2]), Err(Flaw::Other));
        assert_eq!(measure("{=?}", &[], &[100, 0]), Err(Flaw::Other), "no such part");
        assert_eq!(measure("{=[?]}", &["{=u8}"], &[2, 0, 0, 0, 100, 0, 5, 6, 7]), Ok(8));
        let sequence = [100, 0, 5, 101, 0, 0, 0, 9];
        assert_eq!(measure("{=__internal_FormatSequence}", &["{=u8}", "x"], &sequence), Ok(7));
    }

    #[test]
    fn lengths_that_nothing_backs_are_refused() {
        let many = [0xff, 0xff, 0xff, 0xff, 100, 0];
        assert_eq!(measure("{=[?]}", &["nothing"], &many), Err(Flaw::Other));
        assert_eq!(measure("{=[u8]}", &[], &[0xff; 9]), Err(Flaw::Short));
        assert_eq!(measure("{=[?; 4000000000]}", &["x"], &[100, 0]), Err(Flaw::Other));
        let nested = [100_u8, 0].repeat(30_000);
        assert_eq!(measure("{=?}", &["{=?}"], &nested), Err(Flaw::Other), "too deep");
    }

    #[test]
    fn few_bytes_do_not_become_many() {
        assert_eq!(measure("{=u128:#0130b}", &[], &[0; 16]), Ok(16));
        for wide in ["{=u8:065535}", "{=u8:#0300x}", "{=u8:0300b}", "{=u8:0300o}"] {
            assert_eq!(measure(wide, &[], &[0]), Err(Flaw::Other), "{wide}");
        }
        let variants = format!("A{}", "|B".repeat(100));
        let elements = |count: u32| {
            let zeros = vec![0; usize::try_from(count).unwrap()];
            [&count.to_le_bytes()[..], &[100, 0], &zeros].concat()
        };
        assert_eq!(measure("{=[?]}", &[&variants], &elements(10_000)), Ok(10_006));
        assert_eq!(measure("{=[?]}", &[&variants], &elements(30_000)), Err(Flaw::Other));
    }

    #[test]
    fn the_time_stands_before_the_message() {
        let mut formats = formats(&["m"], &[]);
        formats.timestamp = Some("{=u32:us}".into());
        assert_eq!(formats.measure(&[1, 0, 0, 0, 0, 0]), Ok(6));
        assert_eq!(formats.measure(&[1, 0, 0, 0]), Err(Flaw::Short));
        assert_eq!(formats.measure(&[3, 0, 0, 0, 0, 0]), Err(Flaw::Other));
    }
}
