//! Instructions of sixteen bits: Zca, Zcb and Zcmp. Floating point is not there, so that its
//! encodings are free for Zcmp, or illegal.
//!
//! Encodings that the specification calls hints do nothing (they write x0); those that it reserves
//! are illegal.

use super::{field, last_register, signed};
use crate::riscv::extensions::Extensions;
use crate::riscv::instruction::{
    AfterPop, Condition, Instruction, Operation, Register, Unary, Width,
};

const RETURN_ADDRESS: Register = 1;
const STACK_POINTER: Register = 2;

/// Decodes a compressed instruction.
pub fn decode(half: u16, extensions: Extensions) -> Option<Instruction> {
    let bits = u32::from(half);
    let instruction = match (bits & 3, bits >> 13) {
        (0, function) => quadrant_0(bits, function, extensions),
        (1, function) => quadrant_1(bits, function, extensions),
        (_, function) => quadrant_2(bits, function, extensions),
    };
    let last = last_register(extensions);
    instruction.filter(|instruction| highest(instruction) <= last)
}

/// The highest register that an instruction of these names.
fn highest(instruction: &Instruction) -> Register {
    match *instruction {
        Instruction::Registers { rd, rs1, rs2, .. } => rd.max(rs1).max(rs2),
        Instruction::Immediate { rd, rs1, .. } | Instruction::Load { rd, rs1, .. } => rd.max(rs1),
        Instruction::Store { rs1, rs2, .. } => rs1.max(rs2),
        Instruction::LoadUpper { rd, .. } => rd,
        Instruction::JumpRegister { rd, rs1, .. } => rd.max(rs1),
        // Of s2 on, the saved registers are x18 and above.
        Instruction::Push { saved, .. } | Instruction::Pop { saved, .. } if saved > 2 => 18,
        Instruction::MoveFromArguments { r1, r2 } | Instruction::MoveToArguments { r1, r2 } => {
            r1.max(r2)
        }
        _ => 0,
    }
}

/// One of x8 to x15.
const fn short(bits: u32, low: u32) -> Register {
    8 + field(bits, low, 3) as Register
}

const fn full(bits: u32) -> Register {
    field(bits, 7, 5) as Register
}

/// The immediate of six bits in most formats.
const fn six(bits: u32) -> u32 {
    field(bits, 12, 1) << 5 | field(bits, 2, 5)
}

/// The offset of C.LW and C.SW.
const fn word_offset(bits: u32) -> u32 {
    field(bits, 10, 3) << 3 | field(bits, 6, 1) << 2 | field(bits, 5, 1) << 6
}

fn quadrant_0(bits: u32, function: u32, extensions: Extensions) -> Option<Instruction> {
    let [rs1, other] = [short(bits, 7), short(bits, 2)];
    match function {
        0 => {
            let value = field(bits, 11, 2) << 4
                | field(bits, 7, 4) << 6
                | field(bits, 6, 1) << 2
                | field(bits, 5, 1) << 3;
            (value != 0).then_some(Instruction::Immediate {
                operation: Operation::Add,
                rd: other,
                rs1: STACK_POINTER,
                value,
            })
        }
        2 => {
            let offset = word_offset(bits);
            Some(Instruction::Load { width: Width::Word, rd: other, rs1, offset })
        }
        4 if extensions.has(Extensions::ZCB) => narrow_access(bits, rs1, other),
        6 => {
            let offset = word_offset(bits);
            Some(Instruction::Store { width: Width::Word, rs1, rs2: other, offset })
        }
        _ => None,
    }
}

/// Loads and stores of bytes and halfwords (Zcb).
fn narrow_access(bits: u32, rs1: Register, other: Register) -> Option<Instruction> {
    let byte_offset = field(bits, 6, 1) | field(bits, 5, 1) << 1;
    let half_offset = field(bits, 5, 1) << 1;
    let load = |width, offset| Some(Instruction::Load { width, rd: other, rs1, offset });
    let store = |width, offset| Some(Instruction::Store { width, rs1, rs2: other, offset });
    match (field(bits, 10, 3), field(bits, 6, 1)) {
        (0, _) => load(Width::ByteUnsigned, byte_offset),
        (1, 0) => load(Width::HalfUnsigned, half_offset),
        (1, _) => load(Width::Half, half_offset),
        (2, _) => store(Width::Byte, byte_offset),
        (3, 0) => store(Width::Half, half_offset),
        _ => None,
    }
}

