//! The memory map that GDB asks for: `info mem` shows it, and GDB reads nothing elsewhere.

use std::fmt::Write;

use quintet_sim::board::Board;

/// What of the address space are devices and the processor's own registers, in every board.
const DEVICES: [(u32, u32); 2] = [(0x4000_0000, 0x2000_0000), (0xe000_0000, 0x2000_0000)];
/// The alias of RAM where each bit has a word.
const BIT_BAND: (u32, u32) = (0x2200_0000, 0x0200_0000);

/// The map as XML. All of it is "ram" for GDB: a debugger may write flash here as well, so that
/// `load` needs no commands of flash.
pub fn xml(board: &Board) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map \
         V1.0//EN\" \"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n",
    );
    for (start, end) in ranges(board) {
        // Writing to a string never fails.
        let _ = writeln!(
            text,
            "  <memory type=\"ram\" start=\"{start:#x}\" length=\"{:#x}\"/>",
            end - start
        );
    }
    text.push_str("</memory-map>\n");
    text
}

/// The ranges, each with its end, in order and apart.
fn ranges(board: &Board) -> Vec<(u64, u64)> {
    let memories = board.memories.iter().flat_map(|memory| {
        let starts = std::iter::once(memory.start).chain(memory.aliases.clone());
        starts.map(|start| (start, memory.size))
    });
    let devices = board.devices.iter().map(|device| (device.base, device.reach()));
    let bit_band = board.bit_banding.then_some(BIT_BAND);
    let mut all: Vec<(u64, u64)> = memories
        .chain(devices)
        .chain(DEVICES)
        .chain(bit_band)
        .map(|(start, size)| (u64::from(start), u64::from(start) + u64::from(size)))
        .collect();
    all.sort_unstable();
    let mut apart: Vec<(u64, u64)> = Vec::new();
    for (start, end) in all {
        match apart.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => apart.push((start, end)),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_memory_and_device_is_in_one_range() {
        for name in Board::names() {
            let board = Board::named(name).unwrap();
            let ranges = ranges(&board);
            assert!(ranges.windows(2).all(|two| two[0].1 < two[1].0), "{name}: {ranges:x?}");
            let holds = |address: u32| {
                ranges.iter().any(|(start, end)| (*start..*end).contains(&u64::from(address)))
            };
            assert!(board.memories.iter().all(|memory| holds(memory.start)), "{name}");
            assert!(board.devices.iter().all(|device| holds(device.base)), "{name}");
            assert!(holds(0xe000_e000) && holds(0xffff_ffff) && !holds(0x9000_0000), "{name}");
            let text = xml(&board);
            assert_eq!(text.matches("<memory type").count(), ranges.len());
        }
    }
}
