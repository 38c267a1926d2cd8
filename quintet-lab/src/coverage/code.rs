//! The instructions of an image, found by its sections and its mapping symbols.

use quintet_sim::cores::{Core, Target};
use quintet_sim::image::Image;

use crate::firmware::code::{executable, halfword, is_data};

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Where it is.
    pub address: u32,
    /// `true` if it branches only if a condition holds. Instructions in an IT block don't count.
    pub is_branch: bool,
    /// `true` if it is a condition for those behind it, as IT is.
    pub is_condition: bool,
}

/// The instructions of all sections, in the order of their addresses. Literal data among them is
/// left out where mapping symbols tell it, which strip removes.
pub fn instructions<M: Core>(machine: &M, image: &Image) -> Vec<Instruction> {
    let mut found = Vec::new();
    for (start, halfwords) in executable(image) {
        let mut behind = u64::from(start);
        for address in (0..halfwords).filter_map(|at| start.checked_add(2 * at as u32)) {
            if u64::from(address) < behind || is_data(image, address) {
                continue;
            }
            let Some(first) = halfword(image, address) else { continue };
            let second = halfword(image, address.wrapping_add(2)).unwrap_or_default();
            let bits = u32::from(first) | u32::from(second) << 16;
            let flow = machine.flow(address, bits);
            // What is no instruction of the core has its length all the same.
            let length = flow.map_or_else(|| M::length(bits), |flow| flow.length);
            behind = u64::from(address) + u64::from(length);
            let is_branch = flow.is_some_and(|flow| matches!(flow.to, Target::NextOr(_)));
            let is_condition = flow.is_some_and(|flow| flow.is_condition);
            found.push(Instruction { address, is_branch, is_condition });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::board::Board;
    use quintet_sim::image::{Mapping, Section, Segment};
    use quintet_sim::machine::Machine;

    fn machine() -> Machine {
        Machine::new(&Board::named("lm3s6965").unwrap())
    }

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
        let found = instructions(&machine(), &image(0x100, &code, 7));
        let found: Vec<_> = found.iter().map(|one| (one.address, one.is_branch)).collect();
        let expected =
            [(0x100, true), (0x102, true), (0x104, true), (0x108, false), (0x10c, false)];
        assert_eq!(found, expected);
    }

    #[test]
    fn code_at_the_end_of_memory_ends() {
        assert_eq!(instructions(&machine(), &image(0xffff_fffc, &[0xbf00, 0xf000], 9)).len(), 2);
    }
}
