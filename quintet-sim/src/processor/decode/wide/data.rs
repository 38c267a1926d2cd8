//! Wide data processing: shifted register, modified immediate, plain immediate, register, multiply,
//! divide.

use super::dsp;
use crate::processor::decode::{bit, bits, immediate_shift, register as reg};
use crate::processor::instruction::{
    AluOperation, Carry, CompareOperation, Operand, Operation, Register, Reversal, Shift, Size,
};

/// A5.3.11: the second operand is a register shifted by a constant.
pub(super) fn shifted_register(first: u16, second: u16) -> Operation {
    if bit(second, 15) {
        return Operation::Undefined;
    }
    let amount = bits(second, 14, 12) << 2 | bits(second, 7, 6);
    let (shift, amount) = immediate_shift(bits(second, 5, 4), amount);
    if bits(first, 8, 5) == 0b0110 {
        return dsp::pack(first, second);
    }
    data_processing(first, second, Operand::Register { rm: reg(second, 0), shift, amount })
}

/// A5.3.1: the second operand is a constant.
pub(super) fn modified_immediate(first: u16, second: u16) -> Operation {
    let (value, carry) = expand_immediate(plain_value(first, second) & 0xFFF);
    data_processing(first, second, Operand::Immediate { value, carry })
}

/// The four operations that both groups share, and the operations that they become with Rd = PC or
/// Rn = PC.
fn data_processing(first: u16, second: u16, operand: Operand) -> Operation {
    let set_flags = bit(first, 4);
    let (rd, rn) = (reg(second, 8), reg(first, 0));
    let operation = match bits(first, 8, 5) {
        0b0000 => AluOperation::And,
        0b0001 => AluOperation::Bic,
        0b0010 => AluOperation::Orr,
        0b0011 => AluOperation::Orn,
        0b0100 => AluOperation::Eor,
        0b1000 => AluOperation::Add,
        0b1010 => AluOperation::Adc,
        0b1011 => AluOperation::Sbc,
        0b1101 => AluOperation::Sub,
        0b1110 => AluOperation::Rsb,
        _ => return Operation::Undefined,
    };
    if rd == Register::PC {
        let operation = match operation {
            AluOperation::And => CompareOperation::Tst,
            AluOperation::Eor => CompareOperation::Teq,
            AluOperation::Add => CompareOperation::Cmn,
            AluOperation::Sub => CompareOperation::Cmp,
            _ => return Operation::Undefined,
        };
        return if set_flags {
            Operation::Compare { operation, rn, operand }
        } else {
            Operation::Undefined
        };
    }
    match operation {
        AluOperation::Orr if rn == Register::PC => Operation::Move { set_flags, rd, operand },
        AluOperation::Orn if rn == Register::PC => Operation::MoveNot { set_flags, rd, operand },
        _ => Operation::Alu { operation, set_flags, rd, rn, operand },
    }
}

/// The bits i:imm3:imm8, with imm4 (the low bits of the first halfword) above them.
fn plain_value(first: u16, second: u16) -> u32 {
    bits(first, 3, 0) << 12
        | bits(first, 10, 10) << 11
        | bits(second, 14, 12) << 8
        | bits(second, 7, 0)
}

/// `ThumbExpandImm_C` (A5.3.2).
fn expand_immediate(packed: u32) -> (u32, Carry) {
    let byte = packed & 0xFF;
    match packed >> 8 {
        0b0000 => (byte, Carry::Unchanged),
        0b0001 => (byte * 0x0001_0001, Carry::Unchanged),
        0b0010 => (byte * 0x0100_0100, Carry::Unchanged),
        0b0011 => (byte * 0x0101_0101, Carry::Unchanged),
        _ => {
            let value = (0x80 | packed & 0x7F).rotate_right(packed >> 7);
            (value, if value >> 31 != 0 { Carry::Set } else { Carry::Clear })
        }
    }
}

/// A5.3.3: plain binary immediates, saturation and bit fields.
pub(super) fn plain_immediate(first: u16, second: u16) -> Operation {
    let (rd, rn) = (reg(second, 8), reg(first, 0));
    if rd == Register::PC {
        return Operation::Undefined;
    }
    let immediate = plain_value(first, second);
    let offset = (immediate & 0xFFF) as i32;
    let value = Operand::Immediate { value: immediate & 0xFFF, carry: Carry::Unchanged };
    let alu = |operation| Operation::Alu { operation, set_flags: false, rd, rn, operand: value };
    match bits(first, 8, 4) {
        0b0_0000 if rn == Register::PC => Operation::Adr { rd, offset },
        0b0_0000 => alu(AluOperation::Add),
        0b0_0100 => Operation::MoveWide { rd, immediate: immediate as u16 },
        0b0_1010 if rn == Register::PC => Operation::Adr { rd, offset: -offset },
        0b0_1010 => alu(AluOperation::Sub),
        0b0_1100 => Operation::MoveTop { rd, immediate: immediate as u16 },
        0b1_0000..=0b1_1111 if !bit(first, 10) && !bit(second, 5) => bit_field(first, second),
        _ => Operation::Undefined,
    }
}

