//! The 32-bit encodings (A5.3): the group of an encoding.

mod control;
mod data;
mod dsp;
mod float;
mod memory;

use super::{bit, bits};
use crate::processor::instruction::Operation;

/// A5.3, table A5-9.
pub(super) fn decode(first: u16, second: u16) -> Operation {
    if bits(first, 11, 10) == 0b11 {
        return coprocessor(first, second);
    }
    match (bits(first, 12, 11), bits(first, 10, 4)) {
        (0b01, group) if group & 0b110_0100 == 0b000_0000 => memory::multiple(first, second),
        (0b01, group) if group & 0b110_0100 == 0b000_0100 => {
            memory::dual_exclusive_table_branch(first, second)
        }
        (0b01, _) => data::shifted_register(first, second),
        (0b10, group) => match (bit(second, 15), group & 0b010_0000) {
            (false, 0) => data::modified_immediate(first, second),
            (false, _) => data::plain_immediate(first, second),
            (true, _) => control::decode(first, second),
        },
        (0b11, group) if group & 0b111_0001 == 0b000_0000 => memory::store_single(first, second),
        (0b11, group) if group & 0b110_0001 == 0b000_0001 => memory::load_single(first, second),
        (0b11, group) if group & 0b111_0000 == 0b010_0000 => data::register(first, second),
        (0b11, group) if group & 0b111_1000 == 0b011_0000 => data::multiply(first, second),
        (0b11, group) if group & 0b111_1000 == 0b011_1000 => {
            data::multiply_long_and_divide(first, second)
        }
        _ => Operation::Undefined,
    }
}

/// A5.3.18. The coprocessors 10 and 11 are the floating-point unit.
fn coprocessor(first: u16, second: u16) -> Operation {
    match bits(second, 11, 9) {
        0b101 if bits(first, 9, 8) != 0b11 => Operation::Float(float::decode(first, second)),
        _ => absent_coprocessor(first, second),
    }
}

/// None of these instructions exists on a Cortex-M3, which reports a missing coprocessor. Only the
/// space that the architecture leaves out (both bits 9 and 8 set) is undefined.
pub(super) fn absent_coprocessor(first: u16, second: u16) -> Operation {
    if bits(first, 9, 8) == 0b11 {
        Operation::Undefined
    } else {
        Operation::Coprocessor { number: bits(second, 11, 8) as u8 }
    }
}