fn quadrant_1(bits: u32, function: u32, extensions: Extensions) -> Option<Instruction> {
    let rd = full(bits);
    let value = signed(six(bits), 6);
    match function {
        0 => Some(Instruction::Immediate { operation: Operation::Add, rd, rs1: rd, value }),
        1 => Some(Instruction::Jump { rd: RETURN_ADDRESS, offset: jump_offset(bits) }),
        2 => Some(Instruction::Immediate { operation: Operation::Add, rd, rs1: 0, value }),
        3 if six(bits) == 0 => None,
        3 if rd == STACK_POINTER => {
            let value = field(bits, 12, 1) << 9
                | field(bits, 6, 1) << 4
                | field(bits, 5, 1) << 6
                | field(bits, 3, 2) << 7
                | field(bits, 2, 1) << 5;
            let value = signed(value, 10);
            Some(Instruction::Immediate { operation: Operation::Add, rd, rs1: rd, value })
        }
        3 => Some(Instruction::LoadUpper { rd, value: value << 12 }),
        4 => arithmetic(bits, extensions),
        5 => Some(Instruction::Jump { rd: 0, offset: jump_offset(bits) }),
        _ => {
            let condition = if function == 6 { Condition::Equal } else { Condition::NotEqual };
            let offset = field(bits, 12, 1) << 8
                | field(bits, 10, 2) << 3
                | field(bits, 5, 2) << 6
                | field(bits, 3, 2) << 1
                | field(bits, 2, 1) << 5;
            let offset = signed(offset, 9);
            Some(Instruction::Branch { condition, rs1: short(bits, 7), rs2: 0, offset })
        }
    }
}

const fn jump_offset(bits: u32) -> u32 {
    let offset = field(bits, 12, 1) << 11
        | field(bits, 11, 1) << 4
        | field(bits, 9, 2) << 8
        | field(bits, 8, 1) << 10
        | field(bits, 7, 1) << 6
        | field(bits, 6, 1) << 7
        | field(bits, 3, 3) << 1
        | field(bits, 2, 1) << 5;
    signed(offset, 12)
}

fn arithmetic(bits: u32, extensions: Extensions) -> Option<Instruction> {
    let [rd, rs2] = [short(bits, 7), short(bits, 2)];
    let immediate =
        |operation, value| Some(Instruction::Immediate { operation, rd, rs1: rd, value });
    // A shift by 32 and more is for custom use on RV32.
    let is_shift = field(bits, 12, 1) == 0;
    let operation = match (field(bits, 10, 2), field(bits, 12, 1), field(bits, 5, 2)) {
        (0, ..) if is_shift => return immediate(Operation::ShiftRight, six(bits)),
        (1, ..) if is_shift => return immediate(Operation::ShiftRightArithmetic, six(bits)),
        (2, ..) => return immediate(Operation::And, signed(six(bits), 6)),
        (3, 0, 0) => Operation::Subtract,
        (3, 0, 1) => Operation::Xor,
        (3, 0, 2) => Operation::Or,
        (3, 0, _) => Operation::And,
        (3, 1, 2) if extensions.has(Extensions::ZCB) && extensions.has(Extensions::M) => {
            Operation::Multiply
        }
        (3, 1, 3) if extensions.has(Extensions::ZCB) => return one(bits, rd, extensions),
        _ => return None,
    };
    Some(Instruction::Registers { operation, rd, rs1: rd, rs2 })
}

