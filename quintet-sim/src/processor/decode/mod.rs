//! The decoder: one or two halfwords to an [`Instruction`].
//!
//! The decoder follows the tables of chapter A5 of the architecture manual. Each function below
//! `decode` is one of those tables and names its section. Decoding happens once per address (the
//! processor caches the result), so these functions are written to be compared with the manual, not
//! to be fast.
//!
//! # Choices where the manual says UNPREDICTABLE
//!
//! Each case needs a choice. Tests compare programs with QEMU, so the decoder makes QEMU's choices
//! where they are known:
//!
//! - A "should be" bit, `(0)` or `(1)`, with the wrong value is an undefined instruction.
//! - A load or store multiple with an empty list, a wide one with fewer than two registers or with
//!   the base both written back and in the list: undefined.
//! - An exclusive access of SP, or with its status in the register stored or the base: undefined.
//! - A bit field that goes past bit 31: undefined.
//! - PC as the destination of anything that is not one of the manual's branches, as a stored
//!   register, as the base of a store, or as the base of an address with write-back: undefined.
//! - PC as any other source: reads as the instruction's address plus 4.
//! - SP where the manual forbids it: an ordinary register (its two low bits stay zero).
//! - A load with write-back to its own destination: the loaded value wins; LDRD: the write-back
//!   wins. A store with write-back of the stored register stores the old value.
//! - Fields that must repeat each other (the two Rm of REV, RBIT, CLZ): the field of the second
//!   halfword counts.
//! - IT with the condition 1111: always. IT inside an IT block, branches in the middle of one:
//!   executed. A conditional branch inside one: undefined if the block's condition holds.
//! - MSR with a mask of 00, special registers that do not exist: nothing is written, reads give 0.

use super::Architecture;
use super::instruction::{Condition, Instruction, Operation, Register, Shift};

mod narrow;
#[cfg(test)]
mod tests;
mod v8;
mod wide;

/// Returns `true` if `first` is the first halfword of a 32-bit instruction (A5.1).
#[inline]
pub const fn is_wide(first: u16) -> bool {
    first >= 0xE800
}

/// Decodes the instruction that begins with `first`. `second` is the halfword after `first`. It
/// matters only if [`is_wide`] returns `true`.
pub fn decode(first: u16, second: u16, architecture: Architecture) -> Instruction {
    let (operation, length) =
        if is_wide(first) { (wide::decode(first, second), 4) } else { (narrow::decode(first), 2) };
    let present = match architecture {
        Architecture::V7EM => true,
        Architecture::V8M if length == 4 => {
            let operation = v8::decode(first, second).unwrap_or(operation);
            return Instruction { operation, length };
        }
        Architecture::V8M => true,
        Architecture::V7M => return in_armv7m(first, second, operation, length),
        Architecture::V6M => is_in_armv6m(&operation, length),
    };
    Instruction { operation: if present { operation } else { Operation::Undefined }, length }
}

/// Returns the meaning that an instruction of ARMv7E-M has in ARMv7-M. A Cortex-M3 reports its
/// missing floating-point unit.
fn in_armv7m(first: u16, second: u16, operation: Operation, length: u8) -> Instruction {
    let operation = match operation {
        Operation::Dsp(_) => Operation::Undefined,
        Operation::Float(_) => wide::absent_coprocessor(first, second),
        other => other,
    };
    Instruction { operation, length }
}

/// Returns `true` if ARMv6-M has this instruction of ARMv7-M in this length (DDI 0419, A5).
fn is_in_armv6m(operation: &Operation, length: u8) -> bool {
    match operation {
        Operation::CompareBranch { .. } | Operation::IfThen { .. } => false,
        Operation::BranchLink { .. }
        | Operation::MoveToSpecial { .. }
        | Operation::MoveFromSpecial { .. }
        | Operation::DataSynchronizationBarrier
        | Operation::DataMemoryBarrier
        | Operation::InstructionSynchronizationBarrier => true,
        _ => length == 2,
    }
}

/// The bits `high` to `low` of a halfword, both included.
const fn bits(halfword: u16, high: u32, low: u32) -> u32 {
    (halfword as u32 >> low) & ((1 << (high - low + 1)) - 1)
}

/// One bit of a halfword.
const fn bit(halfword: u16, number: u32) -> bool {
    halfword >> number & 1 != 0
}

/// The register in the four (or, for narrow encodings, three) bits from `low`.
const fn register(halfword: u16, low: u32) -> Register {
    Register((halfword >> low & 15) as u8)
}

/// The register in the three bits from `low`.
const fn low_register(halfword: u16, low: u32) -> Register {
    Register((halfword >> low & 7) as u8)
}

/// `value`, whose sign is in bit `width - 1`, as a signed number.
const fn sign_extend(value: u32, width: u32) -> i32 {
    ((value << (32 - width)) as i32) >> (32 - width)
}

/// The condition in the low four bits of `field`.
const fn condition(field: u32) -> Condition {
    Condition((field & 15) as u8)
}

/// `DecodeImmShift` (A7.4.2): a shift's type and amount from its two fields.
const fn immediate_shift(kind: u32, amount: u32) -> (Shift, u8) {
    match (kind & 3, amount as u8) {
        (0, amount) => (Shift::Lsl, amount),
        (1, 0) => (Shift::Lsr, 32),
        (1, amount) => (Shift::Lsr, amount),
        (2, 0) => (Shift::Asr, 32),
        (2, amount) => (Shift::Asr, amount),
        (_, 0) => (Shift::Rrx, 1),
        (_, amount) => (Shift::Ror, amount),
    }
}
