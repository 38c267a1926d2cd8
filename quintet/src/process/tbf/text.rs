//! Text in headers. The library's function that checks UTF-8 is fast, and takes 800 bytes with its
//! table. A kernel reads a name once, when it starts.

#![expect(unsafe_code, reason = "bytes that were checked become text")]

use ::core::str;

/// Returns the bytes as text, or `None` if they aren't UTF-8.
pub fn text(bytes: &[u8]) -> Option<&str> {
    let mut rest = bytes;
    while let Some((&first, behind)) = rest.split_first() {
        // The number of bytes that follow, and the least number that needs so many.
        let (count, least) = match first {
            0..0x80 => (0, 0),
            0xc0..0xe0 => (1, 0x80),
            0xe0..0xf0 => (2, 0x800),
            0xf0..0xf8 => (3, 0x1_0000),
            _ => return None,
        };
        let mut character = u32::from(first) & if count == 0 { 0x7f } else { 0x3f >> count };
        let (more, behind) = behind.split_at_checked(count)?;
        for &byte in more {
            if byte & 0xc0 != 0x80 {
                return None;
            }
            character = character << 6 | u32::from(byte & 0x3f);
        }
        if character < least || char::from_u32(character).is_none() {
            return None;
        }
        rest = behind;
    }
    // SAFETY: each character is one, in its shortest form.
    Some(unsafe { str::from_utf8_unchecked(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the library's function.
    fn compare(bytes: &[u8]) {
        assert_eq!(text(bytes), str::from_utf8(bytes).ok(), "{bytes:x?}");
    }

    #[test]
    fn the_same_bytes_are_text_as_for_the_library() {
        let starts = [0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee];
        let starts =
            starts.into_iter().chain([0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff]);
        let next = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff];
        compare(b"");
        for first in starts {
            compare(&[first]);
            for second in next {
                compare(&[first, second]);
                for third in next {
                    compare(&[first, second, third]);
                    for fourth in next {
                        compare(&[first, second, third, fourth]);
                        compare(&[first, second, third, fourth, b'a']);
                    }
                }
            }
        }
    }
}
