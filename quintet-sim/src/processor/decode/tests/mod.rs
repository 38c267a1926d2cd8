//! Every encoding decodes to something, and each table of chapter A5 to the right thing.

mod narrow;
mod wide;

use super::{decode, is_wide};
use crate::processor::Architecture::{V6M, V7M};
use crate::processor::instruction::{
    Address, AluOperation, Carry, CompareOperation, Condition, Indexing, Offset, Operand,
    Operation, Register, Reversal, Shift, Size,
};

/// Sets the flags, in the tables below.
const S: bool = true;
/// Keeps the flags.
const K: bool = false;
/// Signed.
const I: bool = true;
/// Unsigned.
const U: bool = false;

/// One row of a table: the assembler's text, its halfwords, and what they must decode to.
type Row = (&'static str, &'static [u16], Operation);

fn check(rows: &[Row]) {
    for (text, code, expected) in rows {
        let second = code.get(1).copied().unwrap_or(0xFFFF);
        let instruction = decode(code[0], second, V7M);
        assert_eq!(instruction.operation, *expected, "{text}");
        assert_eq!(usize::from(instruction.length), 2 * code.len(), "{text}");
    }
}

const fn r(number: u8) -> Register {
    Register(number)
}

const fn imm(value: u32) -> Operand {
    rotated(value, Carry::Unchanged)
}

const fn rotated(value: u32, carry: Carry) -> Operand {
    Operand::Immediate { value, carry }
}

const fn reg(rm: u8, shift: Shift, amount: u8) -> Operand {
    Operand::Register { rm: r(rm), shift, amount }
}

const fn lsl(rm: u8, amount: u8) -> Operand {
    reg(rm, Shift::Lsl, amount)
}

const fn by(rm: u8, shift: Shift, rs: u8) -> Operand {
    Operand::ShiftedByRegister { rm: r(rm), shift, rs: r(rs) }
}

const fn mov(set_flags: bool, rd: u8, operand: Operand) -> Operation {
    Operation::Move { set_flags, rd: r(rd), operand }
}

const fn cmp(operation: CompareOperation, rn: u8, operand: Operand) -> Operation {
    Operation::Compare { operation, rn: r(rn), operand }
}

const fn alu(
    operation: AluOperation,
    set_flags: bool,
    rd: u8,
    rn: u8,
    operand: Operand,
) -> Operation {
    Operation::Alu { operation, set_flags, rd: r(rd), rn: r(rn), operand }
}

const fn moving(base: u8, offset: i32, indexing: Indexing) -> Address {
    Address { base: r(base), offset: Offset::Immediate(offset), indexing }
}

const fn at(base: u8, offset: i32) -> Address {
    moving(base, offset, Indexing::Offset)
}

const fn index(base: u8, rm: u8, lsl: u8) -> Address {
    Address {
        base: r(base),
        offset: Offset::Register { rm: r(rm), lsl },
        indexing: Indexing::Offset,
    }
}

const fn ldr(size: Size, signed: bool, rt: u8, address: Address) -> Operation {
    Operation::Load { size, signed, unprivileged: false, rt: r(rt), address }
}

const fn str(size: Size, rt: u8, address: Address) -> Operation {
    Operation::Store { size, unprivileged: false, rt: r(rt), address }
}

const fn ldm(base: u8, registers: u16, decrement_before: bool, writeback: bool) -> Operation {
    Operation::LoadMultiple { base: r(base), registers, decrement_before, writeback }
}

const fn stm(base: u8, registers: u16, decrement_before: bool, writeback: bool) -> Operation {
    Operation::StoreMultiple { base: r(base), registers, decrement_before, writeback }
}

const fn ext(signed: bool, size: Size, rd: u8, rm: u8, rotation: u8) -> Operation {
    Operation::Extend { signed, size, rd: r(rd), rm: r(rm), rotation }
}

const fn rev(kind: Reversal, rd: u8, rm: u8) -> Operation {
    Operation::Reverse { kind, rd: r(rd), rm: r(rm) }
}

const fn b(condition: u8, offset: i32) -> Operation {
    Operation::Branch { condition: Condition(condition), offset }
}

/// A small generator of pseudo-random numbers (xorshift), so that the test is the same every time.
fn random(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

#[test]
fn every_first_halfword_decodes_with_its_length() {
    for first in 0..=u16::MAX {
        let wide = matches!(first >> 11, 0b11101..=0b11111);
        assert_eq!(is_wide(first), wide, "{first:04x}");
        for architecture in [V6M, V7M] {
            let instruction = decode(first, 0xBF00, architecture);
            assert_eq!(instruction.length, if wide { 4 } else { 2 }, "{first:04x}");
        }
    }
}

#[test]
fn wide_encodings_decode_and_only_the_baseline_is_in_armv6m() {
    let mut state = 0x1234_5678;
    for _ in 0..1_000_000 {
        let code = random(&mut state);
        let (first, second) = ((code >> 16) as u16 | 0xE800, code as u16);
        let full = decode(first, second, V7M);
        let small = decode(first, second, V6M);
        assert_eq!((full.length, small.length), (4, 4));
        if small != full {
            assert_eq!(small.operation, Operation::Undefined);
        }
        if first >> 11 != 0b11110 || second >> 15 == 0 {
            assert_eq!(small.operation, Operation::Undefined, "{first:04x} {second:04x}");
        }
    }
}

#[test]
fn armv6m_lacks_cbz_it_and_the_wide_hints() {
    for code in [[0xB103, 0], [0xBF18, 0], [0xF3AF, 0x8000], [0xF3BF, 0x8F2F], [0xEE11, 0x0F10]] {
        assert_eq!(decode(code[0], code[1], V6M).operation, Operation::Undefined, "{code:04x?}");
    }
    for code in [[0xF000, 0xF801], [0xF3BF, 0x8F4F], [0xF3EF, 0x8010], [0xF383, 0x8808]] {
        assert_eq!(decode(code[0], code[1], V6M), decode(code[0], code[1], V7M), "{code:04x?}");
        assert_ne!(decode(code[0], code[1], V6M).operation, Operation::Undefined, "{code:04x?}");
    }
}
