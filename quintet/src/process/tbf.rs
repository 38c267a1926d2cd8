//! The Tock binary format, version 2: the headers of applications in flash, one behind the other.
//!
//! ```text
//!   version  header size  total size  flags  checksum   entries: type, length, content ...
//!   u16      u16          u32         u32    u32        u16 u16
//! ```
//!
//! All numbers are little-endian; entries begin at multiples of four bytes. The checksum is the
//! exclusive or of all other words of the header. Unknown entries are skipped. The
//! [footers] lie behind the binary.
//!
//! Source: "Tock Binary Format" in the book of Tock.

use ::core::fmt;

use self::text::text;

/// The version that this code reads.
const VERSION: u16 = 2;
/// The size of a header without entries, in bytes, as padding has.
const BASE: usize = 16;
/// In the flags: the application is enabled.
const ENABLED: u32 = 1;
/// Stands for no address in the entry of fixed addresses.
const NONE: u32 = u32::MAX;
/// The version of the kernel's interface. An application that needs a version must need this major
/// version, and this minor version or a lower one.
pub const KERNEL: (u16, u16) = (2, 2);

/// The known types of entries.
mod kind {
    pub const MAIN: u16 = 1;
    pub const WRITEABLE_FLASH: u16 = 2;
    pub const PACKAGE_NAME: u16 = 3;
    pub const FIXED_ADDRESSES: u16 = 5;
    pub const PERMISSIONS: u16 = 6;
    pub const KERNEL_VERSION: u16 = 8;
    pub const PROGRAM: u16 = 9;
}

/// An application, as described by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// The header itself.
    pub bytes: &'a [u8],
    /// The size of the header.
    pub header_size: usize,
    /// The size of the application with its header and footers; the next application begins behind
    /// this.
    pub total_size: usize,
    /// `true` if the application is enabled.
    pub is_enabled: bool,
    /// The program; `None` for padding.
    pub program: Option<Program>,
    /// The name of the application; empty without one.
    pub name: &'a str,
    /// The fixed beginning of its memory, if the application was linked for one place.
    pub fixed_memory: Option<u32>,
    /// The fixed address of the part behind the header, if the application was linked for one
    /// place.
    pub fixed_flash: Option<u32>,
    /// The parts of its flash that the application may write, as pairs of offset and size.
    pub writeable: Entries<'a>,
    /// The commands that the application may call; `None` allows all commands.
    pub permissions: Option<Permissions<'a>>,
}

/// The program of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// The offset of the first function, from the end of the header.
    pub entry: u32,
    /// The size of the protected part behind the header, in bytes.
    pub protected: u32,
    /// The memory that the program needs, in bytes.
    pub memory: u32,
    /// The end of the binary, from the beginning of the header; the footers lie behind.
    pub end: u32,
}

/// Pairs of words of an entry, eight bytes each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries<'a>(pub(super) &'a [u8]);

impl Entries<'_> {
    /// Returns the number of pairs.
    pub const fn count(&self) -> usize {
        self.0.len() / 8
    }

    /// Returns a pair of words, or `None` behind the last one.
    pub fn pair(&self, index: usize) -> Option<(u32, u32)> {
        let at = index.checked_mul(8)?;
        Some((word(self.0, at)?, word(self.0, at.checked_add(4)?)?))
    }
}

/// The commands that an application may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permissions<'a>(pub(super) &'a [u8]);

impl Permissions<'_> {
    /// Returns the number of entries.
    pub const fn count(&self) -> usize {
        self.0.len() / 16
    }

    /// Returns `true` if the list names a driver.
    pub fn name(&self, driver: u32) -> bool {
        self.0.chunks_exact(16).any(|entry| word(entry, 0) == Some(driver))
    }

    /// Returns `true` if the application may give a driver this command. Each entry of the list has
    /// a driver's number, the number of a group of 64 commands, and a bit for each of these.
    pub fn allow(&self, driver: u32, command: u32) -> bool {
        self.0.chunks_exact(16).any(|entry| {
            let words = [0, 4, 8, 12].map(|at| word(entry, at).unwrap_or_default());
            let bits = u64::from(words[3]) << 32 | u64::from(words[2]);
            words[0] == driver && words[1] == command / 64 && bits >> (command % 64) & 1 != 0
        })
    }
}

/// The reason why a header can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The header has another version.
    Version(u16),
    /// The header is smaller than a header must be, or larger than the application.
    HeaderSize(u16),
    /// The application is larger than the flash that is left, or its size is no multiple of four.
    TotalSize(u32),
    /// The checksum is wrong: the stored one, and the expected one.
    Checksum(u32, u32),
    /// An entry of this type reaches behind the header, or is too short.
    Entry(u16),
    /// The application needs another version of the kernel's interface.
    Kernel(u16, u16),
    /// The first function, or the end of the binary, lies outside of the application.
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

/// Reads the header at the beginning of `flash`. Returns `None` if there is no application.
///
/// # Errors
/// The reason why the header can't be read, and the distance to the next header, if that is known.
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

/// Reads the entries of a header whose length is right.
fn read_entries(header: &[u8], total_size: usize) -> Result<Header<'_>, Broken> {
    let (stored, expected) = checksums(header);
    if stored != expected {
        return Err(Broken::Checksum(stored, expected));
    }
    let mut read = Header {
        bytes: header,
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

/// Returns the checksum in a header, and the expected one.
fn checksums(header: &[u8]) -> (u32, u32) {
    let words = header.chunks_exact(4).filter_map(|chunk| word(chunk, 0));
    let all = words.fold(0, |sum, word| sum ^ word);
    let stored = word(header, 12).unwrap_or_default();
    (stored, all ^ stored)
}

impl<'a> Header<'a> {
    /// Takes the content of an entry.
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
                self.name = text(content).ok_or(Broken::Entry(kind))?;
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

    /// Checks that all addresses lie in the application.
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

/// Returns the halfword at an offset, or `None` behind the end.
#[inline(never)]
fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// Returns the word at an offset, or `None` behind the end.
#[inline(never)]
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

pub mod footers;
#[cfg(test)]
mod tests;
mod text;
