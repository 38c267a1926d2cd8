//! The 16-bit encodings (A5.2).
//!
//! `set_flags` is the effect of the instruction outside an IT block; the executor suppresses it
//! inside one.

use super::{bit, bits, condition, immediate_shift, low_register, register, sign_extend};
use crate::processor::instruction::{
    Address, AluOperation, Carry, CompareOperation, Condition, Indexing, Offset, Operand,
    Operation, Register, Reversal, Shift, Size,
};

/// A5.2, table A5-1: the six high bits choose the group.
pub(super) fn decode(code: u16) -> Operation {
    match bits(code, 15, 10) {
        0b00_0000..=0b00_1111 => shift_add_subtract(code),
        0b01_0000 => data_processing(code),
        0b01_0001 => special_data_and_branch_exchange(code),
        0b01_0010 | 0b01_0011 => {
            let offset = (bits(code, 7, 0) * 4) as i32;
            load(Size::Word, false, low_register(code, 8), Register::PC, Offset::Immediate(offset))
        }
        0b01_0100..=0b01_0111 => load_store_register_offset(code),
        0b01_1000..=0b10_0111 => load_store_immediate_offset(code),
        0b10_1000 | 0b10_1001 => {
            Operation::Adr { rd: low_register(code, 8), offset: (bits(code, 7, 0) * 4) as i32 }
        }
        0b10_1010 | 0b10_1011 => alu(
            AluOperation::Add,
            false,
            low_register(code, 8),
            Register::SP,
            immediate(bits(code, 7, 0) * 4),
        ),
        0b10_1100..=0b10_1111 => miscellaneous(code),
        0b11_0000..=0b11_0011 => multiple(code),
        0b11_0100..=0b11_0111 => conditional_branch_and_call(code),
        0b11_1000 | 0b11_1001 => Operation::Branch {
            condition: Condition::AL,
            offset: sign_extend(bits(code, 10, 0) << 1, 12),
        },
        _ => Operation::Undefined, // the first halfword of a wide instruction
    }
}

/// An immediate that leaves the carry alone.
fn immediate(value: u32) -> Operand {
    Operand::Immediate { value, carry: Carry::Unchanged }
}

/// A register as it is.
fn plain(rm: Register) -> Operand {
    Operand::Register { rm, shift: Shift::Lsl, amount: 0 }
}

fn alu(
    operation: AluOperation,
    set_flags: bool,
    rd: Register,
    rn: Register,
    operand: Operand,
) -> Operation {
    Operation::Alu { operation, set_flags, rd, rn, operand }
}

fn load(size: Size, signed: bool, rt: Register, base: Register, offset: Offset) -> Operation {
    let address = Address { base, offset, indexing: Indexing::Offset };
    Operation::Load { size, signed, unprivileged: false, rt, address }
}

fn store(size: Size, rt: Register, base: Register, offset: Offset) -> Operation {
    let address = Address { base, offset, indexing: Indexing::Offset };
    Operation::Store { size, unprivileged: false, rt, address }
}

/// A5.2.1: shift by immediate, add, subtract, move and compare.
fn shift_add_subtract(code: u16) -> Operation {
    let (rd, rn) = (low_register(code, 0), low_register(code, 3));
    let (rdn, value) = (low_register(code, 8), immediate(bits(code, 7, 0)));
    match bits(code, 13, 11) {
        kind @ 0b000..=0b010 => {
            let (shift, amount) = immediate_shift(kind, bits(code, 10, 6));
            let operand = Operand::Register { rm: rn, shift, amount };
            Operation::Move { set_flags: true, rd, operand }
        }
        0b011 => {
            let operation = if bit(code, 9) { AluOperation::Sub } else { AluOperation::Add };
            let operand = if bit(code, 10) {
                immediate(bits(code, 8, 6))
            } else {
                plain(low_register(code, 6))
            };
            alu(operation, true, rd, rn, operand)
        }
        0b100 => Operation::Move { set_flags: true, rd: rdn, operand: value },
        0b101 => Operation::Compare { operation: CompareOperation::Cmp, rn: rdn, operand: value },
        0b110 => alu(AluOperation::Add, true, rdn, rdn, value),
        _ => alu(AluOperation::Sub, true, rdn, rdn, value),
    }
}

