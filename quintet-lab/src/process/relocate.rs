//! Moves an application to another place. Its ELF file was linked for one place, and contains the
//! linker's relocations (`--emit-relocs`).
//!
//! Code and constants move together, and so do all variables. Only absolute addresses change, by as
//! much as their targets move. They stand in words, or in the two halves of the instructions `movw`
//! and `movt`. The target tells which halves belong together: the lower half gives the address
//! within 32 KiB of the symbol, because an addend has no more bits.
//!
//! Source: "ELF for the Arm Architecture" (AAELF32), 5.6 "Relocation".

mod riscv;

use anyhow::{Context, bail, ensure};
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
};
use quintet_sim::cores::Family;
use quintet_sim::image::Image;

use super::pack::{Linked, image_of, linked};

/// Types of relocations: an address in a word, and in two halves.
const ABSOLUTE: [u32; 2] = [2, 38];
const MOVW: u32 = 47;
const MOVT: u32 = 48;
/// Distances within code, which don't change, and no relocation: calls, jumps and loads.
const WITHIN: [u32; 12] = [0, 10, 11, 28, 29, 30, 51, 52, 53, 54, 102, 103];

/// The flag of sections that are in memory.
const ALLOCATED: u64 = 1 << 1;

/// Advice for building an application that can be moved.
const HOW: &str = "build the application by `quintet pack DIRECTORY`, or link it with \
                   `-Clink-arg=--emit-relocs`";

/// An application that can be moved.
#[derive(Clone, Debug)]
pub struct Movable {
    /// The application as it was linked.
    pub linked: Linked,
    /// The alignment of the application's flash, and of its memory.
    pub alignment: (u32, u32),
    fields: Vec<Field>,
}

/// A place with an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Field {
    /// The address's place in the binary.
    at: usize,
    shape: Shape,
    /// The address, as it was linked.
    value: u32,
    /// `true` if the address points to memory, not to flash.
    in_memory: bool,
}

/// The form of the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Word,
    /// The instruction `movw`.
    Lower,
    /// The instruction `movt`.
    Upper,
    /// RISC-V: the upper part of an address, and the lower one.
    HighPart,
    LowPart,
    /// RISC-V: the parts of a distance between flash and memory.
    HighDistance,
    LowDistance,
}

/// Half an address, and its target.
#[derive(Clone, Copy)]
struct Half {
    at: usize,
    symbol: usize,
    /// The address of the symbol.
    near: u32,
    in_memory: bool,
    bits: u16,
    register: u16,
}

impl Movable {
    /// Reads an ELF file.
    pub fn read(bytes: &[u8]) -> anyhow::Result<Self> {
        let image = image_of(bytes)?;
        let linked = linked(&image)?;
        let file = object::File::parse(bytes).context("cannot read the sections")?;
        let mut reader = Reader {
            image: &image,
            linked: &linked,
            file: &file,
            fields: Vec::new(),
            halves: [const { Vec::new() }; 2],
            distances: Vec::new(),
            distant: Vec::new(),
        };
        let is_riscv = image.family == Family::RiscV;
        let mut alignment = (8, 8);
        let mut has_any = false;
        for section in file.sections().filter(is_loaded) {
            let largest = if linked.is_memory(section.address() as u32) {
                &mut alignment.1
            } else {
                &mut alignment.0
            };
            *largest = (*largest).max(section.align() as u32);
            for (address, relocation) in section.relocations() {
                has_any = true;
                if is_riscv {
                    reader.take_riscv(address as u32, &relocation)?;
                } else {
                    reader.take(address as u32, &relocation)?;
                }
            }
        }
        ensure!(has_any, "it has no relocations, so it can't be moved: {HOW}");
        reader.finish_distances()?;
        let fields = reader.finish()?;
        Ok(Self { linked, alignment, fields })
    }

    /// Returns the binary and its entry, for another place in flash and in memory.
    pub fn moved(&self, flash: u32, memory: u32) -> Linked {
        let by_flash = flash.wrapping_sub(self.linked.flash);
        let by_memory = memory.wrapping_sub(self.linked.memory);
        let mut moved = Linked { flash, memory, ..self.linked.clone() };
        let apart = riscv::apart(&self.linked, flash, memory);
        moved.entry = self.linked.entry.wrapping_add(by_flash);
        for field in &self.fields {
            let by = if field.in_memory { by_memory } else { by_flash };
            let value = field.value.wrapping_add(by);
            let Some(place) = moved.binary.get_mut(field.at..field.at + 4) else { continue };
            match field.shape {
                Shape::Word => place.copy_from_slice(&value.to_le_bytes()),
                Shape::Lower => set_immediate(place, value as u16),
                Shape::Upper => set_immediate(place, (value >> 16) as u16),
                Shape::HighPart => riscv::set_high(place, value),
                Shape::LowPart => riscv::set_low(place, value),
                Shape::HighDistance => riscv::set_high(place, field.value.wrapping_add(apart)),
                Shape::LowDistance => riscv::set_low(place, field.value.wrapping_add(apart)),
            }
        }
        moved
    }
}

fn is_loaded<'a>(section: &impl ObjectSection<'a>) -> bool {
    let SectionFlags::Elf { sh_flags, .. } = section.flags() else { return false };
    sh_flags.0 & ALLOCATED != 0
}

