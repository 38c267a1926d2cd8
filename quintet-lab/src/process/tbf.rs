//! The Tock binary format, version 2: reads the header's parts about the place, and writes headers.
//!
//! Source: "Tock Binary Format" in the book of Tock.

use anyhow::{bail, ensure};

/// The version that is known.
const VERSION: u16 = 2;
/// The size of a header without entries.
const BASE: usize = 16;
/// The application is to run.
const ENABLED: u32 = 1;
/// No address.
const NONE: u32 = u32::MAX;

/// The types of entries.
mod kind {
    pub const MAIN: u16 = 1;
    pub const PACKAGE_NAME: u16 = 3;
    pub const FIXED_ADDRESSES: u16 = 5;
    pub const KERNEL_VERSION: u16 = 8;
    pub const PROGRAM: u16 = 9;
}

/// The header's information about an application's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The size of the whole.
    pub total_size: u32,
    /// The size of the header.
    header_size: u32,
    /// The bytes from the beginning to the linked part: the header, and the protected bytes behind
    /// it.
    pub protected: u32,
    /// The address of the linked part, if it was linked for one place.
    pub fixed_flash: Option<u32>,
    /// The beginning of the application's memory, if it was linked for one place.
    pub fixed_memory: Option<u32>,
    /// The memory that the application needs, in bytes; `None` for padding.
    pub memory: Option<u32>,
    /// The first function, from the beginning of the application; `None` for padding.
    pub entry: Option<u32>,
    /// The end of the binary, from the beginning of the application: footers lie behind.
    pub end: u32,
    /// `true` if the application is to run.
    pub is_enabled: bool,
    /// The application's name; empty without one.
    pub name: String,
}

impl Header {
    /// Reads the header.
    pub fn read(bytes: &[u8]) -> anyhow::Result<Self> {
        let (Some(version), Some(size), Some(total_size)) =
            (half(bytes, 0), half(bytes, 2), word(bytes, 4))
        else {
            bail!("it has {} bytes, less than a header of the Tock binary format", bytes.len());
        };
        ensure!(
            version == VERSION,
            "it begins with {version}, not with {VERSION} as an application in the Tock binary \
             format does; `quintet pack` makes one from an ELF file"
        );
        let fits = (BASE..=bytes.len()).contains(&usize::from(size))
            && total_size as usize <= bytes.len()
            && total_size as usize >= usize::from(size);
        ensure!(
            fits,
            "its header says {size} bytes of {total_size} in all, and the file has {}",
            bytes.len()
        );
        let mut header = Self {
            total_size,
            header_size: size.into(),
            protected: size.into(),
            fixed_flash: None,
            fixed_memory: None,
            memory: None,
            entry: None,
            end: total_size,
            is_enabled: word(bytes, 8).unwrap_or_default() & ENABLED != 0,
            name: String::new(),
        };
        let mut rest = bytes.get(BASE..usize::from(size)).unwrap_or_default();
        while let (Some(kind), Some(length)) = (half(rest, 0), half(rest, 2)) {
            let length = usize::from(length);
            let Some(content) = rest.get(4..4 + length) else { break };
            header.take(kind, content);
            rest = rest.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
        }
        Ok(header)
    }

    fn take(&mut self, kind: u16, content: &[u8]) {
        match kind {
            // If an application has both, they have the same values.
            kind::MAIN | kind::PROGRAM => {
                self.protected =
                    self.header_size.wrapping_add(word(content, 4).unwrap_or_default());
                let entry = word(content, 0).unwrap_or_default() & !1;
                self.entry = Some(self.header_size.wrapping_add(entry));
                self.memory = word(content, 8);
                self.end = word(content, 12).unwrap_or(self.end).min(self.total_size);
            }
            kind::PACKAGE_NAME => self.name = String::from_utf8_lossy(content).into_owned(),
            kind::FIXED_ADDRESSES => {
                self.fixed_memory = word(content, 0).filter(|&address| address != NONE);
                self.fixed_flash = word(content, 4).filter(|&address| address != NONE);
            }
            _ => {}
        }
    }
}

/// An application that is to be written.
pub struct Application<'a> {
    /// The application's name.
    pub name: &'a str,
    /// The bytes behind the header.
    pub binary: &'a [u8],
    /// The first function, from the beginning of the binary.
    pub entry: u32,
    /// The memory that the application needs.
    pub memory: u32,
    /// The beginning of the application's memory, and of its binary, if it is linked for one place.
    pub fixed: Option<(u32, u32)>,
    /// The application needs version 2 of the kernel's interface, and this number behind the point.
    pub minor: u16,
}

/// The size of the header of an application with this name.
pub fn header_size(name: &str, is_fixed: bool) -> usize {
    let entries = [20, name.len().next_multiple_of(4), 4, if is_fixed { 8 } else { 0 }];
    let headers = if is_fixed { 4 } else { 3 };
    BASE + entries.iter().sum::<usize>() + 4 * headers
}

