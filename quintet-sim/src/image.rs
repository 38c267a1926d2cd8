//! A firmware image: the output of a linker, ready to be loaded into a board's memory.
//!
//! [`Image::parse`] reads an ELF file, Intel HEX, S-record or UF2. [`Image::raw`] takes plain bytes
//! for a known address. Both refuse files that cannot be firmware for a Cortex-M, with an
//! [`ImageError`] that says what was found and where. The checks that need a board
//! ([`Image::check_memories`], [`check_vector_table`]) take the board's memories as data.
//! [`Image::check_architecture`] is apart, because tools that run nothing read images that no board
//! can run.
//!
//! Addresses: a segment is *loaded* at its physical address (a debugger writes the initial values
//! of `.data` into flash) and *used* at its virtual address (start-up code copies them to RAM).

mod bounds;
mod check;
mod elf;
#[cfg(test)]
mod elf_tests;
mod error;
mod format;
mod hex;
mod pieces;
#[cfg(test)]
mod record_tests;
mod srec;
mod table;
mod uf2;

use crate::cores::Family;
pub use check::{MemoryRange, check_vector_table};
pub use error::ImageError;
pub use format::{Format, Target};
pub use table::{Found, VectorTable};

/// A firmware image.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Image {
    /// The format of the file.
    pub format: Format,
    /// The cores that it is for, by its header; those of Cortex-M without one.
    pub family: Family,
    /// The loaded segments, in the order of the file.
    pub segments: Vec<Segment>,
    /// The sections that occupy memory, in the order of the file. Only ELF files have some.
    pub sections: Vec<Section>,
    /// Functions, data and labels, sorted by address. Only ELF files with symbols have some.
    pub symbols: Vec<Symbol>,
    /// Where code and literal data alternate, sorted by address.
    pub mapping: Vec<Mapping>,
    /// The entry point that the file names, without the Thumb bit. Only debuggers use the entry
    /// point: the processor starts from the vector table.
    pub entry: Option<u32>,
    /// The architecture for which the image was built, by its build attributes; `None` for a raw
    /// image.
    pub built_for: Option<BuiltFor>,
    /// Programs that run beside the firmware, as the applications of processes do. Their symbols
    /// are not the firmware's own.
    pub guests: Vec<Guest>,
}

/// A program that runs beside the firmware.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guest {
    /// The first address of its flash.
    pub begin: u32,
    /// The address behind its flash.
    pub end: u32,
    /// The first function, which has no caller.
    pub entry: u32,
}

/// An architecture for which firmware may be built. Each contains the earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BuiltFor {
    /// ARMv6-M.
    V6M,
    /// ARMv7-M.
    V7M,
    /// ARMv7E-M, with or without floating point.
    V7EM,
    /// ARMv8-M, baseline or mainline, and later architectures.
    V8M,
}

impl BuiltFor {
    /// Returns the architecture's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::V6M => "ARMv6-M",
            Self::V7M => "ARMv7-M",
            Self::V7EM => "ARMv7E-M",
            Self::V8M => "ARMv8-M",
        }
    }
}

/// A piece of an image that is put into memory before reset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The segment's index among the file's program headers; 0 for a raw image.
    pub index: usize,
    /// Where the segment's bytes are loaded.
    pub load_address: u32,
    /// Where the running firmware finds the segment.
    pub address: u32,
    /// The bytes; empty for memory that start-up code clears.
    pub bytes: Vec<u8>,
    /// The segment's size in memory, at least that of `bytes`.
    pub memory_size: u32,
}

/// A section that occupies memory while the firmware runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The section's name, such as `.text`.
    pub name: String,
    /// Where the running firmware finds the section.
    pub address: u32,
    /// Where the section's bytes are loaded; `None` if the file holds none (`.bss`).
    pub load_address: Option<u32>,
    /// The section's size in bytes.
    pub size: u32,
    /// `true` if the section holds instructions.
    pub executable: bool,
    /// `true` if the firmware may change the section.
    pub writable: bool,
}

impl Section {
    /// Returns the bytes that the section takes in the memory that keeps its content without power.
    pub fn flash_bytes(&self) -> u32 {
        let stored = self.load_address.is_some_and(|loaded| !is_static_memory(loaded));
        if stored { self.size } else { 0 }
    }

    /// Returns the bytes that the section takes in RAM: sections that lie there, or whose used
    /// address is not their load address. The attribute "writable" says little: C compilers give it
    /// to tables that stay in flash.
    pub fn ram_bytes(&self) -> u32 {
        let moved = self.load_address != Some(self.address);
        if moved || is_static_memory(self.address) { self.size } else { 0 }
    }
}

