//! The Tock binary format, version 2: the headers of applications in flash, one behind the other.
//!
//! ```text
//!   version  header size  total size  flags  checksum   entries: type, length, content ...
//!   u16      u16          u32         u32    u32        u16 u16
//! ```
//!
//! All numbers are little-endian; entries begin at multiples of four bytes. The checksum is the
//! exclusive or of all other words of the header. What an entry says that is not known here is
//! passed over, as are the footers, which lie behind the binary.
//!
//! Source: "Tock Binary Format" in the book of Tock.

use ::core::fmt;
use ::core::str;

/// The version that is read.
const VERSION: u16 = 2;
/// The size of a header without entries, in bytes: that of padding.
const BASE: usize = 16;
/// In the flags: the application is to run.
const ENABLED: u32 = 1;
/// What stands for no address in the entry of fixed addresses.
const NONE: u32 = u32::MAX;
/// The interface of the kernel that is served: an application that says which one it needs may need
/// this major version, and this minor one or less.
pub const KERNEL: (u16, u16) = (2, 2);

/// The types of entries that are known.
mod kind {
    pub const MAIN: u16 = 1;
    pub const WRITEABLE_FLASH: u16 = 2;
    pub const PACKAGE_NAME: u16 = 3;
    pub const FIXED_ADDRESSES: u16 = 5;
    pub const PERMISSIONS: u16 = 6;
    pub const KERNEL_VERSION: u16 = 8;
    pub const PROGRAM: u16 = 9;
}

/// An application, as its header has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// The size of the header.
    pub header_size: usize,
    /// The size of the application with its header and footers; the next one begins behind it.
    pub total_size: usize,
    /// Whether it is to run.
    pub is_enabled: bool,
    /// What there is to run; padding has nothing.
    pub program: Option<Program>,
    /// Its name; empty without one.
    pub name: &'a str,
    /// Where its memory has to begin, if it was linked for one place.
    pub fixed_memory: Option<u32>,
    /// Where what is behind its header has to lie, if it was linked for one place.
    pub fixed_flash: Option<u32>,
    /// The parts of its flash that it may write, as pairs of offset and size.
    pub writeable: Entries<'a>,
    /// What it may call; everything without a list.
    pub permissions: Option<Permissions<'a>>,
}

/// What there is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Where its first function is, from the end of the header.
    pub entry: u32,
    /// How much behind the header belongs to it, in bytes.
    pub protected: u32,
    /// How much memory it needs, in bytes.
    pub memory: u32,
    /// Where its binary ends, from the beginning of the header; its footers lie behind.
    pub end: u32,
}

/// Words of an entry, eight bytes each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries<'a>(&'a [u8]);

impl<'a> Entries<'a> {
    /// The pairs of words.
    pub fn into_pairs(self) -> impl Iterator<Item = (u32, u32)> + 'a {
        self.0.chunks_exact(8).filter_map(|pair| Some((word(pair, 0)?, word(pair, 4)?)))
    }
}

/// What an application may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permissions<'a>(&'a [u8]);

impl Permissions<'_> {
    /// Whether they name a driver at all.
    pub fn name(&self, driver: u32) -> bool {
        self.0.chunks_exact(16).any(|entry| word(entry, 0) == Some(driver))
    }

    /// Whether it may give a driver a command. Each entry has a driver's number, which 64 of its
    /// commands it speaks of, and a bit for each.
    pub fn allow(&self, driver: u32, command: u32) -> bool {
        self.0.chunks_exact(16).any(|entry| {
            let words = [0, 4, 8, 12].map(|at| word(entry, at).unwrap_or_default());
            let bits = u64::from(words[3]) << 32 | u64::from(words[2]);
            words[0] == driver && words[1] == command / 64 && bits >> (command % 64) & 1 != 0
        })
    }
}

/// Why a header can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Of another version.
    Version(u16),
    /// The header is smaller than one is, or larger than the application.
    HeaderSize(u16),
    /// The application is larger than the flash that is left, or its size no multiple of four.
    TotalSize(u32),
    /// The checksum is not that of the header: what it is, and what it should be.
    Checksum(u32, u32),
    /// An entry of this type reaches behind the header, or is shorter than one is.
    Entry(u16),
    /// It needs another version of the kernel's interface.
    Kernel(u16, u16),
    /// Its first function, or the end of its binary, lies outside.
    Program,
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Version(version) => {
                write!(formatter, "its header has version {version}, and {VERSION} is read here")
            }
            Self::HeaderSize(size) => {
                write!(formatter, "its header says that it has {size} bytes, which can't be")
            }
            Self::TotalSize(size) => write!(
                formatter,
                "its header says that it takes {size} bytes, which is no multiple of 4, less than \
                 the header, or more than there is flash"
            ),
            Self::Checksum(is, should_be) => write!(
                formatter,
                "the checksum of its header is {is:#010x} and should be {should_be:#010x}: write \
                 it to flash again"
            ),
            Self::Entry(kind) => {
                write!(formatter, "the entry of type {kind} of its header doesn't fit")
            }
            Self::Kernel(major, minor) => write!(
                formatter,
                "it needs version {major}.{minor} of the kernel's interface, and this is {}.{}",
                KERNEL.0, KERNEL.1
            ),
            Self::Program => formatter.write_str("its first function, or its end, lies outside it"),
        }
    }
}

