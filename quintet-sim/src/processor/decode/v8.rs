//! The instructions that ARMv8-M mainline has beyond ARMv7E-M: loads that acquire and stores that
//! release. On a core without the Security Extension, the instructions of this extension are
//! undefined, but for SG, which does nothing.

use super::{bits, register};
use crate::processor::instruction::{Operation, Register, Size};

/// SG, both halfwords.
const SECURE_GATEWAY: u16 = 0xe97f;

/// Returns the instruction, if it is one of those.
pub(super) fn decode(first: u16, second: u16) -> Option<Operation> {
    if (first, second) == (SECURE_GATEWAY, SECURE_GATEWAY) {
        return Some(Operation::Nop);
    }
    let load = match first & 0xfff0 {
        0xe8c0 => false,
        0xe8d0 => true,
        _ => return None,
    };
    let size = match bits(second, 5, 4) {
        0b00 => Size::Byte,
        0b01 => Size::Half,
        0b10 => Size::Word,
        _ => return None,
    };
    let (base, rt, rd) = (register(first, 0), register(second, 12), register(second, 0));
    let is_one = |field: u32| bits(second, field + 3, field) == 15;
    let forbidden = |one: Register| one == Register::SP || one == Register::PC;
    if forbidden(rt) || base == Register::PC || !is_one(8) {
        return None;
    }
    Some(match (bits(second, 7, 6), load) {
        (0b10, true) if is_one(0) => Operation::LoadAcquire { size, rt, base },
        (0b10, false) if is_one(0) => Operation::StoreRelease { size, rt, base },
        (0b11, true) if is_one(0) => Operation::LoadExclusive { size, rt, base, offset: 0 },
        (0b11, false) if !forbidden(rd) && rd != rt && rd != base => {
            Operation::StoreExclusive { size, rd, rt, base, offset: 0 }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processor::Architecture;
    use crate::processor::decode::decode as whole;

    #[test]
    fn acquire_and_release_are_of_armv8_alone() {
        let (r1, r2, r3) = (Register(1), Register(2), Register(3));
        let load = |size| Operation::LoadAcquire { size, rt: r1, base: r2 };
        let store = |size| Operation::StoreRelease { size, rt: r1, base: r2 };
        let exclusive = |size| Operation::LoadExclusive { size, rt: r1, base: r2, offset: 0 };
        let stored = |size| Operation::StoreExclusive { size, rd: r3, rt: r1, base: r2, offset: 0 };
        let table = [
            (0xe8d2, 0x1f8f, load(Size::Byte)),      // LDAB R1, [R2]
            (0xe8d2, 0x1f9f, load(Size::Half)),      // LDAH
            (0xe8d2, 0x1faf, load(Size::Word)),      // LDA
            (0xe8c2, 0x1f8f, store(Size::Byte)),     // STLB
            (0xe8c2, 0x1faf, store(Size::Word)),     // STL
            (0xe8d2, 0x1fcf, exclusive(Size::Byte)), // LDAEXB
            (0xe8d2, 0x1fef, exclusive(Size::Word)), // LDAEX
            (0xe8c2, 0x1fe3, stored(Size::Word)),    // STLEX R3, R1, [R2]
            (0xe97f, 0xe97f, Operation::Nop),        // SG
        ];
        for (first, second, expected) in table {
            let of = |architecture| whole(first, second, architecture).operation;
            assert_eq!(of(Architecture::V8M), expected, "{first:#x} {second:#x}");
            assert_ne!(of(Architecture::V7EM), expected, "{first:#x} {second:#x}");
        }
        // BXNS R1 and TT R1, R2 belong to the Security Extension.
        for (first, second) in [(0x470c, 0), (0xe842, 0xf100)] {
            let operation = whole(first, second, Architecture::V8M).operation;
            assert_eq!(operation, Operation::Undefined, "{first:#x} {second:#x}");
        }
    }
}
