//! The flash of applications as a file holds it: the raw content, or a part of an image that has
//! addresses (ELF, Intel HEX, S-record, UF2), with all that the image has beside it.

use std::fmt::Write;

use anyhow::{Context, ensure};
use quintet_sim::image::{Format, Image, Target};

/// The least piece of an image that is written to HEX, in bytes.
const LINE: usize = 16;
/// Erased flash.
const ERASED: u8 = 0xff;

/// What of an image lies outside of the flash of applications.
#[derive(Clone, Default, Debug)]
pub struct Beside {
    /// The form of the file.
    pub format: Format,
    /// Pieces, each with its address.
    pieces: Vec<(u32, Vec<u8>)>,
}

/// Takes the flash from `begin` on out of an image: up to `end`, or to the end of what is loaded
/// there without a gap. What isn't loaded is erased.
pub fn take(
    bytes: &[u8],
    format: Format,
    (begin, end): (u32, Option<u32>),
) -> anyhow::Result<(Vec<u8>, Beside)> {
    let image = Image::parse(bytes, &Target::default())?;
    let mut segments: Vec<_> = image.segments.iter().filter(|one| !one.bytes.is_empty()).collect();
    segments.sort_by_key(|segment| segment.load_address);
    let reach = |from: u64| {
        segments.iter().fold(from, |reach, segment| {
            let start = u64::from(segment.load_address);
            let behind = start + segment.bytes.len() as u64;
            if start <= reach { reach.max(behind) } else { reach }
        })
    };
    let end = end.map_or_else(|| reach(u64::from(begin)), u64::from);
    let size = usize::try_from(end - u64::from(begin)).context("it is too large")?;
    ensure!(size > 0, "it has nothing at {begin:#010x}: give the address of the first application");
    let mut flash = vec![ERASED; size];
    let mut pieces = Vec::new();
    for segment in segments {
        let start = u64::from(segment.load_address);
        let inside = |address: u64| {
            usize::try_from(address.clamp(start, start + segment.bytes.len() as u64) - start)
                .unwrap_or(segment.bytes.len())
        };
        let (from, to) = (inside(u64::from(begin)), inside(end));
        if from < to {
            let at = usize::try_from(start + from as u64 - u64::from(begin)).unwrap_or(0);
            flash[at..at + to - from].copy_from_slice(&segment.bytes[from..to]);
        }
        let parts = [(0, from), (to.max(from), segment.bytes.len())];
        for (from, to) in parts.into_iter().filter(|(from, to)| from < to) {
            pieces.push((segment.load_address + from as u32, segment.bytes[from..to].to_vec()));
        }
    }
    Ok((flash, Beside { format, pieces }))
}

impl Beside {
    /// The image with other applications, as Intel HEX.
    pub fn hex(&self, begin: u32, flash: &[u8]) -> String {
        let mut pieces: Vec<(u32, &[u8])> =
            self.pieces.iter().map(|(at, bytes)| (*at, bytes.as_slice())).collect();
        pieces.push((begin, flash));
        pieces.sort_by_key(|(at, _)| *at);
        let mut text = String::new();
        let mut upper = None;
        for (at, bytes) in pieces {
            let mut from = 0;
            while from < bytes.len() {
                let address = at + from as u32;
                // No line goes over a border of 64 KiB.
                let room = 0x1_0000 - (address as usize & 0xffff);
                let line = &bytes[from..bytes.len().min(from + LINE.min(room))];
                from += line.len();
                if upper.replace(address >> 16) != Some(address >> 16) {
                    record(&mut text, 0, 4, &((address >> 16) as u16).to_be_bytes());
                }
                record(&mut text, address as u16, 0, line);
            }
        }
        record(&mut text, 0, 1, &[]);
        text
    }
}

fn record(text: &mut String, address: u16, kind: u8, data: &[u8]) {
    let [high, low] = address.to_be_bytes();
    let bytes = [&[data.len() as u8, high, low, kind], data].concat();
    let sum = bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_sub(*byte));
    text.push(':');
    for byte in bytes.iter().chain([&sum]) {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02X}");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_keeps_what_is_beside_its_applications() {
        let whole: Vec<u8> = (0..96).collect();
        let beside =
            Beside { format: Format::IntelHex, pieces: vec![(0xfff0, whole[..32].to_vec())] };
        let hex = beside.hex(0x1_0010, &whole[32..]);
        let (flash, taken) =
            take(hex.as_bytes(), Format::IntelHex, (0x1_0010, Some(0x1_0020))).unwrap();
        assert_eq!(flash, whole[32..48]);
        assert_eq!(taken.hex(0x1_0010, &flash), hex, "what it was made of");
        let (all, _) = take(hex.as_bytes(), Format::IntelHex, (0x1_0010, None)).unwrap();
        assert_eq!(all, whole[32..]);
        let (erased, _) =
            take(hex.as_bytes(), Format::IntelHex, (0x2_0000, Some(0x2_0004))).unwrap();
        assert_eq!(erased, [ERASED; 4]);
        let nothing = take(hex.as_bytes(), Format::IntelHex, (0x2_0000, None)).unwrap_err();
        assert!(nothing.to_string().contains("nothing at 0x00020000"), "{nothing}");
    }
}