/// The half of A5.3.3 that works on some of a register's bits.
fn bit_field(first: u16, second: u16) -> Operation {
    let (rd, rn) = (reg(second, 8), reg(first, 0));
    let lsb = (bits(second, 14, 12) << 2 | bits(second, 7, 6)) as u8;
    let last = bits(second, 4, 0) as u8;
    match bits(first, 8, 4) {
        kind @ (0b1_0000 | 0b1_0010 | 0b1_1000 | 0b1_1010) => {
            let signed = kind & 0b0_1000 == 0;
            // An arithmetic shift by 0 is the encoding of SSAT16 and USAT16 of the DSP extension.
            let (shift, to) =
                (if bit(first, 5) { Shift::Asr } else { Shift::Lsl }, last + u8::from(signed));
            if shift == Shift::Asr && lsb == 0 {
                return dsp::saturate_halves(first, second, signed);
            }
            Operation::Saturate { signed, rd, rn, shift, amount: lsb, to }
        }
        kind @ (0b1_0100 | 0b1_1100) if lsb + last < 32 => {
            Operation::BitFieldExtract { signed: kind == 0b1_0100, rd, rn, lsb, width: last + 1 }
        }
        0b1_0110 if last >= lsb => Operation::BitFieldInsert {
            rd,
            rn: if rn == Register::PC { None } else { Some(rn) },
            lsb,
            width: last - lsb + 1,
        },
        _ => Operation::Undefined,
    }
}

/// A5.3.12: shifts by register, extensions, reversals. The rest of the table is in `dsp`.
pub(super) fn register(first: u16, second: u16) -> Operation {
    let (rd, rm) = (reg(second, 8), reg(second, 0));
    if bits(second, 15, 12) != 15 || rd == Register::PC {
        return Operation::Undefined;
    }
    match (bits(first, 7, 4), bits(second, 7, 4)) {
        (kind @ 0b0000..=0b0111, 0b0000) => {
            let shift = match kind >> 1 {
                0 => Shift::Lsl,
                1 => Shift::Lsr,
                2 => Shift::Asr,
                _ => Shift::Ror,
            };
            let operand = Operand::ShiftedByRegister { rm: reg(first, 0), shift, rs: rm };
            Operation::Move { set_flags: bit(first, 4), rd, operand }
        }
        (kind @ (0b0000 | 0b0001 | 0b0100 | 0b0101), 0b1000..=0b1011)
            if reg(first, 0) == Register::PC =>
        {
            Operation::Extend {
                signed: kind & 1 == 0,
                size: if kind < 4 { Size::Half } else { Size::Byte },
                rd,
                rm,
                rotation: (bits(second, 5, 4) * 8) as u8,
            }
        }
        (0b1001, 0b1000) => Operation::Reverse { kind: Reversal::Rev, rd, rm },
        (0b1001, 0b1001) => Operation::Reverse { kind: Reversal::Rev16, rd, rm },
        (0b1001, 0b1010) => Operation::Reverse { kind: Reversal::Rbit, rd, rm },
        (0b1001, 0b1011) => Operation::Reverse { kind: Reversal::Revsh, rd, rm },
        (0b1011, 0b1000) => Operation::CountLeadingZeros { rd, rm },
        _ => dsp::register(first, second),
    }
}

/// A5.3.16: MUL, MLA and MLS.
pub(super) fn multiply(first: u16, second: u16) -> Operation {
    let (rd, ra) = (reg(second, 8), reg(second, 12));
    let (rn, rm) = (reg(first, 0), reg(second, 0));
    if rd == Register::PC {
        return Operation::Undefined;
    }
    if bits(first, 6, 4) != 0 {
        return dsp::multiply(first, second);
    }
    match bits(second, 7, 4) {
        0 if ra == Register::PC => Operation::Multiply { set_flags: false, rd, rn, rm },
        subtract @ (0 | 1) => {
            Operation::MultiplyAccumulate { subtract: subtract == 1, rd, rn, rm, ra }
        }
        _ => Operation::Undefined,
    }
}

/// A5.3.17: 64-bit products, and division.
pub(super) fn multiply_long_and_divide(first: u16, second: u16) -> Operation {
    let (rd_lo, rd_hi) = (reg(second, 12), reg(second, 8));
    let (rn, rm) = (reg(first, 0), reg(second, 0));
    if rd_hi == Register::PC {
        return Operation::Undefined;
    }
    match (bits(first, 6, 4), bits(second, 7, 4)) {
        (kind @ (0b000 | 0b010 | 0b100 | 0b110), 0) if rd_lo != Register::PC => {
            Operation::MultiplyLong {
                signed: kind & 0b010 == 0,
                accumulate: kind & 0b100 != 0,
                rd_lo,
                rd_hi,
                rn,
                rm,
            }
        }
        (kind @ (0b001 | 0b011), 0b1111) if rd_lo == Register::PC => {
            Operation::Divide { signed: kind == 0b001, rd: rd_hi, rn, rm }
        }
        _ => dsp::multiply_long(first, second),
    }
}