/// Operations of one register (Zcb).
fn one(bits: u32, rd: Register, extensions: Extensions) -> Option<Instruction> {
    let of_zbb = |operation| {
        extensions.has(Extensions::ZBB).then_some(Instruction::Unary { operation, rd, rs1: rd })
    };
    let immediate =
        |operation, value| Some(Instruction::Immediate { operation, rd, rs1: rd, value });
    match field(bits, 2, 3) {
        0 => immediate(Operation::And, 0xff),
        1 => of_zbb(Unary::SignExtendByte),
        2 => of_zbb(Unary::ZeroExtendHalf),
        3 => of_zbb(Unary::SignExtendHalf),
        5 => immediate(Operation::Xor, u32::MAX),
        _ => None,
    }
}

fn quadrant_2(bits: u32, function: u32, extensions: Extensions) -> Option<Instruction> {
    let [rd, rs2] = [full(bits), field(bits, 2, 5) as Register];
    match function {
        0 if field(bits, 12, 1) == 0 => Some(Instruction::Immediate {
            operation: Operation::ShiftLeft,
            rd,
            rs1: rd,
            value: six(bits),
        }),
        2 if rd != 0 => {
            let offset = field(bits, 12, 1) << 5 | field(bits, 4, 3) << 2 | field(bits, 2, 2) << 6;
            Some(Instruction::Load { width: Width::Word, rd, rs1: STACK_POINTER, offset })
        }
        4 => jump_or_move(field(bits, 12, 1) != 0, rd, rs2),
        5 if extensions.has(Extensions::ZCMP) => several(bits),
        6 => {
            let offset = field(bits, 9, 4) << 2 | field(bits, 7, 2) << 6;
            Some(Instruction::Store { width: Width::Word, rs1: STACK_POINTER, rs2, offset })
        }
        _ => None,
    }
}

fn jump_or_move(upper: bool, rd: Register, rs2: Register) -> Option<Instruction> {
    match (upper, rd, rs2) {
        (false, 0, 0) => None,
        (false, _, 0) => Some(Instruction::JumpRegister { rd: 0, rs1: rd, offset: 0 }),
        (true, 0, 0) => Some(Instruction::Breakpoint),
        (true, _, 0) => Some(Instruction::JumpRegister { rd: RETURN_ADDRESS, rs1: rd, offset: 0 }),
        _ => {
            let rs1 = if upper { rd } else { 0 };
            Some(Instruction::Registers { operation: Operation::Add, rd, rs1, rs2 })
        }
    }
}

/// Pushes, pops and double moves (Zcmp).
fn several(bits: u32) -> Option<Instruction> {
    // A saved register of three bits: s0, s1, s2 to s7.
    let saved = |low| {
        let number = field(bits, low, 3) as Register;
        if number < 2 { 8 + number } else { 16 + number }
    };
    match (field(bits, 8, 5), field(bits, 5, 2)) {
        (0b0_1100..=0b0_1111, 1) => {
            let [r1, r2] = [saved(7), saved(2)];
            (r1 != r2).then_some(Instruction::MoveFromArguments { r1, r2 })
        }
        (0b0_1100..=0b0_1111, 3) => {
            Some(Instruction::MoveToArguments { r1: saved(7), r2: saved(2) })
        }
        (kind, _) => stack(bits, kind),
    }
}

fn stack(bits: u32, kind: u32) -> Option<Instruction> {
    // The list: ra, then s0 to s.. with one more each, but the last names both s10 and s11.
    let saved = match field(bits, 4, 4) as u8 {
        0..=3 => return None,
        15 => 12,
        list => list - 4,
    };
    let registers = 4 * (saved + 1);
    let bytes = registers.next_multiple_of(16) + 16 * field(bits, 2, 2) as u8;
    let pop = |then| Some(Instruction::Pop { saved, bytes, then });
    match kind {
        0b1_1000 => Some(Instruction::Push { saved, bytes }),
        0b1_1010 => pop(AfterPop::Nothing),
        0b1_1100 => pop(AfterPop::ReturnZero),
        0b1_1110 => pop(AfterPop::Return),
        _ => None,
    }
}
