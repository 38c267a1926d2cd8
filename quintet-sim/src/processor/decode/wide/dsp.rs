//! The encodings of the DSP extension, which lie among those of data processing.

use crate::processor::decode::{bit, bits, immediate_shift, register as reg};
use crate::processor::instruction::dsp::{Dsp, Ending, Extension, Lanes};
use crate::processor::instruction::{Operation, Register, Size};

/// The accumulator in the upper four bits of the second halfword; 1111 means none.
fn accumulator(second: u16) -> Option<Register> {
    let ra = reg(second, 12);
    (ra != Register::PC).then_some(ra)
}

fn operation(dsp: Option<Dsp>) -> Operation {
    dsp.map_or(Operation::Undefined, Operation::Dsp)
}

/// PKHBT and PKHTB, in A5.3.11. Rd is not PC.
pub(super) fn pack(first: u16, second: u16) -> Operation {
    let (rd, rn, rm) = (reg(second, 8), reg(first, 0), reg(second, 0));
    if bit(first, 4) || bit(second, 4) || rd == Register::PC {
        return Operation::Undefined;
    }
    let amount = bits(second, 14, 12) << 2 | bits(second, 7, 6);
    let (shift, amount) = immediate_shift(bits(second, 5, 4), amount);
    Operation::Dsp(Dsp::Pack { top: bit(second, 5), rd, rn, rm, shift, amount })
}

/// SSAT16 and USAT16, in A5.3.3: encodings that would be an arithmetic shift by 0.
pub(super) fn saturate_halves(first: u16, second: u16, signed: bool) -> Operation {
    if bits(second, 5, 4) != 0 {
        return Operation::Undefined;
    }
    let to = bits(second, 3, 0) as u8 + u8::from(signed);
    Operation::Dsp(Dsp::Saturate16 { signed, rd: reg(second, 8), rn: reg(first, 0), to })
}

/// The encodings of A5.3.12 beyond shifts, simple extensions and reversals.
pub(super) fn register(first: u16, second: u16) -> Operation {
    operation(match (bits(first, 7, 4), bits(second, 7, 4)) {
        (0b0000..=0b0101, 0b1000..=0b1011) => Some(extend(first, second)),
        (0b1000..=0b1111, 0b0000..=0b0111) => parallel(first, second),
        (0b1000, 0b1000..=0b1011) => Some(saturating(first, second)),
        (0b1010, 0b1000) => {
            Some(Dsp::Select { rd: reg(second, 8), rn: reg(first, 0), rm: reg(second, 0) })
        }
        _ => None,
    })
}

/// SXTAH to UXTAB, and SXTB16 and UXTB16.
fn extend(first: u16, second: u16) -> Dsp {
    let kind = bits(first, 7, 4);
    let rn = reg(first, 0);
    Dsp::Extend {
        signed: kind & 1 == 0,
        extension: match kind >> 1 {
            0 => Extension::One(Size::Half),
            1 => Extension::Pair,
            _ => Extension::One(Size::Byte),
        },
        rd: reg(second, 8),
        rn: (rn != Register::PC).then_some(rn),
        rm: reg(second, 0),
        rotation: (bits(second, 5, 4) * 8) as u8,
    }
}

/// A5.3.13 and A5.3.14.
fn parallel(first: u16, second: u16) -> Option<Dsp> {
    let lanes = match bits(first, 6, 4) {
        0b000 => Lanes::Add8,
        0b001 => Lanes::Add16,
        0b010 => Lanes::AddSubtract,
        0b100 => Lanes::Subtract8,
        0b101 => Lanes::Subtract16,
        0b110 => Lanes::SubtractAdd,
        _ => return None,
    };
    let ending = match bits(second, 5, 4) {
        0b00 => Ending::Flags,
        0b01 => Ending::Saturate,
        0b10 => Ending::Halve,
        _ => return None,
    };
    let (rd, rn, rm) = (reg(second, 8), reg(first, 0), reg(second, 0));
    Some(Dsp::Parallel { signed: !bit(second, 6), ending, lanes, rd, rn, rm })
}

/// QADD, QDADD, QSUB and QDSUB, of A5.3.15.
fn saturating(first: u16, second: u16) -> Dsp {
    Dsp::Saturating {
        double: bit(second, 4),
        subtract: bit(second, 5),
        rd: reg(second, 8),
        rn: reg(first, 0),
        rm: reg(second, 0),
    }
}

/// The encodings of A5.3.16 beyond MUL, MLA and MLS. Rd is not PC.
pub(super) fn multiply(first: u16, second: u16) -> Operation {
    let (rd, rn, rm, ra) = (reg(second, 8), reg(first, 0), reg(second, 0), accumulator(second));
    let (upper, lower) = (bit(second, 5), bit(second, 4));
    if bits(second, 7, 6) != 0 {
        return Operation::Undefined;
    }
    operation(match bits(first, 6, 4) {
        0b001 => Some(Dsp::MultiplyHalves { n_top: upper, m_top: lower, rd, rn, rm, ra }),
        kind @ (0b010 | 0b100) if !upper => {
            Some(Dsp::MultiplyDual { subtract: kind == 0b100, exchange: lower, rd, rn, rm, ra })
        }
        0b011 if !upper => Some(Dsp::MultiplyWordByHalf { m_top: lower, rd, rn, rm, ra }),
        0b101 if !upper => {
            Some(Dsp::MultiplyHigh { subtract: false, round: lower, rd, rn, rm, ra })
        }
        // SMMLS always accumulates.
        0b110 if !upper && ra.is_some() => {
            Some(Dsp::MultiplyHigh { subtract: true, round: lower, rd, rn, rm, ra })
        }
        0b111 if !upper && !lower => Some(Dsp::AbsoluteDifferences { rd, rn, rm, ra }),
        _ => None,
    })
}

/// The encodings of A5.3.17 beyond the plain 64-bit products and division. RdHi is not PC.
pub(super) fn multiply_long(first: u16, second: u16) -> Operation {
    let (rd_lo, rd_hi) = (reg(second, 12), reg(second, 8));
    let (rn, rm) = (reg(first, 0), reg(second, 0));
    let (upper, lower) = (bit(second, 5), bit(second, 4));
    if rd_lo == Register::PC {
        return Operation::Undefined;
    }
    operation(match (bits(first, 6, 4), bits(second, 7, 4)) {
        (0b100, 0b1000..=0b1011) => {
            Some(Dsp::MultiplyHalvesLong { n_top: upper, m_top: lower, rd_lo, rd_hi, rn, rm })
        }
        (kind @ (0b100 | 0b101), 0b1100 | 0b1101) => {
            let subtract = kind == 0b101;
            Some(Dsp::MultiplyDualLong { subtract, exchange: lower, rd_lo, rd_hi, rn, rm })
        }
        (0b110, 0b0110) => Some(Dsp::MultiplyAccumulateTwice { rd_lo, rd_hi, rn, rm }),
        _ => None,
    })
}
