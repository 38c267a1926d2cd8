//! UF2: blocks of 512 bytes, each of which says where its bytes are loaded (Microsoft, USB Flashing
//! Format).
//!
//! ```text
//!    0  "UF2\n"    4  9e5d5157    8  flags         12  where to load
//!   16  how many bytes, up to 476   20  number of the block    24  how many blocks
//!   28  family, if a flag says so   32  the bytes             508  0ab16f30
//! ```

use super::format::{Choice, choose};
use super::pieces::Pieces;
use super::{Format, Image, ImageError, Target};
use std::collections::{BTreeMap, BTreeSet};

/// The first four bytes of every block.
pub(super) const MAGIC: &[u8] = b"UF2\n";
/// The second four.
const MAGIC_2: u32 = 0x9e5d_5157;
/// The last four.
const MAGIC_END: u32 = 0x0ab1_6f30;

const BLOCK: usize = 512;
const HEADER: usize = 32;
const DATA_MAX: u32 = 476;

/// Flags: not for the main flash, a file in a container, a family is named.
const NOT_MAIN: u32 = 1;
const FILE: u32 = 0x1000;
const HAS_FAMILY: u32 = 0x2000;

/// A block's header.
struct Header {
    flags: u32,
    address: u32,
    length: u32,
    number: u32,
    count: u32,
    family: Option<u32>,
}

/// The blocks of one family, by their numbers.
struct Family {
    count: u32,
    numbers: BTreeSet<u32>,
}

/// Reads a file in this format.
pub(super) fn parse(bytes: &[u8], target: &Target) -> Result<Image, ImageError> {
    let mut pieces = Pieces::new(Format::Uf2);
    let mut families: BTreeMap<Option<u32>, Family> = BTreeMap::new();
    for (index, block) in bytes.chunks(BLOCK).enumerate() {
        let at = index * BLOCK;
        let header = header(block).map_err(|what| pieces.damaged(at, what))?;
        let family = families.entry(header.family).or_insert_with(|| Family::new(header.count));
        family.add(&header).map_err(|what| pieces.damaged(at, what))?;
        if header.flags & (NOT_MAIN | FILE) == 0 {
            let data = &block[HEADER..HEADER + header.length as usize];
            pieces.add(header.address, data, at, header.family)?;
        }
    }
    let held: Vec<Option<u32>> = pieces.owners().collect();
    let choice =
        Choice { format: Format::Uf2, what: "families", field: "uf2_families", name: &name };
    let chosen = choose(&held, &target.uf2_families, &choice)?;
    if let Some(family) = families.get(&chosen) {
        let last = bytes.len().saturating_sub(1) / BLOCK * BLOCK;
        family.check().map_err(|what| pieces.damaged(last, what))?;
    }
    pieces.image(chosen, None)
}

fn header(block: &[u8]) -> Result<Header, String> {
    if block.len() < BLOCK {
        return Err(format!("it is cut off: it has {} of 512 bytes", block.len()));
    }
    let word = |at: usize| {
        let bytes = block.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        u32::from_le_bytes(bytes.unwrap_or_default())
    };
    for (at, right) in [(0, u32::from_le_bytes(*b"UF2\n")), (4, MAGIC_2), (508, MAGIC_END)] {
        if word(at) != right {
            let found = word(at);
            return Err(format!("it is no block of UF2: it has {found:#010x}, not {right:#010x}"));
        }
    }
    let (flags, length) = (word(8), word(16));
    if length > DATA_MAX {
        return Err(format!("it announces {length} bytes of data, and a block holds {DATA_MAX}"));
    }
    let family = (flags & HAS_FAMILY != 0).then(|| word(28));
    Ok(Header { flags, address: word(12), length, number: word(20), count: word(24), family })
}

impl Family {
    fn new(count: u32) -> Self {
        Self { count, numbers: BTreeSet::new() }
    }

    fn add(&mut self, header: &Header) -> Result<(), String> {
        let Header { number, count, .. } = *header;
        if count != self.count {
            let first = self.count;
            return Err(format!("it says that there are {count} blocks, the first says {first}"));
        }
        if number >= count {
            return Err(format!("its number is {number}, and there are {count} blocks from 0 on"));
        }
        if !self.numbers.insert(number) {
            return Err(format!("it is block {number}, which has come before"));
        }
        Ok(())
    }

    /// Checks that all blocks are there.
    fn check(&self) -> Result<(), String> {
        let (has, count) = (self.numbers.len(), self.count);
        if has == count as usize {
            return Ok(());
        }
        let missing = (0..count).find(|number| !self.numbers.contains(number)).unwrap_or(0);
        Err(format!(
            "the file ends behind it with {has} of {count} blocks; block {missing} is missing"
        ))
    }
}

/// The name of some families, for messages.
fn name(family: u32) -> Option<&'static str> {
    Some(match family {
        0xe48b_ff56 => "RP2040",
        0xe48b_ff57 => "any, at absolute addresses",
        0xe48b_ff59 => "RP2350",
        0x5ee2_1072 => "STM32F1",
        0x6478_24b6 => "STM32F0",
        0x5775_5a57 => "STM32F4",
        0x68ed_2b88 => "SAMD21",
        0x5511_4460 => "SAMD51",
        0x1b57_745f => "nRF52",
        0xada5_2840 => "nRF52840",
        _ => return None,
    })
}
