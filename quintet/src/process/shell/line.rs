//! A line that arrives byte by byte, with limited room.

use ::core::cell::Cell;
use ::core::str;

/// The largest number of bytes in a line.
pub const LINE_MAX: usize = 64;

/// The present line, as far as it has arrived.
#[derive(Debug)]
pub struct Line {
    bytes: [Cell<u8>; LINE_MAX],
    /// The number of bytes so far, including bytes without room.
    count: Cell<usize>,
    /// `true` if the last byte was a carriage return: a line feed behind it doesn't end another
    /// line.
    returned: Cell<bool>,
}

/// The reason why a line can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The line is longer than the room.
    TooLong,
    /// The bytes of the line are no text.
    NoText,
    /// Some bytes of the line had no room before they were served.
    Lost,
}

/// Bytes that have arrived and aren't served yet, oldest first.
#[derive(Debug)]
pub struct Input {
    bytes: [Cell<u8>; LINE_MAX],
    first: Cell<usize>,
    count: Cell<usize>,
    /// `true` if bytes had no room since the last question.
    lost: Cell<bool>,
}

impl Input {
    /// Makes an empty input.
    pub const fn new() -> Self {
        Self {
            bytes: [const { Cell::new(0) }; LINE_MAX],
            first: Cell::new(0),
            count: Cell::new(0),
            lost: Cell::new(false),
        }
    }

    /// Adds a byte. Without room, the byte replaces the last one, so that lines still end.
    pub fn push(&self, byte: u8) {
        let count = self.count.get();
        if count == LINE_MAX {
            self.lost.set(true);
        } else {
            self.count.set(count + 1);
        }
        let last = self.first.get() + self.count.get() - 1;
        self.bytes[last % LINE_MAX].set(byte);
    }

    /// Takes the first byte.
    pub fn pop(&self) -> Option<u8> {
        let count = self.count.get().checked_sub(1)?;
        self.count.set(count);
        let first = self.first.replace((self.first.get() + 1) % LINE_MAX);
        Some(self.bytes[first].get())
    }

    /// Clears the note of lost bytes. Returns whether bytes had no room.
    pub fn take_lost(&self) -> bool {
        self.lost.replace(false)
    }
}

impl Line {
    /// Makes an empty line.
    pub const fn new() -> Self {
        Self {
            bytes: [const { Cell::new(0) }; LINE_MAX],
            count: Cell::new(0),
            returned: Cell::new(false),
        }
    }

    /// Adds a byte. Returns `true` if the byte ends the line: a carriage return, a line feed, or
    /// both. Backspace and delete remove the last byte; other control characters are skipped.
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

    /// Returns the number of bytes so far, including bytes without room.
    pub const fn count(&self) -> usize {
        self.count.get()
    }

    /// Returns one of the bytes.
    pub const fn byte(&self, index: usize) -> u8 {
        self.bytes[index].get()
    }

    /// Begins the next line.
    pub fn clear(&self) {
        self.count.set(0);
    }
}

/// Returns the text of a line of `count` bytes. `bytes` are the bytes with room.
pub fn text(bytes: &[u8; LINE_MAX], count: usize) -> Result<&str, Unreadable> {
    let bytes = bytes.get(..count).ok_or(Unreadable::TooLong)?;
    str::from_utf8(bytes).map_err(|_| Unreadable::NoText)
}

#[cfg(test)]
mod tests {
    use super::{Input, LINE_MAX, Line, Unreadable, text};

    #[test]
    fn bytes_come_out_in_order_and_those_without_room_are_noted() {
        let input = Input::new();
        for round in 0..10 {
            for byte in 0..40 {
                input.push(byte + round);
            }
            let all: Vec<_> = std::iter::from_fn(|| input.pop()).collect();
            assert_eq!(all, (round..40 + round).collect::<Vec<_>>());
        }
        assert!(!input.take_lost());
        for byte in 0..=LINE_MAX as u8 {
            input.push(byte);
        }
        let all: Vec<_> = std::iter::from_fn(|| input.pop()).collect();
        assert_eq!((all.len(), all[LINE_MAX - 1]), (LINE_MAX, LINE_MAX as u8));
        assert!(input.take_lost() && !input.take_lost());
    }

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
