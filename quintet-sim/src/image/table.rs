//! The vector table from which firmware starts, if the table isn't at the board's address.
//!
//! A chip takes the table from a fixed address. That address may hold something else: the second
//! stage of a boot ROM (RP2040), a header that such a ROM reads (IVT of NXP), a signature of a
//! bootloader, or nothing (an image for RAM, or for behind a bootloader). On silicon, such software
//! finds the firmware's own table and goes on there. The simulator looks for the table in this
//! order:
//!
//! 1. Sections and symbols with a name that start-up code gives the table.
//! 2. Aligned places whose second word is the file's entry.
//! 3. The beginning of the image.
//! 4. Aligned places that look like a table, for files that name no entry.

use super::{Image, Segment};
use std::fmt;

/// The least alignment of a vector table that VTOR can express (B3.2.5).
pub const ALIGNMENT: u32 = 128;

/// The most tables that are found by names.
const NAMED_MAX: usize = 64;

/// The names of the vector table in start-up code, without points, underscores and capitals:
/// `.vector_table` of cortex-m-rt, `.isr_vector` and `g_pfnVectors` of ST, `__Vectors` of CMSIS.
const NAMES: [&str; 16] = [
    "vectortable",
    "isrvector",
    "isrvectors",
    "isrvectortable",
    "vectors",
    "vector",
    "vectorstart",
    "gpfnvectors",
    "intvec",
    "intvecs",
    "interrupts",
    "interruptvector",
    "interruptvectors",
    "cs3interruptvector",
    "exceptiontable",
    "cortexvectorbase",
];

/// A vector table that the processor may be started from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VectorTable {
    /// Where the table is loaded.
    pub address: u32,
    /// How the table was found.
    pub found: Found,
}

/// How a vector table was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// The board's address has the table.
    Board,
    /// The user asked for this table.
    Asked,
    /// By a section's name.
    Section(String),
    /// By a symbol's name.
    Symbol(String),
    /// The table's reset vector is the file's entry.
    Entry,
    /// The image begins with the table.
    First,
    /// The words look like a table.
    Shape,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Board => f.write_str("where the board has it"),
            Self::Asked => f.write_str("as asked for"),
            Self::Section(name) => write!(f, "section {name}"),
            Self::Symbol(name) => write!(f, "symbol {name}"),
            Self::Entry => f.write_str("its reset vector is the file's entry"),
            Self::First => f.write_str("the image begins with it"),
            Self::Shape => f.write_str("it looks like one"),
        }
    }
}

impl fmt::Display for VectorTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the vector table at {:#010x} ({})", self.address, self.found)
    }
}

fn is_name(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| !matches!(c, '.' | '_')).collect();
    NAMES.contains(&plain.to_ascii_lowercase().as_str())
}

impl Image {
    /// Returns the places with a name of the vector table, and then each aligned place whose second
    /// word is the file's entry.
    pub fn tables_by_name_and_entry(&self) -> Vec<VectorTable> {
        let mut tables = Vec::new();
        for section in self.sections.iter().filter(|section| is_name(&section.name)) {
            let found = Found::Section(section.name.clone());
            tables.extend(section.load_address.map(|address| VectorTable { address, found }));
        }
        let symbols = self.symbols.iter().filter(|symbol| is_name(&symbol.name));
        for symbol in symbols.take(NAMED_MAX) {
            let found = Found::Symbol(symbol.name.clone());
            let loaded = self.loaded_at(symbol.address);
            tables.extend(loaded.map(|address| VectorTable { address, found }));
        }
        // Damaged files may have any number of them.
        tables.truncate(NAMED_MAX);
        if let Some(entry) = self.entry {
            let is_it = |table: [u32; 2]| table[1] == entry | 1;
            let at = self.aligned().filter(|(_, table)| is_it(*table)).map(|(address, _)| address);
            tables.extend(at.map(|address| VectorTable { address, found: Found::Entry }));
        }
        tables
    }

    /// The place where the image begins, and then each aligned one.
    pub fn tables_by_place(&self) -> impl Iterator<Item = VectorTable> {
        let segments = self.segments.iter().filter(|segment| !segment.bytes.is_empty());
        let first = segments.map(|segment| segment.load_address).min();
        let first = first.map(|address| VectorTable { address, found: Found::First });
        let others = self.aligned().map(|(address, _)| address);
        let shape = |address| VectorTable { address, found: Found::Shape };
        first.into_iter().chain(others.map(shape))
    }