/// Returns `true` if the architecture's memory map has RAM there (B3.1).
fn is_static_memory(address: u32) -> bool {
    (0x2000_0000..0x4000_0000).contains(&address)
}

/// The kinds of symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A variable or constant.
    Data,
    /// A place without type or size: a label of assembly, or a symbol of a linker script.
    Label,
}

/// A name for an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name as in the file, mangled.
    pub name: String,
    /// The address, without the Thumb bit.
    pub address: u32,
    /// The size in bytes; 0 if the file gives none.
    pub size: u32,
    /// The symbol's kind.
    pub kind: SymbolKind,
    /// `true` if the symbol is a plain number without a section, as linker scripts define.
    pub absolute: bool,
}

/// A mapping symbol (`$t`, `$d`), which gives the kind of the bytes from here on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// From this address on.
    pub address: u32,
    /// Instructions, or literal data among them.
    pub code: bool,
}

impl Image {
    /// Reads the ELF file in `bytes`.
    pub fn parse_elf(bytes: &[u8]) -> Result<Self, ImageError> {
        elf::parse(bytes)
    }

    /// Reads the ELF file in `bytes`, of a program for a RISC-V core.
    pub fn parse_riscv_elf(bytes: &[u8]) -> Result<Self, ImageError> {
        elf::parse_riscv(bytes)
    }

    /// Returns `true` if the bytes begin as an ELF file for a RISC-V core of 32 bits does.
    pub fn is_riscv_elf(bytes: &[u8]) -> bool {
        elf::is_riscv(bytes)
    }

    /// Wraps `bytes` that belong at `load_address`, as `objcopy -O binary` writes them.
    pub fn raw(bytes: &[u8], load_address: u32) -> Result<Self, ImageError> {
        let length = bytes.len() as u64;
        if length == 0 {
            return Err(ImageError::Empty);
        }
        let end = u64::from(load_address) + length;
        if end > 1 << 32 {
            return Err(ImageError::BeyondAddressSpace { index: 0, start: load_address, length });
        }
        let segment = Segment {
            index: 0,
            load_address,
            address: load_address,
            bytes: bytes.to_vec(),
            memory_size: u32::try_from(length).unwrap_or(u32::MAX),
        };
        Ok(Self { segments: vec![segment], ..Self::default() })
    }

    /// Returns `true` if `bytes` begin like an ELF file.
    pub fn is_elf(bytes: &[u8]) -> bool {
        bytes.starts_with(elf::MAGIC)
    }

