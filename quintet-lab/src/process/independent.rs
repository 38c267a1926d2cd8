//! Applications that run at any address, as libtock-c builds them. Their code finds its variables
//! through a register, and their start code corrects the addresses in the initial values.
//!
//! The start code must know the places of those addresses. So the relocations of the writable
//! sections follow the binary: their size in bytes, and then the relocations as the linker left
//! them.
//!
//! Source: the output of elf2tab for the applications of libtock-c, and their linker script.

use anyhow::Context;
use object::{Object, ObjectSection, SectionFlags};
use quintet_sim::image::Image;

use super::pack::{LEAST, Linked, Wishes, linked};
use super::tbf::{Application, header_size};

/// The address for which they are linked. It means that any other address will do as well.
const NOWHERE: u32 = 0x8000_0000;

/// The bit that marks an address of code.
const THUMB: u32 = 1;

/// The flags of sections that are in memory and written to there.
const WRITTEN_THERE: u64 = 1 | 1 << 1;

/// Returns `true` if the application was linked for no place.
pub fn is_independent(image: &Image) -> bool {
    let loaded = image.segments.iter().filter(|segment| !segment.bytes.is_empty());
    loaded.map(|segment| segment.load_address).min() == Some(NOWHERE)
}

/// The application in the Tock binary format: a power of two in size.
pub fn pack(bytes: &[u8], image: &Image, wishes: &Wishes<'_>) -> anyhow::Result<Vec<u8>> {
    let Linked { mut binary, entry, minor, .. } = linked(image)?;
    let relocations = relocations(bytes)?;
    binary.resize(binary.len().next_multiple_of(4), 0);
    binary.extend_from_slice(&(relocations.len() as u32).to_le_bytes());
    binary.extend_from_slice(&relocations);
    let header = header_size(wishes.name, false);
    let behind = header + binary.len() + wishes.footers(binary.len());
    let total = u32::try_from(behind).ok().and_then(u32::checked_next_power_of_two);
    let total = total.with_context(|| format!("{} bytes are too many", binary.len()))?.max(LEAST);
    let application = Application {
        name: wishes.name,
        binary: &binary,
        entry: (entry - NOWHERE) | THUMB,
        memory: memory(image).saturating_add(wishes.heap).next_multiple_of(4),
        fixed: None,
        minor,
    };
    wishes.add_footers(application.write(header, total))
}

/// Returns the memory of the sections. It begins at 0. A writable section in flash is a region of
/// flash that the application writes.
fn memory(image: &Image) -> u32 {
    let sections = image.sections.iter().filter(|section| section.ram_bytes() > 0);
    let ends = sections.filter(|section| section.address < NOWHERE);
    ends.map(|section| section.address.saturating_add(section.size)).max().unwrap_or(0)
}

/// The relocations of all sections that are written to.
fn relocations(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let file = object::File::parse(bytes).context("cannot read the sections")?;
    let mut all = Vec::new();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags: flags, .. } = section.flags() else { continue };
        if flags.0 & WRITTEN_THERE != WRITTEN_THERE {
            continue;
        }
        let name = section.name().context("a section has no name")?;
        if let Some(own) = file.section_by_name(&format!(".rel{name}")) {
            all.extend_from_slice(own.data().context("cannot read the relocations")?);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::super::Header;
    use super::*;

    const WISHES: Wishes<'_> = Wishes { name: "app", heap: 100, sha256: false };
    /// The contents of the file, in their order.
    const CODE: [u8; 8] = [1; 8];
    const DATA: [u8; 8] = [2; 8];
    const RELOCATIONS: [u8; 16] = [3; 16];
    const NAMES: &[u8] = b"\0.text\0.rel.data\0.shstrtab\0";
    /// Their beginning, behind the headers of the file and of two segments.
    const BEGIN: u32 = 52 + 2 * 32;

    /// An ELF file with code at an address, data at 0 behind it, and the data's relocations.
    fn elf(flash: u32) -> Vec<u8> {
        let data = BEGIN + 8;
        let sections = data + 8 + 16 + NAMES.len().next_multiple_of(4) as u32;
        let mut words =
            vec![0x464c_457f, 0x0001_0101, 0, 0, 0x0028_0002, 1, flash + 1, 52, sections];
        words.extend([0x0500_0000, 52 | 32 << 16, 2 | 40 << 16, 5 | 4 << 16]);
        words.extend([1, BEGIN, flash, flash, 8, 8, 5, 4]);
        words.extend([1, data, 0, flash + 8, 8, 24, 6, 4]);
        let mut bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        bytes.extend([&CODE[..], &DATA, &RELOCATIONS, NAMES].concat());
        bytes.resize(sections as usize, 0);
        // Name, type, flags, address, offset, size, link, section of the relocations, alignment,
        // entry.
        let table: [[u32; 10]; 5] = [
            [0; 10],
            [1, 1, 6, flash, BEGIN, 8, 0, 0, 4, 0],
            [11, 1, 3, 0, data, 8, 0, 0, 4, 0],
            [7, 9, 0, 0, data + 8, 16, 0, 2, 4, 8],
            [17, 3, 0, 0, data + 24, NAMES.len() as u32, 0, 0, 1, 0],
        ];
        bytes.extend(table.iter().flatten().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    #[test]
    fn the_relocations_stand_behind_the_binary() {
        let bytes = elf(NOWHERE);
        let image = Image::parse_elf(&bytes).unwrap();
        assert!(is_independent(&image));
        let packed = pack(&bytes, &image, &WISHES).unwrap();
        let header = Header::read(&packed).unwrap();
        assert_eq!((packed.len(), header.fixed_flash, header.protected), (512, None, 56));
        let expected = [&CODE[..], &DATA, &[16, 0, 0, 0], &RELOCATIONS].concat();
        assert_eq!(packed[56..56 + 36], expected);
        // The entry, nothing protected, the memory, and where the binary ends.
        let program: Vec<u8> =
            [1u32, 0, 108, 92, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(packed[..56].windows(20).any(|part| part == program), "{:?}", &packed[..56]);
    }

    #[test]
    fn one_that_was_linked_for_a_place_is_not_independent() {
        assert!(!is_independent(&Image::parse_elf(&elf(0x2_0080)).unwrap()));
    }
}
