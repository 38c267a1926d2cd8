//! Bytes that come in pieces, as text: a character may be cut by the end of a piece.

use std::collections::BTreeMap;

/// What is left of each channel's last piece.
#[derive(Debug, Default)]
pub struct Texts(BTreeMap<String, Vec<u8>>);

impl Texts {
    /// The text that a channel's next piece completes. What is no UTF-8 is replaced.
    pub fn add(&mut self, channel: &str, bytes: &[u8]) -> String {
        let mut whole = self.0.remove(channel).unwrap_or_default();
        whole.extend_from_slice(bytes);
        let end = whole.len() - begun(&whole);
        let text = String::from_utf8_lossy(&whole[..end]).into_owned();
        let rest = whole.split_off(end);
        if !rest.is_empty() {
            self.0.insert(channel.to_owned(), rest);
        }
        text
    }

    /// What never became a character, at the end of a run.
    pub fn finish(&mut self) -> Vec<(String, String)> {
        let rest = std::mem::take(&mut self.0).into_iter();
        rest.map(|(channel, bytes)| (channel, String::from_utf8_lossy(&bytes).into_owned()))
            .collect()
    }
}

/// How many bytes at the end begin a character that has not ended.
fn begun(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last();
    let invalid = last.map_or(&[][..], |chunk| chunk.invalid());
    let is_begun = std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
    if is_begun { invalid.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_may_come_in_two_pieces() {
        let mut texts = Texts::default();
        assert_eq!(texts.add("a", b"caf\xc3"), "caf");
        assert_eq!(texts.add("b", b"other"), "other");
        assert_eq!(texts.add("a", b"\xa9\n"), "é\n");
        assert_eq!(texts.add("a", b"\xff!"), "\u{fffd}!");
        assert_eq!(texts.add("a", b"\xe2\x82"), "");
        assert_eq!(texts.finish(), [("a".to_owned(), "\u{fffd}".to_owned())]);
        assert_eq!(texts.finish(), []);
    }
}
