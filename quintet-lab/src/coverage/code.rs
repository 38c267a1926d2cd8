//! The instructions of an image, found by its functions and its mapping symbols.

use quintet_sim::image::{Image, SymbolKind};

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Where it is.
    pub address: u32,
    /// Whether it branches only if a condition holds. Instructions in an IT block don't count.
    pub is_branch: bool,
}

/// The instructions of all functions, in the order of their addresses. Literal data among them is
/// left out where mapping symbols tell it, which strip removes.
pub fn instructions(image: &Image) -> Vec<Instruction> {
    let mut found = Vec::new();
    for symbol in image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Function) {
        let end = symbol.address.saturating_add(symbol.size);
        let mut address = symbol.address;
        while address < end {
            if is_data(image, address) {
                address += 2;
                continue;
            }
            let Some(first) = halfword(image, address) else { break };
            let second = halfword(image, address.wrapping_add(2)).unwrap_or_default();
            found.push(Instruction { address, is_branch: is_branch(first, second) });
            address += length(first);
        }
    }
    found.sort_by_key(|instruction| instruction.address);
    found.dedup();
    found
}

/// The bytes of an instruction by its first halfword (A5.1 of the ARMv7-M manual).
pub fn length(first: u16) -> u32 {
    if first >> 11 >= 0b11101 { 4 } else { 2 }
}

fn is_data(image: &Image, address: u32) -> bool {
    let behind = image.mapping.partition_point(|mapping| mapping.address <= address);
    behind.checked_sub(1).is_some_and(|last| !image.mapping[last].code)
}

/// B<c> of 16 (A7.7.12, encoding T1) and of 32 bits (T3), CBZ and CBNZ (A7.7.21).
fn is_branch(first: u16, second: u16) -> bool {
    let is_short = first & 0xf000 == 0xd000 && first & 0x0f00 < 0x0e00;
    let is_compared = first & 0xf500 == 0xb100;
    let is_long = first & 0xf800 == 0xf000 && second & 0xd000 == 0x8000 && first & 0x0380 != 0x0380;
    is_short || is_compared || is_long
}

fn halfword(image: &Image, address: u32) -> Option<u16> {
    let segment = image
        .segments
        .iter()
        .find(|segment| address.wrapping_sub(segment.address) < segment.bytes.len() as u32)?;
    let at = (address - segment.address) as usize;
    let bytes = segment.bytes.get(at..at + 2)?;
    Some(u16::from_le_bytes([bytes[0], bytes[1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditional_branches_are_known() {
        // beq, cbz, cbnz, beq.w; then b, udf, svc, b.w, bl, add.w.
        for (first, second) in [(0xd0fe, 0), (0xb108, 0), (0xb908, 0), (0xf000, 0x8002)] {
            assert!(is_branch(first, second), "{first:#x}");
        }
        let others = [
            (0xe7fe, 0),
            (0xde00, 0),
            (0xdf00, 0),
            (0xf000, 0xb802),
            (0xf000, 0xf802),
            (0xf100, 0x0001),
        ];
        for (first, second) in others {
            assert!(!is_branch(first, second), "{first:#x}");
        }
        // DSB.
        assert!(!is_branch(0xf3bf, 0x8f4f));
    }

    #[test]
    fn lengths_are_known() {
        assert_eq!([0xe7fe, 0xe800, 0xf000, 0xffff].map(length), [2, 4, 4, 4]);
    }
}
