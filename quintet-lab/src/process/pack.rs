//! Making an application in the Tock binary format from an ELF file that was linked for one place.

use super::credential;
use super::tbf::{Application, header_size};
use anyhow::{Context, ensure};
use quintet_sim::image::{Image, ImageError, Section};

/// The smallest size of an application, in bytes.
pub(super) const LEAST: u32 = 512;
/// The most bytes before the binary: more than a header has.
const HEADER_MAX: u32 = 4096;

/// The alignment of the sections of an application in memory.
const ALIGNMENT: u32 = 8;

/// A symbol of the crate `quintet-process`.
const QUINTET_PROCESS: &str = "__quintet_process_start";

/// The wishes that an ELF file doesn't contain.
#[derive(Clone, Debug)]
pub struct Wishes<'a> {
    /// The application's name.
    pub name: &'a str,
    /// The memory that the application needs beyond its variables and its stack.
    pub heap: u32,
    /// The application gets a credential: the SHA-256 of its header and its binary.
    pub sha256: bool,
}

/// The wishes for each of several applications.
#[derive(Clone, Copy, Default, Debug)]
pub struct Extras {
    /// See [`Wishes::heap`].
    pub heap: u32,
    /// See [`Wishes::sha256`].
    pub sha256: bool,
}

impl Wishes<'_> {
    /// Returns the bytes of the footers behind a binary of this size.
    pub(super) const fn footers(&self, binary: usize) -> usize {
        if self.sha256 { binary.next_multiple_of(4) - binary + credential::SIZE } else { 0 }
    }

    /// Adds the footers to a packed application that has room for them.
    pub(super) fn add_footers(&self, application: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        if self.sha256 { credential::add(application) } else { Ok(application) }
    }
}

/// An application as it was linked, for one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linked {
    /// The loaded bytes, from the first address on.
    pub binary: Vec<u8>,
    /// The first address.
    pub flash: u32,
    /// The application's first function.
    pub entry: u32,
    /// The beginning of the application's memory.
    pub memory: u32,
    /// The bytes of this memory that the sections take.
    pub memory_size: u32,
    /// The application needs version 2 of the kernel's interface, and this number behind the point.
    pub minor: u16,
}

impl Linked {
    /// Returns `true` if an address is in the application's memory, or just behind.
    pub fn is_memory(&self, address: u32) -> bool {
        address.wrapping_sub(self.memory) <= self.memory_size
    }
}

/// Reads the ELF file of an application, for whichever core.
pub fn image_of(bytes: &[u8]) -> Result<Image, ImageError> {
    if Image::is_riscv_elf(bytes) { Image::parse_riscv_elf(bytes) } else { Image::parse_elf(bytes) }
}

/// Returns the application in an ELF file.
pub fn linked(image: &Image) -> anyhow::Result<Linked> {
    let (flash, binary) = binary(image)?;
    let entry = image.entry.context("the ELF file names no entry: link it with ENTRY(..)")?;
    ensure!(
        (entry.wrapping_sub(flash) as usize) < binary.len(),
        "the entry {entry:#010x} lies outside what is loaded, {flash:#010x} and {} bytes on",
        binary.len()
    );
    let (memory, memory_size) = memory(image);
    // `quintet-process` yields for certain upcalls, which came with 2.2.
    let minor = if image.symbol(QUINTET_PROCESS).is_some() { 2 } else { 0 };
    Ok(Linked { binary, flash, entry, memory, memory_size, minor })
}

/// Packs the application in the Tock binary format. Its size is a power of two, and it begins at a
/// multiple of this size, so that a region of the protection unit covers it.
pub fn pack(image: &Image, wishes: &Wishes<'_>) -> anyhow::Result<Vec<u8>> {
    pack_linked(&linked(image)?, wishes)
}

/// Returns the size of an application with its header, a power of two, and the bytes before its
/// binary, which begins at a multiple of `alignment`.
pub fn sizes(binary: usize, name: &str, alignment: u32) -> anyhow::Result<(u32, u32)> {
    let before = (header_size(name, true) as u32).next_multiple_of(alignment);
    let all = u32::try_from(binary).ok().and_then(|binary| binary.checked_add(before));
    let total = all.and_then(u32::checked_next_power_of_two);
    let total = total.with_context(|| format!("{binary} bytes are too many"))?;
    Ok((before, total.max(LEAST)))
}

