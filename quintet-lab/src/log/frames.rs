//! A stream of bytes with defmt frames in it, and perhaps text between them.
//!
//! Encoded frames (rzCOBS, defmt's default) end with a zero, and have none inside. Over semihosting
//! or a UART a program may print text as well, which has none at all: the bytes before a zero are a
//! frame, or lines of text and a frame, or something else. A frame is valid only if all of it fits
//! its format string.

use super::messages::{Message, Messages};
use super::shape::Flaw;

/// Bytes without a zero that are more than this are no frame.
const FRAME_MAX: usize = 64 * 1024;

/// The most lines of text before a frame that are searched.
const LINES_MAX: usize = 256;

/// A piece of a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// A message.
    Message(Message),
    /// Other bytes, as they are.
    Bytes(Vec<u8>),
}

/// The state of a stream.
#[derive(Debug, Default)]
pub struct Frames {
    /// `true` if the stream has nothing but frames.
    only: bool,
    pending: Vec<u8>,
    /// The pending bytes when the last call ended.
    before: usize,
    /// `true` if a zero stands before the pending bytes that is shown if no frame follows.
    owes_zero: bool,
    /// `true` if any frame has come.
    seen: bool,
    /// The number of damaged frames.
    pub malformed: u64,
}

impl Frames {
    /// A stream that has `only` frames, or text as well.
    pub fn new(only: bool) -> Self {
        Self { only, ..Self::default() }
    }

    /// Takes bytes. Text at the end that has not grown since the call before is no frame's
    /// beginning. Once the messages have more text than `room`, no more are decoded.
    pub fn feed(&mut self, messages: &Messages, bytes: &[u8], room: u64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        self.pending.extend_from_slice(bytes);
        if messages.is_encoded() {
            self.split(messages, room, &mut pieces);
        } else {
            self.split_raw(messages, room, &mut pieces);
        }
        let is_quiet = bytes.is_empty() && self.pending.len() == self.before;
        let is_line = self.pending.ends_with(b"\n") && is_text(&self.pending);
        if (is_quiet && is_line && !self.only) || self.pending.len() > FRAME_MAX {
            self.give_up(&mut pieces);
        }
        self.before = self.pending.len();
        pieces
    }

    /// Returns the rest at the end. A frame whose end is missing isn't damaged: the run has ended
    /// while the firmware was sending it.
    pub fn finish(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let malformed = self.malformed;
        self.give_up(&mut pieces);
        self.malformed = malformed;
        self.before = 0;
        pieces
    }

    /// Takes the pending bytes apart at zeros.
    fn split(&mut self, messages: &Messages, mut room: u64, pieces: &mut Vec<Piece>) {
        let mut start = 0;
        while let Some(length) = self.pending[start..].iter().position(|byte| *byte == 0) {
            let chunk = self.pending[start..start + length].to_vec();
            start += length + 1;
            match find_frame(messages, &chunk) {
                Some((text, message)) => {
                    push_bytes(pieces, &chunk[..text]);
                    let left = room.checked_sub(message.text.len() as u64);
                    pieces.push(Piece::Message(message));
                    (self.seen, self.owes_zero) = (true, false);
                    let Some(left) = left else { break };
                    room = left;
                }
                None => {
                    self.not_a_frame(&chunk, pieces);
                    self.owes_zero = !self.seen && !self.only;
                }
            }
        }
        self.pending.drain(..start);
    }

    /// Frames that only their format strings end.
    fn split_raw(&mut self, messages: &Messages, mut room: u64, pieces: &mut Vec<Piece>) {
        let mut start = 0;
        while start < self.pending.len() {
            match messages.decode(&self.pending[start..]) {
                Ok((message, length)) => {
                    let left = room.checked_sub(message.text.len() as u64);
                    pieces.push(Piece::Message(message));
                    self.seen = true;
                    start += length;
                    let Some(left) = left else { break };
                    room = left;
                }
                Err(Flaw::Short) => break,
                // The beginning of the next frame is unknown.
                Err(Flaw::Other) => {
                    let rest = self.pending.split_off(start);
                    self.not_a_frame(&rest, pieces);
                    break;
                }
            }
        }
        self.pending.drain(..start);
    }