/// A5.2.2: data processing on two low registers.
fn data_processing(code: u16) -> Operation {
    let (rdn, rm) = (low_register(code, 0), low_register(code, 3));
    let same = |operation| alu(operation, true, rdn, rdn, plain(rm));
    let compare = |operation| Operation::Compare { operation, rn: rdn, operand: plain(rm) };
    let shifted = |shift| Operation::Move {
        set_flags: true,
        rd: rdn,
        operand: Operand::ShiftedByRegister { rm: rdn, shift, rs: rm },
    };
    match bits(code, 9, 6) {
        0b0000 => same(AluOperation::And),
        0b0001 => same(AluOperation::Eor),
        0b0010 => shifted(Shift::Lsl),
        0b0011 => shifted(Shift::Lsr),
        0b0100 => shifted(Shift::Asr),
        0b0101 => same(AluOperation::Adc),
        0b0110 => same(AluOperation::Sbc),
        0b0111 => shifted(Shift::Ror),
        0b1000 => compare(CompareOperation::Tst),
        0b1001 => alu(AluOperation::Rsb, true, rdn, rm, immediate(0)),
        0b1010 => compare(CompareOperation::Cmp),
        0b1011 => compare(CompareOperation::Cmn),
        0b1100 => same(AluOperation::Orr),
        0b1101 => Operation::Multiply { set_flags: true, rd: rdn, rn: rm, rm: rdn },
        0b1110 => same(AluOperation::Bic),
        _ => Operation::MoveNot { set_flags: true, rd: rdn, operand: plain(rm) },
    }
}

/// A5.2.3: ADD, CMP and MOV on any registers, BX and BLX.
fn special_data_and_branch_exchange(code: u16) -> Operation {
    let rdn = Register((bits(code, 2, 0) | bits(code, 7, 7) << 3) as u8);
    let rm = register(code, 3);
    match bits(code, 9, 8) {
        0b00 => alu(AluOperation::Add, false, rdn, rdn, plain(rm)),
        0b01 => {
            Operation::Compare { operation: CompareOperation::Cmp, rn: rdn, operand: plain(rm) }
        }
        0b10 => Operation::Move { set_flags: false, rd: rdn, operand: plain(rm) },
        _ if bits(code, 2, 0) != 0 => Operation::Undefined,
        _ if bit(code, 7) => Operation::BranchLinkExchange { rm },
        _ => Operation::BranchExchange { rm },
    }
}

/// A5.2.4, the register-offset half.
fn load_store_register_offset(code: u16) -> Operation {
    let (rt, base) = (low_register(code, 0), low_register(code, 3));
    let offset = Offset::Register { rm: low_register(code, 6), lsl: 0 };
    match bits(code, 11, 9) {
        0b000 => store(Size::Word, rt, base, offset),
        0b001 => store(Size::Half, rt, base, offset),
        0b010 => store(Size::Byte, rt, base, offset),
        0b011 => load(Size::Byte, true, rt, base, offset),
        0b100 => load(Size::Word, false, rt, base, offset),
        0b101 => load(Size::Half, false, rt, base, offset),
        0b110 => load(Size::Byte, false, rt, base, offset),
        _ => load(Size::Half, true, rt, base, offset),
    }
}

/// A5.2.4, the immediate-offset half.
fn load_store_immediate_offset(code: u16) -> Operation {
    let size = match bits(code, 15, 12) {
        0b0111 => Size::Byte,
        0b1000 => Size::Half,
        _ => Size::Word,
    };
    let (rt, base, units) = if bits(code, 15, 12) == 0b1001 {
        (low_register(code, 8), Register::SP, bits(code, 7, 0))
    } else {
        (low_register(code, 0), low_register(code, 3), bits(code, 10, 6))
    };
    let offset = Offset::Immediate((units * size.bytes()) as i32);
    if bit(code, 11) { load(size, false, rt, base, offset) } else { store(size, rt, base, offset) }
}