/// The same for an application that was linked for its place, or moved there.
pub fn pack_linked(linked: &Linked, wishes: &Wishes<'_>) -> anyhow::Result<Vec<u8>> {
    let Linked { binary, flash: begin, .. } = linked;
    let begin = *begin;
    let behind = binary.len() + wishes.footers(binary.len());
    let header = header_size(wishes.name, true) as u32;
    let total = (LEAST.trailing_zeros()..31)
        .map(|bits| 1u32 << bits)
        .find(|total| {
            let before = begin & (total - 1);
            before >= header && u64::from(before) + behind as u64 <= u64::from(*total)
        })
        .filter(|total| begin & (total - 1) <= HEADER_MAX);
    let total = total.with_context(|| {
        format!(
            "there is no room for a header of {header} bytes before {begin:#010x}: link the \
             application for an address that is {header} to {HEADER_MAX} bytes behind a multiple \
             of a power of two that is as large as all of it, such as {:#010x}",
            (begin & !0xff) + 0x80
        )
    })?;
    let application = Application {
        name: wishes.name,
        binary,
        entry: linked.entry.wrapping_sub(begin),
        memory: linked.memory_size.saturating_add(wishes.heap).next_multiple_of(4),
        fixed: Some((linked.memory, begin)),
        minor: linked.minor,
    };
    wishes.add_footers(application.write((begin & (total - 1)) as usize, total))
}

/// Returns the loaded bytes, from the first address on, with zeros between.
fn binary(image: &Image) -> anyhow::Result<(u32, Vec<u8>)> {
    let segments = image.segments.iter().filter(|segment| !segment.bytes.is_empty());
    let begin = segments.clone().map(|segment| segment.load_address).min();
    let begin = begin.context("nothing of the ELF file is loaded")?;
    let mut binary = Vec::new();
    for segment in segments {
        let at = (segment.load_address - begin) as usize;
        let end = at + segment.bytes.len();
        ensure!(
            end <= 1 << 26,
            "it loads {:#010x} and {:#010x}, too far apart for one application: its variables' \
             initial values belong into flash (AT> in the linker script)",
            begin,
            segment.load_address
        );
        if binary.len() < end {
            binary.resize(end, 0);
        }
        if let Some(place) = binary.get_mut(at..end) {
            place.copy_from_slice(&segment.bytes);
        }
    }
    Ok((begin, binary))
}

/// Returns the beginning of the application's memory, and the bytes that the sections take.
fn memory(image: &Image) -> (u32, u32) {
    let in_memory = |section: &&Section| section.ram_bytes() > 0;
    let sections = image.sections.iter().filter(in_memory);
    let begin = sections.clone().map(|section| section.address).min().unwrap_or(0x2000_0000);
    let end = sections.map(|section| section.address.saturating_add(section.size)).max();
    // An empty section behind the last one begins where its alignment wants it.
    (begin, end.map_or(0, |end| (end - begin).next_multiple_of(ALIGNMENT)))
}

#[cfg(test)]
mod tests {
    use super::super::Header;
    use super::*;

    const WISHES: Wishes<'_> = Wishes { name: "app", heap: 100, sha256: false };

    fn linked_for(address: u32) -> Image {
        let mut image = Image::raw(&[7; 300], address).unwrap();
        image.entry = Some(address + 8);
        image
    }

    #[test]
    fn it_lies_where_it_was_linked_for() {
        let bytes = pack(&linked_for(0x2_0080), &WISHES).unwrap();
        let header = Header::read(&bytes).unwrap();
        assert_eq!((bytes.len(), header.total_size), (512, 512));
        assert_eq!((header.protected, header.fixed_flash), (0x80, Some(0x2_0080)));
        assert_eq!(bytes[0x80..0x80 + 300], [7; 300]);
    }

    #[test]
    fn a_binary_without_room_for_a_header_is_refused() {
        let message = pack(&linked_for(0x2_0000), &WISHES).unwrap_err().to_string();
        assert!(
            message.contains("no room for a header of 68 bytes before 0x00020000"),
            "{message}"
        );
        assert!(message.contains("such as 0x00020080"), "{message}");
    }

    #[test]
    fn an_entry_outside_is_refused() {
        let mut image = linked_for(0x2_0080);
        image.entry = Some(0x1000);
        let message = pack(&image, &WISHES).unwrap_err().to_string();
        assert!(message.contains("the entry 0x00001000 lies outside"), "{message}");
        image.entry = None;
        let message = pack(&image, &WISHES).unwrap_err().to_string();
        assert!(message.contains("names no entry"), "{message}");
    }
}
