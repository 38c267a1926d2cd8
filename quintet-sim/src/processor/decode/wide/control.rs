//! Branches and miscellaneous control (A5.3.4).

use crate::processor::decode::{bit, bits, condition, narrow, register, sign_extend};
use crate::processor::instruction::{Condition, Operation};

/// A5.3.4, table A5-13. Bit 15 of the second halfword is set.
pub(super) fn decode(first: u16, second: u16) -> Operation {
    match (bit(second, 14), bit(second, 12)) {
        (false, false) if bits(first, 9, 7) == 0b111 => special(first, second),
        (false, false) => conditional_branch(first, second),
        (false, true) => {
            Operation::Branch { condition: Condition::AL, offset: long_offset(first, second) }
        }
        (true, true) => Operation::BranchLink { offset: long_offset(first, second) },
        (true, false) => Operation::Undefined, // BLX to ARM code
    }
}

/// Encoding T3 of B.
fn conditional_branch(first: u16, second: u16) -> Operation {
    let offset = bits(first, 10, 10) << 20
        | bits(second, 11, 11) << 19
        | bits(second, 13, 13) << 18
        | bits(first, 5, 0) << 12
        | bits(second, 10, 0) << 1;
    Operation::Branch { condition: condition(bits(first, 9, 6)), offset: sign_extend(offset, 21) }
}

/// The offset of encoding T4 of B and of BL: J1 and J2 are stored relative to the sign.
fn long_offset(first: u16, second: u16) -> i32 {
    let sign = bits(first, 10, 10);
    let i1 = !(bits(second, 13, 13) ^ sign) & 1;
    let i2 = !(bits(second, 11, 11) ^ sign) & 1;
    let offset =
        sign << 24 | i1 << 23 | i2 << 22 | bits(first, 9, 0) << 12 | bits(second, 10, 0) << 1;
    sign_extend(offset, 25)
}

/// MSR, MRS, the wide hints and the barriers.
fn special(first: u16, second: u16) -> Operation {
    let low = second as u8;
    match bits(first, 10, 4) {
        0b011_1000 if second & 0xF300 == 0x8000 => Operation::MoveToSpecial {
            rn: register(first, 0),
            special: low,
            mask: bits(second, 11, 10) as u8,
        },
        0b011_1110 if first & 15 == 15 && second & 0xF000 == 0x8000 && second & 0xF00 != 0xF00 => {
            Operation::MoveFromSpecial { rd: register(second, 8), special: low }
        }
        0b011_1010 if first & 15 == 15 && second & 0xFF00 == 0x8000 => narrow::hint(u32::from(low)),
        0b011_1011 if first & 15 == 15 && second & 0xFF00 == 0x8F00 => barrier(low),
        _ => Operation::Undefined,
    }
}

/// A5.3.4, miscellaneous control instructions. The barriers' options all mean the full system here.
fn barrier(low: u8) -> Operation {
    match low >> 4 {
        0b0010 if low & 15 == 15 => Operation::ClearExclusive,
        0b0100 => Operation::DataSynchronizationBarrier,
        0b0101 => Operation::DataMemoryBarrier,
        0b0110 => Operation::InstructionSynchronizationBarrier,
        _ => Operation::Undefined,
    }
}
