//! Several files that run together: an application and its bootloader, a SoftDevice, a table of
//! parameters.
//!
//! They become one image, with the symbols and the debug information of all. Each must fit the
//! board by itself. No two may load the same memory, not even by different addresses of the board.

use super::Firmware;
use anyhow::{Context, bail};
use quintet_sim::board::Board;
use quintet_sim::image::{Image, Segment, SymbolKind};
use std::collections::BTreeSet;

/// A segment's part of a memory: the memory's number in the board, the first and the last offset in
/// it, the address as in the file, and `true` if the file is the second.
type Loaded = (usize, u32, u32, u32, bool);

impl Firmware {
    /// Adds another file to the running image.
    pub fn add(&mut self, other: Self, board: &Board) -> anyhow::Result<()> {
        for firmware in [&*self, &other] {
            let image = &firmware.image;
            let fits = image
                .check_architecture(board.configuration().architecture)
                .and(image.check_memories(&board.memory_ranges()));
            let name = firmware.path.display();
            fits.with_context(|| format!("cannot load {name} on the board {}", board.name))?;
        }
        if let Some((first, last)) = overlap(board, &self.image, &other.image) {
            bail!(
                "{} and {} both load {first:#010x} to {last:#010x}; link one of them for other \
                 addresses, or leave it out",
                self.path.display(),
                other.path.display()
            );
        }
        let Self { mut image, debug, guests, .. } = other;
        leave_out_script_symbols(&self.image, &mut image);
        self.image.segments.extend(image.segments);
        self.image.sections.extend(image.sections);
        self.image.symbols.extend(image.symbols);
        self.image.symbols.sort_by_key(|symbol| symbol.address);
        self.image.mapping.extend(image.mapping);
        self.image.mapping.sort_by_key(|mark| mark.address);
        self.image.built_for = self.image.built_for.max(image.built_for);
        self.image.guests.extend(image.guests);
        self.guests.extend(guests);
        self.debug.add(debug);
        Ok(())
    }
}

/// Leaves out symbols of the second file's linker script. Linker scripts of both files define
/// `_ebss` and similar symbols. The first file's are meant, which is the application. Labels in
/// code are routines, and stay.
fn leave_out_script_symbols(first: &Image, image: &mut Image) {
    let labels = first.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Label);
    let known: BTreeSet<&str> = labels.map(|symbol| symbol.name.as_str()).collect();
    let code = image.sections.iter().filter(|section| section.executable);
    let code: Vec<(u32, u32)> = code.map(|section| (section.address, section.size)).collect();
    image.symbols.retain(|symbol| {
        let is_routine =
            code.iter().any(|(start, size)| symbol.address.wrapping_sub(*start) < *size);
        symbol.kind != SymbolKind::Label || is_routine || !known.contains(symbol.name.as_str())
    });
}

/// The first and last address, as the second image has them, that both load.
fn overlap(board: &Board, one: &Image, other: &Image) -> Option<(u32, u32)> {
    let of = |image: &Image, is_other| {
        let segments = image.segments.iter();
        segments.flat_map(|segment| loaded(board, segment, is_other)).collect::<Vec<_>>()
    };
    let mut all: Vec<Loaded> = of(one, false);
    all.extend(of(other, true));
    all.sort_unstable();
    // For each image, the part that reaches furthest so far.
    let mut furthest: [Option<Loaded>; 2] = [None, None];
    for next in all {
        let (memory, first, last, _, is_other) = next;
        if let Some(before) = furthest[usize::from(!is_other)]
            && before.0 == memory
            && before.2 >= first
        {
            let (offset, of_file) = if is_other { (first, next) } else { (first, before) };
            let start = of_file.3 + (offset - of_file.1);
            return Some((start, start + (last.min(before.2) - offset)));
        }
        let own = &mut furthest[usize::from(is_other)];
        if own.is_none_or(|own| own.0 != memory || own.2 < last) {
            *own = Some(next);
        }
    }
    None
}

