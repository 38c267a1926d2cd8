//! Intel HEX: a text of records, each with a length, 16 bits of address, a type, data and a
//! checksum (Intel, Hexadecimal Object File Format Specification, revision A).
//!
//! ```text
//!  : LL AAAA TT DD.. CC      LL bytes of data, AAAA address, TT type, CC checksum
//!
//!  00 data                   04 bits 31 to 16 of what follows   0a begin of a board's block
//!  01 end of the file        05 start, 32 bits                  0b end of it
//!  02 segment of what follows                                   0c padding, ignored
//!  03 start, CS:IP                                              0d data of the block's board
//!                                                               0e other data, ignored
//! ```
//!
//! Types 0a to 0e are those of the universal hex of micro:bit (its specification, 0.4.0): one file
//! with a block for each version of the board.

use super::format::{Choice, choose};
use super::pieces::{Pieces, digits, lines};
use super::{Format, Image, ImageError, Target};

/// The base of a record's addresses, which have 16 bits.
#[derive(Clone, Copy)]
enum Base {
    /// Added to the record's address. Addresses beyond the end of the 64 KiB go on.
    Linear(u32),
    /// A segment: addresses wrap around within the segment.
    Segment(u32),
}

/// A record with a correct checksum.
struct Record<'a> {
    offset: u16,
    kind: u8,
    data: &'a [u8],
}

struct Reader {
    pieces: Pieces,
    base: Base,
    entry: Option<u32>,
    /// The board of the block that the records are in.
    block: Option<u16>,
    /// The line of the end-of-file record.
    end: Option<usize>,
}

/// Reads a file in this format.
pub(super) fn parse(bytes: &[u8], target: &Target) -> Result<Image, ImageError> {
    let mut reader = Reader {
        pieces: Pieces::new(Format::IntelHex),
        base: Base::Linear(0),
        entry: None,
        block: None,
        end: None,
    };
    let mut last = 0;
    for (line, text) in lines(bytes) {
        let whole = without_padding(text)
            .strip_prefix(b":")
            .ok_or_else(|| "it doesn't begin with ':'".into());
        let taken = whole.and_then(digits).and_then(|bytes| reader.take(&record(&bytes)?, line));
        taken.map_err(|what| reader.pieces.damaged(line, what))?;
        last = line;
    }
    if reader.end.is_none() {
        let what = "the file ends here, without the end-of-file record :00000001FF";
        return Err(reader.pieces.damaged(last, what));
    }
    reader.image(target)
}

/// Removes the digits F before the checksum of the record that ends a block. The specification of
/// universal hex fills blocks with them in its example, and doesn't count them.
fn without_padding(text: &[u8]) -> &[u8] {
    let padding = text.strip_prefix(b":0000000B").and_then(|rest| rest.strip_suffix(b"F5"));
    let is_padded = padding.is_some_and(|digits| digits.iter().all(|digit| *digit == b'F'));
    if is_padded { b":0000000BF5" } else { text }
}

/// Takes a record apart.
fn record(bytes: &[u8]) -> Result<Record<'_>, String> {
    let [length, high, low, kind, rest @ ..] = bytes else {
        return Err("it is cut off: a record has at least 10 digits".into());
    };
    if rest.len() != usize::from(*length) + 1 {
        let found = rest.len().saturating_sub(1);
        return Err(format!("it announces {length} bytes of data and has {found}"));
    }
    let (data, checksum) = rest.split_at(rest.len() - 1);
    let sum = bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
    if sum != 0 {
        let right = checksum[0].wrapping_sub(sum);
        return Err(format!("its checksum is {:02X}, its bytes give {right:02X}", checksum[0]));
    }
    Ok(Record { offset: u16::from_be_bytes([*high, *low]), kind: *kind, data })
}

impl Reader {
    fn take(&mut self, record: &Record<'_>, line: usize) -> Result<(), String> {
        if let Some(end) = self.end {
            return Err(format!("it stands behind the end-of-file record of line {end}"));
        }
        let word = |length| {
            let (kind, has) = (record.kind, record.data.len());
            if has != length {
                return Err(format!(
                    "a record of type {kind:02X} has {length} bytes of data, not {has}"
                ));
            }
            Ok(record.data.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)))
        };
        match record.kind {
            0x00 | 0x0d => self.place(record, line)?,
            0x01 => {
                word(0)?;
                self.end = Some(line);
                if let Some(board) = self.block {
                    return Err(format!("the block of board {board:#x} isn't ended by then"));
                }
            }
            0x02 => self.base = Base::Segment(word(2)? << 4),
            0x03 => {
                let start = word(4)?;
                self.entry = Some(((start >> 16) << 4) + (start & 0xffff));
            }
            0x04 => self.base = Base::Linear(word(2)? << 16),
            0x05 => self.entry = Some(word(4)?),
            0x0a => self.begin(record.data)?,
            0x0b => {
                let ended = self.block.take();
                ended.ok_or("it ends a board's block where none has begun")?;
            }
            0x0c | 0x0e => {}
            other => return Err(format!("Intel HEX has no record type {other:02X}")),
        }
        Ok(())
    }

    fn begin(&mut self, data: &[u8]) -> Result<(), String> {
        if let Some(board) = self.block {
            return Err(format!("it begins a block in the block of board {board:#x}"));
        }
        let [high, low, ..] = data else {
            return Err("it begins a block and doesn't say of which board".into());
        };
        let board = u16::from_be_bytes([*high, *low]);
        self.block = Some(board);
        Ok(())
    }

    fn place(&mut self, record: &Record<'_>, line: usize) -> Result<(), String> {
        if record.kind == 0x0d && self.block.is_none() {
            return Err("it is data of a board's block, and no block has begun".into());
        }
        let owner = self.block.map(u32::from);
        let mut add = |address: u32, data: &[u8]| {
            self.pieces.add(address, data, line, owner).map_err(|error| match error {
                ImageError::Record { what, .. } => what,
                other => other.to_string(),
            })
        };
        match self.base {
            Base::Linear(base) => add(base + u32::from(record.offset), record.data),
            Base::Segment(base) => {
                let room = 0x1_0000 - usize::from(record.offset);
                let (here, around) = record.data.split_at(room.min(record.data.len()));
                add(base + u32::from(record.offset), here)?;
                add(base, around)
            }
        }
    }

    fn image(self, target: &Target) -> Result<Image, ImageError> {
        // Records outside of blocks are for all boards.
        let boards = self.pieces.owners().flatten().map(|board| board as u16);
        let mut held: Vec<Option<u16>> = boards.map(Some).collect();
        if held.is_empty() {
            held.push(None);
        }
        let choice = Choice {
            format: Format::IntelHex,
            what: "boards",
            field: "universal_hex",
            name: &|board| match board {
                0x9900 | 0x9901 => Some("micro:bit V1"),
                0x9903..=0x9906 => Some("micro:bit V2"),
                _ => None,
            },
        };
        let board = choose(&held, &target.universal_hex, &choice)?;
        self.pieces.image(board.map(u32::from), self.entry)
    }
}
