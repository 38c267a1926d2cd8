//! The entries of a script that change memory: where, and what.

use std::sync::Arc;

use serde::Deserialize;

use super::{Names, Refusal};
use crate::board::Parts as Board;
use crate::image::MemoryRange;

/// The size of what an address without a name means: a word.
const WORD: u32 = 4;

/// The most bits of something that one number describes.
const NUMBER_BITS: u32 = 64;

/// A place in memory, as people write it.
#[derive(Deserialize, Clone, Debug)]
#[serde(untagged, expecting = "expected an address, as 0x2000_0100, or the name of a variable")]
pub enum Target {
    /// An address.
    Address(u32),
    /// A variable, or an address as a text.
    Name(String),
}

/// What is written, as people write it.
#[derive(Deserialize, Clone, Debug)]
#[serde(untagged, expecting = "expected a number, or a list of bytes, 0 to 255")]
pub enum Value {
    /// A number.
    Number(i64),
    /// Bytes.
    List(Vec<u8>),
}

impl Target {
    /// Returns the place as people write it.
    pub fn text(&self) -> String {
        match self {
            Self::Address(address) => format!("{address:#010x}"),
            Self::Name(name) => name.clone(),
        }
    }

    /// Returns the address and the size, which lie in a memory of the board.
    pub fn find(
        &self,
        field: &'static str,
        board: Board<'_>,
        names: &dyn Names,
    ) -> Result<(u32, u32), Refusal> {
        let refused = |problem| (field, problem);
        let (address, size) = match self {
            Self::Address(address) => (*address, WORD),
            Self::Name(name) => match parse_address(name) {
                Some(address) => (address, WORD),
                None => names.variable(name).map_err(refused)?,
            },
        };
        check((field, address), 1, board)?;
        Ok((address, size))
    }
}

impl Value {
    /// Returns the bytes of something with this size.
    pub fn bytes(&self, size: u32) -> Result<Arc<[u8]>, Refusal> {
        let refused = |problem: String| Err(("value", problem));
        match self {
            Self::List(bytes) if bytes.is_empty() => refused("a list of no bytes".to_owned()),
            Self::List(bytes) => Ok(bytes.as_slice().into()),
            Self::Number(_) if !matches!(size, 1 | 2 | 4 | 8) => refused(format!(
                "a number is for a variable of 1, 2, 4 or 8 bytes, and this one has {size}: give \
                 a list of bytes"
            )),
            Self::Number(number) => {
                let bytes = number.to_le_bytes();
                let size = size as usize;
                // What is cut off is the sign of a negative number, or 0.
                let is_cut = |sign: u8| bytes[size..].iter().any(|byte| *byte != sign);
                let fits = !is_cut(0) || !is_cut(0xff) && (bytes[size - 1] & 0x80) != 0;
                if !fits {
                    return refused(format!("{number} doesn't fit into {size} bytes"));
                }
                Ok(bytes[..size].into())
            }
        }
    }
}

/// Returns the bit of something with this size.
pub fn bit(bit: Option<u32>, size: u32) -> Result<u32, Refusal> {
    let bits = size.saturating_mul(8).min(NUMBER_BITS);
    match bit {
        None => Err(("bit", format!("a flip needs a bit, 0 to {}", bits.saturating_sub(1)))),
        Some(bit) if bit >= bits => {
            Err(("bit", format!("is {bit}; the bits are 0 to {}", bits.saturating_sub(1))))
        }
        Some(bit) => Ok(bit),
    }
}

/// Refuses bytes that no memory of the board has.
pub fn check(
    (field, address): (&'static str, u32),
    length: usize,
    board: Board<'_>,
) -> Result<(), Refusal> {
    let ranges = board.memory_ranges();
    let end = u64::from(address) + length as u64;
    let end_of = |range: &MemoryRange| u64::from(range.start) + u64::from(range.size);
    if ranges.iter().any(|range| range.start <= address && end <= end_of(range)) {
        return Ok(());
    }
    let named = |range: &MemoryRange| {
        format!("{} at {:#010x}..{:#010x}", range.name, range.start, end_of(range))
    };
    let known: Vec<_> = ranges.iter().map(named).collect();
    let problem = format!(
        "{address:#010x} is in no memory of {}; there are {}",
        board.name,
        known.join(", ")
    );
    Err((field, problem))
}

/// An address as a text: `0x2000_0100`, `420`.
pub fn parse_address(text: &str) -> Option<u32> {
    let clean = text.replace('_', "");
    match clean.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => clean.parse().ok(),
    }
}
