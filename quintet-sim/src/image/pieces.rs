//! The pieces from which files of records make an image.
//!
//! All bytes are in one vector, so that memory is in proportion to the file's size, however many
//! records the file has. A byte that is given twice is an error, because the file doesn't say which
//! value is right.

use super::{Format, Image, ImageError, Segment};
use std::collections::BTreeSet;

/// Pieces, in the order of the file.
pub(super) struct Pieces {
    format: Format,
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
    owners: BTreeSet<Option<u32>>,
}

struct Piece {
    /// Where the piece is loaded.
    address: u32,
    /// Where the piece's bytes begin, and their number, at least one.
    start: usize,
    length: usize,
    /// The line, or the offset, of the piece's record.
    place: usize,
    /// The board of the piece, in a file for several boards.
    owner: Option<u32>,
}

impl Piece {
    fn end(&self) -> u64 {
        u64::from(self.address) + self.length as u64
    }
}

impl Pieces {
    pub fn new(format: Format) -> Self {
        Self { format, bytes: Vec::new(), pieces: Vec::new(), owners: BTreeSet::new() }
    }

    /// Adds the bytes of the record at `place`.
    pub fn add(
        &mut self,
        address: u32,
        bytes: &[u8],
        place: usize,
        owner: Option<u32>,
    ) -> Result<(), ImageError> {
        if u64::from(address) + bytes.len() as u64 > 1 << 32 {
            let what = format!("{} bytes at {address:#010x} reach beyond 0xffffffff", bytes.len());
            return Err(self.damaged(place, what));
        }
        if !bytes.is_empty() {
            let (start, length) = (self.bytes.len(), bytes.len());
            self.bytes.extend(bytes);
            self.owners.insert(owner);
            self.pieces.push(Piece { address, start, length, place, owner });
        }
        Ok(())
    }

    /// Returns the owners of pieces, sorted. First comes `None`, if pieces for all boards exist.
    pub fn owners(&self) -> impl Iterator<Item = Option<u32>> {
        self.owners.iter().copied()
    }

    /// Returns the error at a place.
    pub fn damaged(&self, place: usize, what: impl Into<String>) -> ImageError {
        ImageError::Record { format: self.format, place, what: what.into() }
    }

    /// Returns the image of the pieces that belong to `owner` or to nobody.
    pub fn image(mut self, owner: Option<u32>, entry: Option<u32>) -> Result<Image, ImageError> {
        self.pieces.retain(|piece| piece.owner.is_none() || piece.owner == owner);
        self.pieces.sort_by_key(|piece| piece.address);
        for pair in self.pieces.windows(2) {
            if pair[0].end() > u64::from(pair[1].address) {
                return Err(self.twice(&pair[0], &pair[1]));
            }
        }
        let mut segments: Vec<Segment> = Vec::new();
        for piece in &self.pieces {
            let bytes = &self.bytes[piece.start..piece.start + piece.length];
            match segments.last_mut() {
                Some(last)
                    if u64::from(last.address) + last.bytes.len() as u64
                        == u64::from(piece.address) =>
                {
                    last.bytes.extend(bytes);
                }
                _ => segments.push(Segment {
                    index: segments.len(),
                    load_address: piece.address,
                    address: piece.address,
                    bytes: bytes.to_vec(),
                    memory_size: 0,
                }),
            }
        }
        for segment in &mut segments {
            segment.memory_size = u32::try_from(segment.bytes.len()).unwrap_or(u32::MAX);
        }
        if segments.is_empty() {
            return Err(ImageError::Nothing { format: self.format });
        }
        let entry = entry.map(|entry| entry & !1).filter(|&entry| entry != 0);
        Ok(Image { format: self.format, segments, entry, ..Image::default() })
    }

    fn twice(&self, one: &Piece, other: &Piece) -> ImageError {
        let (first, second) = if one.place < other.place { (one, other) } else { (other, one) };
        let last = one.end().min(other.end()) - 1;
        let what = format!(
            "it gives {:#010x} to {last:#010x} a second time, after {}",
            other.address,
            self.format.place(first.place)
        );
        self.damaged(second.place, what)
    }
}

impl Format {
    /// A place in a file of this format: of texts a line, else a byte.
    pub(super) fn place(self, place: usize) -> String {
        match self {
            Self::IntelHex | Self::SRecord => format!("line {place}"),
            _ => format!("the block at byte {place:#x}"),
        }
    }
}

/// The bytes that a line of hexadecimal digits stands for.
pub(super) fn digits(text: &[u8]) -> Result<Vec<u8>, String> {
    if let Some(other) = text.iter().find(|digit| !digit.is_ascii_hexdigit()) {
        return Err(format!("'{}' is no hexadecimal digit", other.escape_ascii()));
    }
    if !text.len().is_multiple_of(2) {
        return Err(format!("{} digits are no whole number of bytes", text.len()));
    }
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
    Ok(text.chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect())
}

/// The lines that aren't empty, without spaces around them, with their numbers from 1.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let text = without_marks(bytes);
    // Files of old Macintosh programs have CR alone. Behind a CR, an LF ends nothing.
    let end = if text.contains(&b'\n') { b'\n' } else { b'\r' };
    let lines = text.split(move |&byte| byte == end).map(<[u8]>::trim_ascii);
    lines.enumerate().map(|(index, line)| (index + 1, line)).filter(|(_, line)| !line.is_empty())
}

/// The text without what other systems put around it: the byte-order mark of UTF-8 in front, and
/// behind it the end-of-file mark of CP/M and DOS, ^Z, with what follows.
pub(super) fn without_marks(bytes: &[u8]) -> &[u8] {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    const END_OF_FILE: u8 = 0x1a;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let end = text.iter().position(|byte| *byte == END_OF_FILE).unwrap_or(text.len());
    &text[..end]
}