/// A5.2.5: encodings that do not fit elsewhere.
fn miscellaneous(code: u16) -> Operation {
    let (rd, rm) = (low_register(code, 0), low_register(code, 3));
    let extend = |signed, size| Operation::Extend { signed, size, rd, rm, rotation: 0 };
    match bits(code, 11, 5) {
        adjust @ 0b000_0000..=0b000_0111 => {
            let operation = if adjust < 0b000_0100 { AluOperation::Add } else { AluOperation::Sub };
            let operand = immediate(bits(code, 6, 0) * 4);
            alu(operation, false, Register::SP, Register::SP, operand)
        }
        0b000_1000..=0b000_1111
        | 0b001_1000..=0b001_1111
        | 0b100_1000..=0b100_1111
        | 0b101_1000..=0b101_1111 => Operation::CompareBranch {
            nonzero: bit(code, 11),
            rn: rd,
            offset: (bits(code, 9, 9) << 6 | bits(code, 7, 3) << 1) as i32,
        },
        0b001_0000 | 0b001_0001 => extend(true, Size::Half),
        0b001_0010 | 0b001_0011 => extend(true, Size::Byte),
        0b001_0100 | 0b001_0101 => extend(false, Size::Half),
        0b001_0110 | 0b001_0111 => extend(false, Size::Byte),
        0b010_0000..=0b010_1111 => {
            let registers = (bits(code, 7, 0) | bits(code, 8, 8) << 14) as u16;
            stack(registers, false)
        }
        0b011_0011 if bits(code, 3, 2) == 0 => Operation::ChangeState {
            disable: bit(code, 4),
            primask: bit(code, 1),
            faultmask: bit(code, 0),
        },
        0b101_0000 | 0b101_0001 => Operation::Reverse { kind: Reversal::Rev, rd, rm },
        0b101_0010 | 0b101_0011 => Operation::Reverse { kind: Reversal::Rev16, rd, rm },
        0b101_0110 | 0b101_0111 => Operation::Reverse { kind: Reversal::Revsh, rd, rm },
        0b110_0000..=0b110_1111 => {
            let registers = (bits(code, 7, 0) | bits(code, 8, 8) << 15) as u16;
            stack(registers, true)
        }
        0b111_0000..=0b111_0111 => Operation::Breakpoint { immediate: code as u8 },
        0b111_1000..=0b111_1111 => if_then_and_hints(code),
        _ => Operation::Undefined,
    }
}

/// PUSH and POP.
fn stack(registers: u16, pop: bool) -> Operation {
    let base = Register::SP;
    match (registers, pop) {
        (0, _) => Operation::Undefined,
        (_, true) => {
            Operation::LoadMultiple { base, registers, decrement_before: false, writeback: true }
        }
        (_, false) => {
            Operation::StoreMultiple { base, registers, decrement_before: true, writeback: true }
        }
    }
}

/// A5.2.6: If-Then, and hints.
fn if_then_and_hints(code: u16) -> Operation {
    if bits(code, 3, 0) != 0 {
        return Operation::IfThen {
            first_condition: bits(code, 7, 4) as u8,
            mask: bits(code, 3, 0) as u8,
        };
    }
    hint(bits(code, 7, 4))
}

/// The hints that both lengths have, by number.
pub(super) fn hint(number: u32) -> Operation {
    match number {
        1 => Operation::Yield,
        2 => Operation::WaitForEvent,
        3 => Operation::WaitForInterrupt,
        4 => Operation::SendEvent,
        _ => Operation::Nop,
    }
}

/// STM and LDM on low registers: they write the base back unless an LDM loads it.
fn multiple(code: u16) -> Operation {
    let base = low_register(code, 8);
    let registers = bits(code, 7, 0) as u16;
    let decrement_before = false;
    if registers == 0 {
        Operation::Undefined
    } else if bit(code, 11) {
        let writeback = registers >> base.0 & 1 == 0;
        Operation::LoadMultiple { base, registers, decrement_before, writeback }
    } else {
        Operation::StoreMultiple { base, registers, decrement_before, writeback: true }
    }
}

/// A5.2.7: conditional branch, UDF and SVC.
fn conditional_branch_and_call(code: u16) -> Operation {
    match bits(code, 11, 8) {
        0b1110 => Operation::Undefined,
        0b1111 => Operation::SupervisorCall { immediate: code as u8 },
        field => Operation::Branch {
            condition: condition(field),
            offset: sign_extend(bits(code, 7, 0) << 1, 9),
        },
    }
}