/// Reads relocations.
struct Reader<'a> {
    image: &'a Image,
    linked: &'a Linked,
    file: &'a object::File<'a>,
    fields: Vec<Field>,
    /// Lower ones, and upper ones.
    halves: [Vec<Half>; 2],
    /// RISC-V: the upper parts of distances, and the places of lower ones with those of their upper
    /// ones.
    distances: Vec<riscv::Distance>,
    distant: Vec<(u32, u32)>,
}

impl Reader<'_> {
    fn take(&mut self, address: u32, relocation: &object::Relocation) -> anyhow::Result<()> {
        let RelocationFlags::Elf { r_type } = relocation.flags() else { return Ok(()) };
        let kind = r_type.0;
        if WITHIN.contains(&kind) {
            return Ok(());
        }
        let RelocationTarget::Symbol(index) = relocation.target() else { return Ok(()) };
        let symbol = self.file.symbol_by_index(index).context("a relocation has no symbol")?;
        // Plain numbers, such as sizes, and symbols without a place.
        let Some(section) = symbol.section_index() else { return Ok(()) };
        let section = self.file.section_by_index(section).context("a symbol has no section")?;
        let in_memory = self.linked.is_memory(section.address() as u32);
        let Some(at) = self.place(address) else {
            bail!("the relocation at {address:#010x} is of nothing that is loaded")
        };
        let bytes = &self.linked.binary[at..at + 4];
        let half = || {
            let (bits, register) = immediate(bytes);
            Half { at, symbol: index.0, near: symbol.address() as u32, in_memory, bits, register }
        };
        match kind {
            kind if ABSOLUTE.contains(&kind) => {
                let value = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                self.fields.push(Field { at, shape: Shape::Word, value, in_memory });
            }
            MOVW => self.halves[0].push(half()),
            MOVT => self.halves[1].push(half()),
            other => bail!(
                "the relocation of type {other} at {address:#010x} can't be moved: link the \
                 application for its place (-Clink-arg=--defsym=PROCESS_FLASH=.. and \
                 PROCESS_MEMORY=..), and pack its ELF file"
            ),
        }
        Ok(())
    }

    /// Returns the place of an address in the binary.
    fn place(&self, address: u32) -> Option<usize> {
        let holds = |segment: &&quintet_sim::image::Segment| {
            address.wrapping_sub(segment.address) < segment.bytes.len() as u32
        };
        let segment = self.image.segments.iter().find(holds)?;
        let at =
            (address - segment.address + segment.load_address).checked_sub(self.linked.flash)?;
        (at as usize + 4 <= self.linked.binary.len()).then_some(at as usize)
    }

    /// Puts halves together.
    fn finish(mut self) -> anyhow::Result<Vec<Field>> {
        let [lower, upper] = &self.halves;
        let whole = |half: &Half| {
            let offset = half.bits.wrapping_sub(half.near as u16) as i16;
            half.near.wrapping_add_signed(offset.into())
        };
        for half in lower {
            let (at, in_memory) = (half.at, half.in_memory);
            self.fields.push(Field { at, shape: Shape::Lower, value: whole(half), in_memory });
        }
        for half in upper {
            let is_other = |other: &&Half| {
                other.symbol == half.symbol && (whole(other) >> 16) as u16 == half.bits
            };
            // The nearest half of the same register before this one, or else any: usually there is
            // only one address.
            let distance = |other: &&Half| {
                let is_before = other.at < half.at && other.register == half.register;
                (!is_before, half.at.abs_diff(other.at))
            };
            let other = lower.iter().filter(is_other).min_by_key(distance);
            let other = other.with_context(|| {
                format!(
                    "an address has an upper half alone, {:#x} bytes behind the beginning",
                    half.at
                )
            })?;
            let (at, in_memory) = (half.at, half.in_memory);
            self.fields.push(Field { at, shape: Shape::Upper, value: whole(other), in_memory });
        }
        Ok(self.fields)
    }
}

/// The immediate of `movw` or `movt`, and the register.
fn immediate(bytes: &[u8]) -> (u16, u16) {
    let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let (first, second) = (half(0), half(2));
    let top = (first & 0xf) << 12 | (first >> 10 & 1) << 11;
    (top | (second >> 12 & 7) << 8 | second & 0xff, second >> 8 & 0xf)
}

/// Writes the value into the instruction.
fn set_immediate(bytes: &mut [u8], value: u16) {
    let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let first = half(0) & !0x040f | value >> 12 | (value >> 11 & 1) << 10;
    let second = half(2) & !0x70ff | (value >> 8 & 7) << 12 | value & 0xff;
    bytes[..2].copy_from_slice(&first.to_le_bytes());
    bytes[2..].copy_from_slice(&second.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn immediates_of_moves_are_read_and_written() {
        for value in [0, 0x1234, 0x0800, 0xffff, 0x8001] {
            // movw r7, #0xabcd
            let mut bytes = [0x4a, 0xf6, 0xcd, 0x37];
            assert_eq!(immediate(&bytes), (0xabcd, 7));
            set_immediate(&mut bytes, value);
            assert_eq!(immediate(&bytes), (value, 7));
            assert_eq!((bytes[1] & 0xfb, bytes[3] & 0x8f), (0xf2, 0x07));
        }
    }
}
