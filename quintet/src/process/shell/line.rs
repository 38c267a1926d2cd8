//! A line that comes by bytes: with room for so many, and none made up.

use ::core::cell::Cell;
use ::core::str;

/// How many bytes a line has room for.
pub const LINE_MAX: usize = 64;

/// A line, as far as it has come.
#[derive(Debug)]
pub struct Line {
    bytes: [Cell<u8>; LINE_MAX],
    /// How many have come, also those without room.
    count: Cell<usize>,
    /// The byte before was a carriage return: a line feed behind it ends nothing.
    returned: Cell<bool>,
}

/// Why a line can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It was longer than there is room.
    TooLong,
    /// Its bytes are no text.
    NoText,
}

impl Line {
    /// Nothing has come.
    pub const fn new() -> Self {
        Self {
            bytes: [const { Cell::new(0) }; LINE_MAX],
            count: Cell::new(0),
            returned: Cell::new(false),
        }
    }

    /// A byte has come. Whether that is the end of a line, by a carriage return, a line feed, or
    /// both. Backspace and delete take the last byte back; other control characters are passed
    /// over.
    pub fn push(&self, byte: u8) -> bool {
        let returned = self.returned.replace(byte == b'\r');
        let count = self.count.get();
        match byte {
            b'\r' => return true,
            b'\n' => return !returned,
            0x08 | 0x7f => self.count.set(count.saturating_sub(1)),
            0..0x20 => (),
            _ => {
                if let Some(place) = self.bytes.get(count) {
                    place.set(byte);
                }
                self.count.set(count.saturating_add(1));
            }
        }
        false
    }

    /// How many bytes have come, also those without room.
    pub const fn count(&self) -> usize {
        self.count.get()
    }

    /// One of the bytes that have come.
    pub const fn byte(&self, index: usize) -> u8 {
        self.bytes[index].get()
    }

    /// Begins the next one.
    pub fn clear(&self) {
        self.count.set(0);
    }
}

/// A line of so many bytes, of which these are those with room.
pub fn text(bytes: &[u8; LINE_MAX], count: usize) -> Result<&str, Unreadable> {
    let bytes = bytes.get(..count).ok_or(Unreadable::TooLong)?;
    str::from_utf8(bytes).map_err(|_| Unreadable::NoText)
}

#[cfg(test)]
mod tests {
    use super::{LINE_MAX, Line, Unreadable, text};

    fn lines(bytes: &[u8]) -> Vec<Result<String, Unreadable>> {
        let (line, mut all) = (Line::new(), vec![]);
        for byte in bytes {
            if line.push(*byte) {
                let bytes = std::array::from_fn(|index| line.byte(index));
                all.push(text(&bytes, line.count()).map(ToOwned::to_owned));
                line.clear();
            }
        }
        all
    }

    #[test]
    fn lines_end_by_each_of_the_three_ends_once() {
        let texts: Vec<_> = lines(b"a\rb\nc\r\n\nd").into_iter().map(Result::unwrap).collect();
        assert_eq!(texts, ["a", "b", "c", ""]);
    }

    #[test]
    fn bytes_are_taken_back_as_far_as_there_are_any() {
        assert_eq!(lines(b"\x08ax\x08b\x7f\x7f\x7fc\x1b\t\n"), [Ok("c".into())]);
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_as_a_whole_and_the_next_one_is_read() {
        let mut bytes = vec![b'x'; LINE_MAX];
        bytes.extend(b"\n");
        assert_eq!(lines(&bytes), [Ok("x".repeat(LINE_MAX))]);
        bytes.insert(0, b'y');
        bytes.extend(b"list\n");
        assert_eq!(lines(&bytes), [Err(Unreadable::TooLong), Ok("list".into())]);
        assert_eq!(lines(b"\xff\xfe\n"), [Err(Unreadable::NoText)]);
    }
}
