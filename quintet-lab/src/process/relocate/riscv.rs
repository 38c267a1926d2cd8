//! Relocations of RISC-V: an address in a word, or in two instructions, as such or as a distance
//! from the first of them.
//!
//! The linker must not have relaxed (`--no-relax`): what it makes shorter has other forms than the
//! relocations say. Each relocation has its addend beside it, so the address is known exactly.
//!
//! Source: "RISC-V ELF psABI", "Relocations".

use anyhow::{Context, bail};
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget};

use super::{Field, Linked, Reader, Shape};

/// Types of relocations: an address in a word.
const WORD: u32 = 1;
/// A distance in two instructions: the upper part, and the lower one, whose symbol is the place of
/// the upper one.
const DISTANCE_UPPER: u32 = 23;
const DISTANCE_LOWER: [u32; 2] = [24, 25];
/// An address in two instructions.
const UPPER: u32 = 26;
const LOWER: [u32; 2] = [27, 28];
/// Distances within code, differences, and notes, which don't change: branches, jumps and calls;
/// sums and differences; alignment and relaxation.
const WITHIN: [u32; 25] = [
    0, 16, 17, 18, 19, 33, 34, 35, 36, 37, 38, 39, 40, 43, 44, 45, 51, 52, 53, 54, 55, 56, 57, 60,
    61,
];

/// The opcode bits of a store, whose lower part is split.
const OPCODE: u32 = 0x7f;
const STORE: u32 = 0x23;

/// A distance's upper part: its address, the distance, and whether it leads from flash to memory.
pub(super) type Distance = (u32, u32, bool);

impl Reader<'_> {
    /// Takes one relocation of RISC-V.
    pub(super) fn take_riscv(
        &mut self,
        address: u32,
        relocation: &object::Relocation,
    ) -> anyhow::Result<()> {
        let RelocationFlags::Elf { r_type } = relocation.flags() else { return Ok(()) };
        let kind = r_type.0;
        if WITHIN.contains(&kind) {
            return Ok(());
        }
        let RelocationTarget::Symbol(index) = relocation.target() else { return Ok(()) };
        let symbol = self.file.symbol_by_index(index).context("a relocation has no symbol")?;
        if DISTANCE_LOWER.contains(&kind) {
            self.distant.push((address, symbol.address() as u32));
            return Ok(());
        }
        // Plain numbers, such as sizes, and symbols without a place.
        let Some(section) = symbol.section_index() else { return Ok(()) };
        let section = self.file.section_by_index(section).context("a symbol has no section")?;
        let in_memory = self.linked.is_memory(section.address() as u32);
        let target = (symbol.address() as u32).wrapping_add(relocation.addend() as u32);
        let Some(at) = self.place(address) else {
            bail!("the relocation at {address:#010x} is of nothing that is loaded")
        };
        let mut push = |shape, value| self.fields.push(Field { at, shape, value, in_memory });
        match kind {
            WORD => push(Shape::Word, target),
            UPPER => push(Shape::HighPart, target),
            kind if LOWER.contains(&kind) => push(Shape::LowPart, target),
            DISTANCE_UPPER => {
                let distance = target.wrapping_sub(address);
                let from_memory = self.linked.is_memory(address);
                if in_memory != from_memory {
                    self.distances.push((address, distance, in_memory));
                }
            }
            other => bail!(
                "the relocation of type {other} at {address:#010x} can't be moved: link the \
                 application for its place (-Clink-arg=--defsym=PROCESS_FLASH=.. and \
                 PROCESS_MEMORY=..), and pack its ELF file"
            ),
        }
        Ok(())
    }

    /// Puts the parts of distances together that change when flash and memory move apart.
    pub(super) fn finish_distances(&mut self) -> anyhow::Result<()> {
        for (address, value, _) in std::mem::take(&mut self.distances) {
            let at = self.place(address).context("a distance is of nothing that is loaded")?;
            let lower = self.distant.iter().filter(|(_, upper)| *upper == address);
            let lower: Vec<u32> = lower.map(|(lower, _)| *lower).collect();
            let field = |at, shape| Field { at, shape, value, in_memory: true };
            self.fields.push(field(at, Shape::HighDistance));
            for lower in lower {
                let at = self.place(lower).context("a distance is of nothing that is loaded")?;
                self.fields.push(field(at, Shape::LowDistance));
            }
        }
        Ok(())
    }
}

/// Writes the upper part of a value, to which the signed lower part is added.
pub(super) fn set_high(place: &mut [u8], value: u32) {
    let word = word_of(place) & 0xfff | value.wrapping_add(0x800) & !0xfff;
    place.copy_from_slice(&word.to_le_bytes());
}

/// Writes the lower 12 bits of a value, into a load or an addition, or into a store.
pub(super) fn set_low(place: &mut [u8], value: u32) {
    let (word, low) = (word_of(place), value & 0xfff);
    let word = if word & OPCODE == STORE {
        word & !0xfe00_0f80 | (low >> 5) << 25 | (low & 0x1f) << 7
    } else {
        word & 0xf_ffff | low << 20
    };
    place.copy_from_slice(&word.to_le_bytes());
}

fn word_of(place: &[u8]) -> u32 {
    place.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// How much farther memory is from flash than as the application was linked.
pub(super) fn apart(linked: &Linked, flash: u32, memory: u32) -> u32 {
    memory.wrapping_sub(linked.memory).wrapping_sub(flash.wrapping_sub(linked.flash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_addresses_add_up() {
        for value in [0, 0x7ff, 0x800, 0xfff, 0x8000_4800, 0xffff_ffff] {
            // lui a0, 0x12345; addi a0, a0, 0x678; sw a1, 0x678(a0)
            let mut high = 0x1234_5537_u32.to_le_bytes();
            let mut load = 0x6785_0513_u32.to_le_bytes();
            let mut store = 0x66b5_2c23_u32.to_le_bytes();
            set_high(&mut high, value);
            set_low(&mut load, value);
            set_low(&mut store, value);
            let (high, load, store) = (word_of(&high), word_of(&load), word_of(&store));
            assert_eq!((high & 0xfff, load & 0xf_ffff), (0x537, 0x5_0513));
            assert_eq!(store & !0xfe00_0f80, 0x66b5_2c23 & !0xfe00_0f80);
            let low = load as i32 >> 20;
            assert_eq!((high & !0xfff).wrapping_add(low as u32), value, "{value:#x}");
            let low = (store as i32 >> 25) << 5 | (store >> 7 & 0x1f) as i32;
            assert_eq!((high & !0xfff).wrapping_add(low as u32), value, "{value:#x}");
        }
    }
}
