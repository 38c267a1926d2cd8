//! Motorola S-record: a text of records, each with a length, an address, data and a checksum.
//!
//! ```text
//!  S T LL AA.. DD.. CC       LL bytes behind it; CC: all bits of their sum inverted
//!
//!  S0 header                 S5, S6 how many records of data there were
//!  S1, S2, S3 data           S7, S8, S9 end, with the start; 32, 24, 16 bits of address
//!     16, 24, 32 bits        S4 is reserved
//! ```

use super::pieces::{Pieces, digits, lines};
use super::{Format, Image, ImageError};

/// Reads a file in this format.
pub(super) fn parse(bytes: &[u8]) -> Result<Image, ImageError> {
    let mut reader =
        Reader { pieces: Pieces::new(Format::SRecord), records: 0, entry: None, end: None };
    let mut last = 0;
    for (line, text) in lines(bytes) {
        let taken = reader.take(text, line);
        taken.map_err(|what| reader.pieces.damaged(line, what))?;
        last = line;
    }
    if reader.end.is_none() {
        let what = "the file ends here, without the record S7, S8 or S9 that ends it";
        return Err(reader.pieces.damaged(last, what));
    }
    reader.pieces.image(None, reader.entry)
}

struct Reader {
    pieces: Pieces,
    /// The number of records with data.
    records: u32,
    entry: Option<u32>,
    /// The line of the record that ends the file.
    end: Option<usize>,
}

impl Reader {
    fn take(&mut self, text: &[u8], line: usize) -> Result<(), String> {
        let [b'S', kind @ b'0'..=b'9', rest @ ..] = text else {
            return Err("it doesn't begin with S0 to S9".into());
        };
        if let Some(end) = self.end {
            return Err(format!("it stands behind the record of line {end}, which ends the file"));
        }
        let bytes = digits(rest)?;
        let address_bytes = match kind {
            b'2' | b'6' | b'8' => 3,
            b'3' | b'7' => 4,
            b'4' => return Err("S4 is reserved and means nothing".into()),
            _ => 2,
        };
        let content = content(&bytes)?;
        if content.len() < address_bytes {
            let kind = char::from(*kind);
            return Err(format!("S{kind} has {address_bytes} bytes of address, and it is shorter"));
        }
        if *kind > b'3' && content.len() > address_bytes {
            let kind = char::from(*kind);
            return Err(format!("S{kind} has an address or a count and no data"));
        }
        let (address, data) = content.split_at(address_bytes);
        let address = address.iter().fold(0, |address, byte| address << 8 | u32::from(*byte));
        match kind {
            b'1'..=b'3' => {
                self.records = self.records.saturating_add(1);
                let added = self.pieces.add(address, data, line, None);
                added.map_err(|error| match error {
                    ImageError::Record { what, .. } => what,
                    other => other.to_string(),
                })?;
            }
            b'5' | b'6' if address != self.records => {
                let found = self.records;
                return Err(format!("it counts {address} records of data, there are {found}"));
            }
            b'7'..=b'9' => (self.entry, self.end) = (Some(address), Some(line)),
            _ => {}
        }
        Ok(())
    }
}

/// Returns the part of a record between its length and its checksum, and checks both.
fn content(bytes: &[u8]) -> Result<&[u8], String> {
    let [length, content @ .., checksum] = bytes else {
        return Err("it is cut off: a record has at least 10 characters".into());
    };
    if usize::from(*length) != content.len() + 1 {
        let has = content.len() + 1;
        return Err(format!("it announces {length} bytes behind its length and has {has}"));
    }
    let sum = content.iter().fold(*length, |sum, byte| sum.wrapping_add(*byte));
    if *checksum != !sum {
        return Err(format!("its checksum is {checksum:02X}, its bytes give {:02X}", !sum));
    }
    Ok(content)
}
