//! The instructions of an image, found by its sections and its mapping symbols.

use quintet_sim::image::Image;
use quintet_sim::processor::Architecture;
use quintet_sim::processor::decode::decode;
use quintet_sim::processor::instruction::{Condition, Operation};

use crate::firmware::code::{executable, halfword, is_data};

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Where it is.
    pub address: u32,
    /// `true` if it branches only if a condition holds. Instructions in an IT block don't count.
    pub is_branch: bool,
    /// `true` if it begins an IT block.
    pub is_it: bool,
}

/// The instructions of all sections, in the order of their addresses. Literal data among them is
/// left out where mapping symbols tell it, which strip removes.
pub fn instructions(image: &Image) -> Vec<Instruction> {
    let mut found = Vec::new();
    for (start, halfwords) in executable(image) {
        let mut behind = u64::from(start);
        for address in (0..halfwords).filter_map(|at| start.checked_add(2 * at as u32)) {
            if u64::from(address) < behind || is_data(image, address) {
                continue;
            }
            let Some(first) = halfword(image, address) else { continue };
            let second = halfword(image, address.wrapping_add(2)).unwrap_or_default();
            let instruction = decode(first, second, Architecture::V7EM);
            behind = u64::from(address) + u64::from(instruction.length);
            let operation = &instruction.operation;
            let is_it = matches!(operation, Operation::IfThen { .. });
            found.push(Instruction { address, is_branch: is_branch(operation), is_it });
        }
    }
    found
}

fn is_branch(operation: &Operation) -> bool {
    match operation {
        Operation::Branch { condition, .. } => *condition != Condition::AL,
        Operation::CompareBranch { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::image::{Mapping, Section, Segment};

    /// Halfwords at an address, with data from a halfword on.
    fn image(address: u32, halfwords: &[u16], data: u32) -> Image {
        let bytes: Vec<u8> = halfwords.iter().flat_map(|half| half.to_le_bytes()).collect();
        let size = bytes.len() as u32;
        let section = Section {
            name: ".text".to_owned(),
            address,
            load_address: Some(address),
            size,
            executable: true,
            writable: false,
        };
        let segment =
            Segment { index: 0, load_address: address, address, bytes, memory_size: size };
        let mapping = [(address, true), (address.saturating_add(2 * data), false)];
        Image {
            sections: vec![section],
            segments: vec![segment],
            mapping: mapping.map(|(address, code)| Mapping { address, code }).to_vec(),
            ..Image::default()
        }
    }

    #[test]
    fn conditional_branches_are_told_from_other_instructions_and_data() {
        // beq, cbz, beq.w, bl, b; then data that would be a beq.
        let code = [0xd0fe, 0xb108, 0xf000, 0x8002, 0xf000, 0xf802, 0xe7fe, 0xd0fe];
        let found = instructions(&image(0x100, &code, 7));
        let found: Vec<_> = found.iter().map(|one| (one.address, one.is_branch)).collect();
        let expected =
            [(0x100, true), (0x102, true), (0x104, true), (0x108, false), (0x10c, false)];
        assert_eq!(found, expected);
    }

    #[test]
    fn code_at_the_end_of_memory_ends() {
        assert_eq!(instructions(&image(0xffff_fffc, &[0xbf00, 0xf000], 9)).len(), 2);
    }
}