/// Returns the parts of memories into which a segment is loaded. The segment may span several
/// adjoining memories.
fn loaded(board: &Board, segment: &Segment, is_other: bool) -> Vec<Loaded> {
    let mut parts = Vec::new();
    let (start, length) = (u64::from(segment.load_address), segment.bytes.len() as u64);
    for (number, memory) in board.memories.iter().enumerate() {
        for alias in std::iter::once(&memory.start).chain(&memory.aliases) {
            let alias = u64::from(*alias);
            let first = start.max(alias);
            let end = (start + length).min(alias + u64::from(memory.size));
            if first < end {
                let offset = |address: u64| (address - alias) as u32;
                parts.push((number, offset(first), offset(end - 1), first as u32, is_other));
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::DebugInfo;
    use quintet_sim::image::{Section, Symbol};

    fn firmware(name: &str, address: u32, length: usize) -> Firmware {
        let image = Image::raw(&vec![1; length], address).unwrap();
        Firmware {
            path: name.into(),
            image,
            debug: DebugInfo::load(&[]),
            guests: Vec::new(),
            svd: None,
        }
    }

    fn added(one: (u32, usize), other: (u32, usize)) -> Result<usize, String> {
        let board = Board::named("stm32f100").unwrap();
        let mut both = firmware("app.bin", one.0, one.1);
        both.add(firmware("boot.bin", other.0, other.1), &board)
            .map_err(|error| format!("{error:#}"))?;
        Ok(both.image.segments.len())
    }

    #[test]
    fn files_that_load_different_bytes_run_together() {
        assert_eq!(added((0x0800_4000, 0x100), (0x0800_0000, 0x4000)), Ok(2));
        assert_eq!(added((0x0800_0000, 0x4000), (0x4000, 0x100)), Ok(2));
        assert_eq!(added((0x0800_0000, 0x100), (0x2000_0000, 0x100)), Ok(2));
    }

    #[test]
    fn both_files_are_named_where_they_overlap_under_any_address() {
        let message = "app.bin and boot.bin both load 0x08000ff0 to 0x08000fff; link one of them \
                       for other addresses, or leave it out";
        assert_eq!(added((0x0800_0ff0, 0x100), (0x0800_0000, 0x1000)), Err(message.into()));
        let message = added((0x0800_0ff0, 0x100), (0, 0x1000)).unwrap_err();
        assert!(message.contains("both load 0x00000ff0 to 0x00000fff"), "{message}");
        let message = added((0, 0x1000), (0x0800_0ff8, 8)).unwrap_err();
        assert!(message.contains("both load 0x08000ff8 to 0x08000fff"), "{message}");
    }

    #[test]
    fn a_file_that_does_not_fit_the_board_is_named() {
        let message = added((0x0800_0000, 8), (0x0900_0000, 8)).unwrap_err();
        assert!(message.starts_with("cannot load boot.bin on the board stm32f100: "), "{message}");
    }

    #[test]
    fn of_two_linker_scripts_the_first_files_is_meant() {
        let symbol = |name: &str, address, kind| Symbol {
            name: name.into(),
            address,
            size: 0,
            kind,
            absolute: false,
        };
        let (label, function) = (SymbolKind::Label, SymbolKind::Function);
        let first = Image {
            symbols: vec![symbol("_ebss", 0x2000_0800, label), symbol("Reset", 0x1000, label)],
            ..Image::default()
        };
        let text = Section {
            name: ".text".into(),
            address: 0,
            load_address: Some(0),
            size: 0x100,
            executable: true,
            writable: false,
        };
        let mut second = Image {
            symbols: vec![
                symbol("Reset", 0x80, label),
                symbol("main", 0x90, function),
                symbol("_ebss", 0x2000_0100, label),
                symbol("_own", 0x2000_0100, label),
            ],
            sections: vec![text],
            ..Image::default()
        };
        leave_out_script_symbols(&first, &mut second);
        let names: Vec<_> = second.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["Reset", "main", "_own"]);
    }

    #[test]
    fn overlap_is_found_behind_a_long_segment() {
        let board = Board::named("stm32f100").unwrap();
        let mut one = firmware("one", 0x0800_0000, 0x1000).image;
        one.segments.extend(firmware("one", 0x0800_0100, 4).image.segments);
        let other = firmware("other", 0x0800_0200, 4).image;
        assert_eq!(overlap(&board, &one, &other), Some((0x0800_0200, 0x0800_0203)));
        assert_eq!(overlap(&board, &other, &one), Some((0x0800_0200, 0x0800_0203)));
    }
}
