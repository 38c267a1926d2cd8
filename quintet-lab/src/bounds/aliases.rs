//! Whether a program has addresses of bit-band aliases.
//!
//! A store through a pointer may go to an alias of a bit, where it reads first, but only in a
//! program that has such an address from somewhere: a word of its data, a literal, or a number
//! in an instruction from which the code makes one.

use quintet_sim::image::Image;
use quintet_sim::processor::instruction::{AluOperation, Operand, Operation};

use super::graph::{Instruction, Program};
use super::words::any_word;
use crate::firmware::code::is_data;

/// An alias has this bit, and the memory behind it has not.
const ALIAS: u32 = 0x0200_0000;

/// Returns `true` if an address is an alias of a bit.
pub const fn is_alias(address: u32) -> bool {
    matches!(address >> 24, 0x22 | 0x23 | 0x42 | 0x43)
}

/// Returns `true` if the program may have an address of an alias.
pub fn are_used(image: &Image, program: &Program) -> bool {
    let blocks = program.functions.values().flat_map(|function| function.blocks.values());
    blocks.flat_map(|block| &block.instructions).any(|one| makes(image, one)) || are_data(image)
}

/// Returns `true` if an instruction may make such an address, or a part of one.
fn makes(image: &Image, instruction: &Instruction) -> bool {
    match instruction.operation() {
        Operation::MoveTop { immediate, .. } => is_alias(u32::from(immediate) << 16),
        Operation::Move { operand: Operand::Immediate { value, .. }, .. } => value & ALIAS != 0,
        Operation::MoveNot { operand: Operand::Immediate { value, .. }, .. } => is_alias(!value),
        Operation::Alu { operation, operand: Operand::Immediate { value, .. }, .. } => {
            let sets = matches!(
                operation,
                AluOperation::Add | AluOperation::Orr | AluOperation::Orn | AluOperation::Eor
            );
            sets && value & ALIAS != 0
        }
        Operation::Load { address, .. } => {
            let place = super::values::Values::unknown().place(
                instruction,
                address.base,
                address.offset,
                address.indexing,
            );
            matches!(place, super::values::Value::Constant(place)
                if any_word(image, place).is_some_and(is_alias))
        }
        _ => false,
    }
}

/// Returns `true` if a word of data is such an address.
fn are_data(image: &Image) -> bool {
    image.segments.iter().any(|segment| {
        let from = segment.address.next_multiple_of(4) - segment.address;
        let words = segment.bytes.get(from as usize..).unwrap_or_default().chunks_exact(4);
        let addresses = (segment.address + from..).step_by(4);
        words.zip(addresses).any(|(bytes, address)| {
            let word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
            // Words of code are no addresses.
            is_alias(word) && word & 3 == 0 && (!is_code(image, address))
        })
    })
}

fn is_code(image: &Image, address: u32) -> bool {
    let mut sections = image.sections.iter();
    let is_in = |start: u32, size: u32| address.wrapping_sub(start) < size;
    let section = sections.find(|section| is_in(section.address, section.size));
    section.is_some_and(|section| section.executable)
        && !image.mapping.is_empty()
        && !is_data(image, address)
}