    /// The firmware's own first symbol with exactly this name.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        let mut named = self.symbols.iter().filter(|symbol| symbol.name == name);
        named.find(|symbol| !self.is_of_guest(symbol.address))
    }

    /// Returns `true` if the address is in one of [`Self::guests`].
    pub fn is_of_guest(&self, address: u32) -> bool {
        self.guests.iter().any(|guest| (guest.begin..guest.end).contains(&address))
    }

    /// Returns the function that contains `address`: one whose size covers the address, or else the
    /// nearest name below it in the same section. Routines in assembly often have no size. Of
    /// several names for the function it is the first in [`Self::symbols`].
    pub fn function_at(&self, address: u32) -> Option<&Symbol> {
        let below = self.symbols.partition_point(|symbol| symbol.address <= address);
        let section = self.sections.iter().find(|section| {
            section.executable && address.wrapping_sub(section.address) < section.size
        })?;
        let mut nearest: Option<&Symbol> = None;
        for symbol in self.symbols[..below].iter().rev() {
            if symbol.address < section.address {
                break;
            }
            match symbol.kind {
                SymbolKind::Function if symbol.size > 0 => {
                    if address - symbol.address < symbol.size {
                        return Some(self.best_name(symbol, address));
                    }
                    break;
                }
                SymbolKind::Data => {}
                _ if symbol.absolute => {}
                // Of several names for a place, a function's is better than a linker script's.
                _ => match nearest {
                    Some(known) if known.address > symbol.address => {}
                    Some(known)
                        if known.kind == SymbolKind::Function
                            && symbol.kind != SymbolKind::Function => {}
                    _ => nearest = Some(symbol),
                },
            }
        }
        nearest
    }

    /// The first of the names that a function has, of those that reach `address`. A label with a
    /// size counts: start-up code in assembly leaves out what makes it a function.
    fn best_name<'a>(&'a self, function: &'a Symbol, address: u32) -> &'a Symbol {
        let start = self.symbols.partition_point(|symbol| symbol.address < function.address);
        let here = self.symbols[start..].iter();
        let mut here = here.take_while(|symbol| symbol.address == function.address);
        let is_name = |symbol: &&Symbol| {
            symbol.kind != SymbolKind::Data
                && !symbol.absolute
                && address - symbol.address < symbol.size
        };
        here.find(is_name).unwrap_or(function)
    }

    /// The initial content of the word at `address`, where the image has one loaded.
    pub fn initial_word(&self, address: u32) -> Option<u32> {
        self.segments.iter().find_map(|segment| {
            let offset = usize::try_from(address.checked_sub(segment.load_address)?).ok()?;
            let word = segment.bytes.get(offset..offset.checked_add(4)?)?;
            Some(u32::from_le_bytes(word.try_into().ok()?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_bytes_become_one_segment() {
        let image = Image::raw(&[1, 2, 3, 4, 5], 0x100).unwrap();
        assert_eq!(image.segments.len(), 1);
        assert_eq!(image.segments[0].memory_size, 5);
        assert_eq!(image.initial_word(0x100), Some(0x0403_0201));
        assert_eq!(image.initial_word(0x102), None);
        assert_eq!(image.initial_word(0xff), None);
    }

    #[test]
    fn raw_bytes_must_fit_the_address_space() {
        assert_eq!(Image::raw(&[], 0), Err(ImageError::Empty));
        assert!(Image::raw(&[0; 16], 0xffff_fff0).is_ok());
        assert_eq!(
            Image::raw(&[0; 17], 0xffff_fff0),
            Err(ImageError::BeyondAddressSpace { index: 0, start: 0xffff_fff0, length: 17 })
        );
    }

    fn symbol(name: &str, address: u32, size: u32, kind: SymbolKind) -> Symbol {
        Symbol { name: name.into(), address, size, kind, absolute: false }
    }

    fn text() -> Section {
        Section {
            name: ".text".into(),
            address: 0x100,
            load_address: Some(0x100),
            size: 0x100,
            executable: true,
            writable: false,
        }
    }

    #[test]
    fn a_function_is_found_by_any_address_in_it() {
        let image = Image {
            sections: vec![text()],
            symbols: vec![
                symbol("first", 0x100, 0x10, SymbolKind::Function),
                symbol("label", 0x104, 0, SymbolKind::Data),
                symbol("second", 0x120, 0x10, SymbolKind::Function),
                symbol("inside", 0x124, 0, SymbolKind::Label),
                symbol("__script", 0x140, 0, SymbolKind::Label),
                symbol("unsized", 0x140, 0, SymbolKind::Function),
                symbol("_script", 0x140, 0, SymbolKind::Label),
            ],
            ..Image::default()
        };
        let name = |address| image.function_at(address).map(|symbol| symbol.name.as_str());
        assert_eq!(name(0xfe), None);
        assert_eq!(name(0x100), Some("first"));
        assert_eq!(name(0x10e), Some("first"));
        assert_eq!(name(0x110), None);
        assert_eq!(name(0x12e), Some("second"));
        assert_eq!(name(0x180), Some("unsized"));
        assert_eq!(name(0x200), None);
    }

    #[test]
    fn of_several_names_for_a_function_the_first_counts() {
        let image = Image {
            sections: vec![text()],
            symbols: vec![
                // As a start-up file in assembly has them: a label, and aliases that are functions.
                symbol("Default_Handler", 0x100, 2, SymbolKind::Label),
                symbol("NMI_Handler", 0x100, 2, SymbolKind::Function),
                symbol("SysTick_Handler", 0x100, 2, SymbolKind::Function),
                symbol("whole", 0x110, 8, SymbolKind::Function),
                symbol("alias", 0x110, 8, SymbolKind::Function),
                symbol("one", 0x120, 0, SymbolKind::Function),
                symbol("other", 0x120, 0, SymbolKind::Function),
            ],
            ..Image::default()
        };
        let name = |address| image.function_at(address).map(|symbol| symbol.name.as_str());
        assert_eq!((name(0x100), name(0x101)), (Some("Default_Handler"), Some("Default_Handler")));
        assert_eq!((name(0x110), name(0x117)), (Some("whole"), Some("whole")));
        assert_eq!(name(0x130), Some("one"));
    }

    #[test]
    fn sections_know_what_they_cost() {
        let mut section = Section {
            name: ".data".into(),
            address: 0x2000_0000,
            load_address: Some(0x400),
            size: 12,
            executable: false,
            writable: true,
        };
        assert_eq!((section.flash_bytes(), section.ram_bytes()), (12, 12));
        section.load_address = None;
        assert_eq!((section.flash_bytes(), section.ram_bytes()), (0, 12));
        section.writable = false;
        section.load_address = Some(section.address);
        assert_eq!((section.flash_bytes(), section.ram_bytes()), (0, 12));
        (section.address, section.load_address) = (0x400, Some(0x400));
        section.writable = true;
        assert_eq!((section.flash_bytes(), section.ram_bytes()), (12, 0));
    }
}