impl ::core::error::Error for Broken {}

/// Reads the header at the beginning of `flash`; none where no application is. Of a header that
/// can't be read, how far the next one is, if that is known.
///
/// # Errors
/// Why it can't be read.
pub fn read(flash: &[u8]) -> Result<Option<Header<'_>>, (Broken, Option<usize>)> {
    let (Some(version), Some(header_size), Some(total)) =
        (half(flash, 0), half(flash, 2), word(flash, 4))
    else {
        return Ok(None);
    };
    // Flash that was erased, or filled with zeros.
    if version == u16::MAX || version == 0 {
        return Ok(None);
    }
    if version != VERSION {
        return Err((Broken::Version(version), None));
    }
    let total_size = total as usize;
    if total_size < BASE || total_size > flash.len() || !total_size.is_multiple_of(4) {
        return Err((Broken::TotalSize(total), None));
    }
    let behind = Some(total_size);
    let size = usize::from(header_size);
    if size < BASE || size > total_size || !size.is_multiple_of(4) {
        return Err((Broken::HeaderSize(header_size), behind));
    }
    read_entries(&flash[..size], total_size).map(Some).map_err(|broken| (broken, behind))
}

/// The same, with a header that is as long as it says.
fn read_entries(header: &[u8], total_size: usize) -> Result<Header<'_>, Broken> {
    let (stored, expected) = checksums(header);
    if stored != expected {
        return Err(Broken::Checksum(stored, expected));
    }
    let mut read = Header {
        header_size: header.len(),
        total_size,
        is_enabled: word(header, 8).unwrap_or_default() & ENABLED != 0,
        program: None,
        name: "",
        fixed_memory: None,
        fixed_flash: None,
        writeable: Entries::default(),
        permissions: None,
    };
    let mut has_program = false;
    let mut rest = &header[BASE..];
    while let (Some(kind), Some(length)) = (half(rest, 0), half(rest, 2)) {
        let length = usize::from(length);
        let content = rest.get(4..4 + length).ok_or(Broken::Entry(kind))?;
        has_program |= kind == kind::PROGRAM;
        if kind != kind::MAIN || !has_program {
            read.take(kind, content)?;
        }
        rest = rest.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
    }
    read.check()
}

/// The checksum in a header, and what it should be.
fn checksums(header: &[u8]) -> (u32, u32) {
    let words = header.chunks_exact(4).filter_map(|chunk| word(chunk, 0));
    let all = words.fold(0, |sum, word| sum ^ word);
    let stored = word(header, 12).unwrap_or_default();
    (stored, all ^ stored)
}

impl<'a> Header<'a> {
    /// Takes what an entry says.
    fn take(&mut self, kind: u16, content: &'a [u8]) -> Result<(), Broken> {
        let at = |offset| word(content, offset).ok_or(Broken::Entry(kind));
        let wanted = match kind {
            kind::MAIN => 12,
            kind::PROGRAM => 20,
            kind::FIXED_ADDRESSES => 8,
            kind::KERNEL_VERSION => 4,
            kind::WRITEABLE_FLASH => content.len().next_multiple_of(8),
            _ => content.len(),
        };
        if content.len() != wanted {
            return Err(Broken::Entry(kind));
        }
        match kind {
            kind::MAIN | kind::PROGRAM => {
                let end = if kind == kind::PROGRAM { at(12)? } else { self.total_size as u32 };
                self.program =
                    Some(Program { entry: at(0)?, protected: at(4)?, memory: at(8)?, end });
            }
            kind::WRITEABLE_FLASH => self.writeable = Entries(content),
            kind::PACKAGE_NAME => {
                self.name = str::from_utf8(content).map_err(|_| Broken::Entry(kind))?;
            }
            kind::FIXED_ADDRESSES => {
                self.fixed_memory = Some(at(0)?).filter(|&address| address != NONE);
                self.fixed_flash = Some(at(4)?).filter(|&address| address != NONE);
            }
            kind::PERMISSIONS => {
                let count = half(content, 0).ok_or(Broken::Entry(kind))?;
                let list = content.get(2..2 + 16 * usize::from(count));
                self.permissions = Some(Permissions(list.ok_or(Broken::Entry(kind))?));
            }
            kind::KERNEL_VERSION => {
                let (Some(major), Some(minor)) = (half(content, 0), half(content, 2)) else {
                    return Err(Broken::Entry(kind));
                };
                if major != KERNEL.0 || minor > KERNEL.1 {
                    return Err(Broken::Kernel(major, minor));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether what it says lies in the application.
    fn check(self) -> Result<Self, Broken> {
        let Some(program) = &self.program else { return Ok(self) };
        let total = self.total_size as u64;
        let begin = self.header_size as u64;
        let entry = begin + u64::from(program.entry & !1);
        let fits = begin + u64::from(program.protected) <= total
            && entry + 2 <= u64::from(program.end)
            && u64::from(program.end) <= total;
        if fits { Ok(self) } else { Err(Broken::Program) }
    }
}

/// The halfword at an offset, if it is there.
fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// The word at an offset, if it is there.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests;