impl Application<'_> {
    /// Returns the application with its header, of `total_size` bytes.
    pub fn write(&self, header_size: usize, total_size: u32) -> Vec<u8> {
        let mut bytes = base(header_size, total_size);
        // The bytes of the header without entries are protected, up to its own end.
        let own = self::header_size(self.name, self.fixed.is_some());
        let end = (header_size + self.binary.len()) as u32;
        let protected = (header_size - own) as u32;
        set_header_size(&mut bytes, own);
        let program = [self.entry + protected, protected, self.memory, end, 0];
        entry(&mut bytes, kind::PROGRAM, &words(&program));
        entry(&mut bytes, kind::PACKAGE_NAME, self.name.as_bytes());
        entry(&mut bytes, kind::KERNEL_VERSION, &words(&[2 | u32::from(self.minor) << 16]));
        if let Some((memory, flash)) = self.fixed {
            entry(&mut bytes, kind::FIXED_ADDRESSES, &words(&[memory, flash]));
        }
        sum_up(&mut bytes);
        bytes.resize(header_size, 0);
        bytes.extend_from_slice(self.binary);
        bytes.resize(total_size as usize, 0xff);
        bytes
    }
}

/// Returns the padding for a place without an application: a header without entries, as long as the
/// place.
pub fn padding(total_size: u32) -> Vec<u8> {
    let mut bytes = base(BASE, total_size);
    sum_up(&mut bytes);
    bytes.resize(total_size as usize, 0xff);
    bytes
}

/// The least size of that.
pub const PADDING_LEAST: u32 = BASE as u32;

/// A header without entries and checksum.
fn base(header_size: usize, total_size: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(header_size as u16).to_le_bytes());
    bytes.extend_from_slice(&words(&[total_size, ENABLED, 0]));
    bytes
}

fn set_header_size(bytes: &mut [u8], size: usize) {
    if let Some(place) = bytes.get_mut(2..4) {
        place.copy_from_slice(&(size as u16).to_le_bytes());
    }
}

/// Appends an entry.
fn entry(bytes: &mut Vec<u8>, kind: u16, content: &[u8]) {
    bytes.extend_from_slice(&kind.to_le_bytes());
    bytes.extend_from_slice(&(content.len() as u16).to_le_bytes());
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

/// Lets an application run, or not: changes its header, and nothing else.
pub fn set_enabled(application: &mut [u8], is_enabled: bool) -> anyhow::Result<()> {
    let header = Header::read(application)?;
    let whole = application.get_mut(..header.header_size as usize);
    let (Some(flags), Some(whole)) = (whole.as_ref().and_then(|all| word(all, 8)), whole) else {
        bail!("its header is cut off");
    };
    let flags = if is_enabled { flags | ENABLED } else { flags & !ENABLED };
    whole[8..12].copy_from_slice(&flags.to_le_bytes());
    whole[12..16].fill(0);
    sum_up(whole);
    Ok(())
}

/// Writes the checksum of a header that is whole.
fn sum_up(bytes: &mut [u8]) {
    let all = bytes.chunks(4).filter_map(|chunk| word(chunk, 0)).fold(0, |sum, word| sum ^ word);
    if let Some(place) = bytes.get_mut(12..16) {
        place.copy_from_slice(&all.to_le_bytes());
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const APPLICATION: Application<'_> = Application {
        name: "blink",
        binary: &[1, 2, 3, 4],
        entry: 1,
        memory: 2048,
        fixed: Some((0x2000_4000, 0x2_0080)),
        minor: 0,
    };

    #[test]
    fn what_was_written_is_read() {
        let bytes = APPLICATION.write(0x80, 512);
        assert_eq!(bytes.len(), 512);
        assert_eq!(bytes[0x80..0x84], [1, 2, 3, 4]);
        let header = Header::read(&bytes).unwrap();
        let expected = Header {
            total_size: 512,
            header_size: header.header_size,
            protected: 0x80,
            fixed_flash: Some(0x2_0080),
            fixed_memory: Some(0x2000_4000),
            memory: Some(2048),
            entry: Some(0x80),
            end: 0x84,
            is_enabled: true,
            name: "blink".into(),
        };
        assert_eq!(header, expected);
    }

    #[test]
    fn the_words_of_a_header_are_nothing_together() {
        let bytes = APPLICATION.write(0x80, 512);
        let size = usize::from(half(&bytes, 2).unwrap());
        let mut all = bytes[..size].chunks(4).map(|chunk| word(chunk, 0).unwrap());
        let stored = word(&bytes, 12).unwrap();
        assert_eq!(all.by_ref().fold(0, |sum, word| sum ^ word), stored ^ stored);
    }

    #[test]
    fn what_is_no_application_is_refused_with_the_way_out() {
        let message = |bytes: &[u8]| Header::read(bytes).unwrap_err().to_string();
        assert!(message(&[2, 0]).contains("it has 2 bytes, less than a header"));
        assert!(message(b"\x7fELF............").contains("`quintet pack` makes one"));
        let mut cut = APPLICATION.write(0x80, 512);
        cut.truncate(300);
        assert!(message(&cut).contains("512 in all, and the file has 300"));
    }
}
