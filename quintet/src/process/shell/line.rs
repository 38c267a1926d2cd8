//! Lines that arrive byte by byte, with limited room. A line that has lost a byte is dropped as a
//! whole, so that no part of it is taken for a command.

use ::core::cell::Cell;
use ::core::str;

/// The largest number of bytes in a line.
pub const LINE_MAX: usize = 64;
/// The largest number of bytes that aren't served yet: a line with its end.
pub const INPUT_MAX: usize = LINE_MAX + 1;
/// The number of places of the input: one more, for the mark.
const PLACES: usize = INPUT_MAX + 1;

/// The present line, as far as it has arrived.
#[derive(Debug)]
pub struct Line {
    bytes: [Cell<u8>; LINE_MAX],
    /// The number of bytes so far, including bytes without room.
    count: Cell<usize>,
}

/// The reason why a line can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The line is longer than the room.
    TooLong,
    /// The bytes of the line are no text.
    NoText,
    /// Some bytes were lost before they were served, of one line or more.
    Lost,
}

/// What has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrived {
    /// A byte of the present line.
    Byte(u8),
    /// The end of the present line.
    End,
    /// The present line has ended, and perhaps others behind it. Bytes of them were lost.
    Lost,
}

/// Bytes that have arrived and aren't served yet, oldest first.
///
/// If a byte has no room, all bytes of its line leave, and those behind it don't come in, up to the
/// end of the line. A mark stands for that line, and for further ones directly behind it.
#[derive(Debug)]
pub struct Input {
    bytes: [Cell<u8>; PLACES],
    first: Cell<usize>,
    count: Cell<usize>,
    /// The number of bytes, at the end, that belong to a line without an end.
    unended: Cell<usize>,
    /// `true` if the present line was dropped, and has not ended.
    drops: Cell<bool>,
    /// `true` if the last byte was a carriage return: a line feed behind it doesn't end another
    /// line.
    returned: Cell<bool>,
}

/// Stands for lines that were dropped.
const MARK: u8 = 0;
/// Stands for the end of a line.
const END: u8 = b'\n';

impl Input {
    /// Makes an empty input.
    pub const fn new() -> Self {
        Self {
            bytes: [const { Cell::new(0) }; PLACES],
            first: Cell::new(0),
            count: Cell::new(0),
            unended: Cell::new(0),
            drops: Cell::new(false),
            returned: Cell::new(false),
        }
    }

    /// Adds a byte. A carriage return, a line feed, or both end a line. A NUL behind a carriage
    /// return is skipped, as terminals on a network send one.
    pub fn push(&self, byte: u8) {
        let returned = self.returned.replace(byte == b'\r');
        match byte {
            b'\n' | 0 if returned => (),
            b'\n' | b'\r' => self.end_line(),
            // Any other control character does: the line isn't text.
            MARK => self.push_within(1),
            _ => self.push_within(byte),
        }
    }

    /// Notes that bytes of the present line were lost.
    pub fn lose(&self) {
        self.returned.set(false);
        if !self.drops.replace(true) {
            self.count.set(self.count.get() - self.unended.take());
            let has_mark = self.count.get() > 0 && self.last().get() == MARK;
            if !has_mark {
                self.append(MARK);
            }
        }
    }

    fn push_within(&self, byte: u8) {
        if self.drops.get() {
            return;
        }
        if self.count.get() < INPUT_MAX {
            self.append(byte);
            self.unended.set(self.unended.get() + 1);
        } else {
            self.lose();
        }
    }

    fn end_line(&self) {
        self.push_within(END);
        self.unended.set(0);
        self.drops.set(false);
    }

    fn append(&self, byte: u8) {
        self.count.set(self.count.get() + 1);
        self.last().set(byte);
    }

    /// Returns the last place in use.
    fn last(&self) -> &Cell<u8> {
        &self.bytes[(self.first.get() + self.count.get() - 1) % PLACES]
    }

    /// Takes the first byte, or the mark.
    pub fn pop(&self) -> Option<Arrived> {
        let count = self.count.get().checked_sub(1)?;
        self.count.set(count);
        self.unended.set(self.unended.get().min(count));
        let first = self.first.replace((self.first.get() + 1) % PLACES);
        Some(match self.bytes[first].get() {
            MARK => Arrived::Lost,
            END => Arrived::End,
            byte => Arrived::Byte(byte),
        })
    }
}

impl Line {
    /// Makes an empty line.
    pub const fn new() -> Self {
        Self { bytes: [const { Cell::new(0) }; LINE_MAX], count: Cell::new(0) }
    }

    /// Adds a byte. Backspace and delete remove the last byte.
    pub fn push(&self, byte: u8) {
        let count = self.count.get();
        if matches!(byte, 0x08 | 0x7f) {
            self.count.set(count.saturating_sub(1));
            return;
        }
        if let Some(place) = self.bytes.get(count) {
            place.set(byte);
        }
        self.count.set(count.saturating_add(1));
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

/// Returns the text of a line of `count` bytes. `bytes` are the bytes with room. A line with a
/// control character is no text: the character may stand in the place of another one.
pub fn text(bytes: &[u8; LINE_MAX], count: usize) -> Result<&str, Unreadable> {
    let bytes = bytes.get(..count).ok_or(Unreadable::TooLong)?;
    let text = str::from_utf8(bytes).map_err(|_| Unreadable::NoText)?;
    let is_text = !text.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t');
    if is_text { Ok(text) } else { Err(Unreadable::NoText) }
}

#[cfg(test)]
mod tests;