    /// Returns where the running firmware finds its loaded or cleared bytes: first addresses and
    /// ends, sorted and apart.
    pub fn used(&self) -> Vec<(u32, u64)> {
        let range = |segment: &Segment| {
            (segment.address, u64::from(segment.address) + u64::from(segment.memory_size))
        };
        let mut ranges: Vec<(u32, u64)> = self.segments.iter().map(range).collect();
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let meets = u64::from(next.0) <= last.1;
            last.1 = if meets { last.1.max(next.1) } else { last.1 };
            meets
        });
        ranges
    }

    /// Returns where the bytes that are used at `address` are loaded.
    fn loaded_at(&self, address: u32) -> Option<u32> {
        let mut loaded = self.segments.iter().filter_map(|segment| {
            let offset = address.checked_sub(segment.address)?;
            let inside = (offset as usize) < segment.bytes.len();
            inside.then(|| segment.load_address.wrapping_add(offset))
        });
        loaded.next()
    }

    /// The first two words at every place that VTOR can express.
    fn aligned(&self) -> impl Iterator<Item = (u32, [u32; 2])> {
        self.segments.iter().flat_map(|segment| {
            let start = segment.load_address.wrapping_neg() % ALIGNMENT;
            let places = (start as usize..segment.bytes.len()).step_by(ALIGNMENT as usize);
            places.filter_map(|offset| {
                let bytes = segment.bytes.get(offset..offset.checked_add(8)?)?;
                let word = |at| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
                let address = segment.load_address.wrapping_add(u32::try_from(offset).ok()?);
                Some((address, [word(0)?, word(4)?]))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{Section, Symbol, SymbolKind};

    /// Two tables at 0x1000 and 0x1100 in flash, the second with the reset vector 0x1201.
    fn image() -> Image {
        let mut bytes = vec![0; 0x300];
        bytes[..8].copy_from_slice(&[0, 0xb5, 0x32, 0x4b, 0x21, 0x20, 0x58, 0x60]);
        bytes[0x100..0x108].copy_from_slice(&[0, 0x10, 0, 0x20, 1, 0x12, 0, 0]);
        let segment =
            Segment { index: 0, load_address: 0x1000, address: 0x1000, bytes, memory_size: 0x300 };
        Image { segments: vec![segment], ..Image::default() }
    }

    fn found(image: &Image) -> Vec<(u32, String)> {
        let tables = image.tables_by_name_and_entry().into_iter();
        tables.map(|table| (table.address, table.found.to_string())).collect()
    }

    #[test]
    fn the_usual_names_are_known_in_every_spelling() {
        for name in [
            ".vector_table",
            ".isr_vector",
            "__vector_table",
            "__VECTOR_TABLE",
            "__Vectors",
            "g_pfnVectors",
            ".vectors",
            ".intvecs",
            "_vector_start",
            "__isr_vector",
        ] {
            assert!(is_name(name), "{name}");
        }
        for name in [".text", "vector_table_end", "std::vector", "__vectors_size", ""] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn names_come_before_the_entry() {
        let mut image = image();
        assert_eq!(found(&image), []);
        image.entry = Some(0x1200);
        assert_eq!(found(&image), [(0x1100, "its reset vector is the file's entry".into())]);
        image.symbols.push(Symbol {
            name: "__Vectors".into(),
            address: 0x1100,
            size: 0,
            kind: SymbolKind::Data,
            absolute: false,
        });
        let section = |name: &str, load_address| Section {
            name: name.into(),
            address: 0x2000_0000,
            load_address,
            size: 0x80,
            executable: false,
            writable: false,
        };
        image.sections.push(section(".isr_vector", Some(0x1100)));
        image.sections.push(section(".vectors", None));
        let names: Vec<_> = found(&image).into_iter().map(|(_, how)| how).collect();
        assert_eq!(names[..2], ["section .isr_vector", "symbol __Vectors"]);
        assert_eq!(names.len(), 3, "what isn't loaded is no table");
    }

    #[test]
    fn a_symbol_in_ram_means_what_is_loaded_for_it() {
        let mut image = image();
        image.segments[0].address = 0x2000_0000;
        assert_eq!(image.loaded_at(0x2000_0100), Some(0x1100));
        assert_eq!(image.loaded_at(0x2000_0300), None);
        assert_eq!(image.loaded_at(0x1100), None);
    }

    #[test]
    fn places_are_aligned_wherever_a_segment_begins() {
        let mut image = image();
        image.segments[0].load_address = 0x10f8;
        let places: Vec<_> = image.aligned().map(|(address, _)| address).collect();
        assert_eq!(places, [0x1100, 0x1180, 0x1200, 0x1280, 0x1300, 0x1380]);
        image.segments[0].load_address = u32::MAX - 0x2ff;
        assert!(image.aligned().all(|(address, _)| address % 128 == 0));
        image.segments[0].bytes = vec![0; 7];
        assert_eq!(image.aligned().count(), 0);
    }
}