    /// A chunk without a frame is text, or a damaged frame.
    fn not_a_frame(&mut self, chunk: &[u8], pieces: &mut Vec<Piece>) {
        let is_damaged = self.only || (self.seen && !is_text(chunk));
        if is_damaged && !chunk.is_empty() {
            self.malformed += 1;
            return;
        }
        if !is_damaged {
            if std::mem::take(&mut self.owes_zero) {
                push_bytes(pieces, &[0]);
            }
            push_bytes(pieces, chunk);
        }
    }

    fn give_up(&mut self, pieces: &mut Vec<Piece>) {
        let rest = std::mem::take(&mut self.pending);
        if !rest.is_empty() || self.owes_zero {
            self.not_a_frame(&rest, pieces);
        }
        self.owes_zero = false;
    }
}

fn push_bytes(pieces: &mut Vec<Piece>, bytes: &[u8]) {
    match pieces.last_mut() {
        Some(Piece::Bytes(last)) => last.extend_from_slice(bytes),
        _ if bytes.is_empty() => {}
        _ => pieces.push(Piece::Bytes(bytes.to_vec())),
    }
}

/// Returns the frame at the end of a chunk, and the number of bytes of text before it.
fn find_frame(messages: &Messages, chunk: &[u8]) -> Option<(usize, Message)> {
    let ends_of_lines = (1..=chunk.len()).filter(|end| chunk[end - 1] == b'\n');
    let starts = std::iter::once(0).chain(ends_of_lines).take(LINES_MAX);
    let mut text = 0;
    for start in starts {
        // If bytes before aren't text, no later frame has only text before it.
        if !is_text(&chunk[text..start]) {
            return None;
        }
        text = start;
        if let Some(message) = whole_frame(messages, &chunk[start..]) {
            return Some((start, message));
        }
    }
    None
}

/// The message that is all of a chunk, but for zeros that the encoding adds.
fn whole_frame(messages: &Messages, chunk: &[u8]) -> Option<Message> {
    let bytes = expand(chunk)?;
    let (message, length) = messages.decode(&bytes).ok()?;
    let rest = &bytes[length..];
    (rest.len() <= 7 && rest.iter().all(|byte| *byte == 0)).then_some(message)
}

/// Undoes rzCOBS. Read from its end, a chunk is a byte that tells which of the bytes before it are
/// left-out zeros, then the other bytes, and so on.
fn expand(chunk: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = chunk.iter().rev().copied();
    while let Some(code) = rest.next() {
        match code {
            0 => return None,
            // Seven bytes. Each set bit means a zero. The highest bit belongs to the last byte.
            0x01..=0x7f => {
                for bit in (0..7).rev() {
                    bytes.push(if code >> bit & 1 == 0 { rest.next()? } else { 0 });
                }
            }
            // A zero behind 7 to 133 others. There is none behind 134.
            0x80..=0xfe => {
                bytes.push(0);
                for _ in 0..(code & 0x7f) + 7 {
                    bytes.push(rest.next()?);
                }
            }
            0xff => {
                for _ in 0..134 {
                    bytes.push(rest.next()?);
                }
            }
        }
    }
    bytes.reverse();
    Some(bytes)
}

/// Returns `true` if the bytes are readable text.
fn is_text(bytes: &[u8]) -> bool {
    let readable = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{1b}');
    std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(readable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_undone() {
        // 1, 0, 42 and four zeros that pad: bits 1 and 3 to 6 are zeros.
        assert_eq!(expand(&[1, 42, 0b111_1010]), Some(vec![1, 0, 42, 0, 0, 0, 0]));
        let long: Vec<u8> = (1..=9).chain([0x82]).collect();
        assert_eq!(expand(&long), Some(vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 0]));
        let full: Vec<u8> = std::iter::repeat_n(5, 134).chain([0xff]).collect();
        assert_eq!(expand(&full).map(|bytes| bytes.len()), Some(134));
        assert_eq!(expand(&[1, 2, 0x90]), None, "more bytes than there are");
        assert_eq!(expand(&[]), Some(Vec::new()));
    }

    #[test]
    fn text_is_what_one_can_read() {
        assert!(is_text("größer\n\u{1b}[1m".as_bytes()));
        assert!(!is_text(&[1, 2, 3]) && !is_text(&[0xff]));
    }
}
