//! The encodings of the floating-point extension (A6): the space of the coprocessors 10 and 11.

use crate::processor::decode::{bit, bits, register};
use crate::processor::instruction::float::{Binary, Fixed, Float, Rounding, Single, Unary};
use crate::processor::instruction::{Condition, Register};

/// The single of four bits and one: `Vd:D`.
fn single(four: u32, one: u32) -> Single {
    (four << 1 | one) as Single
}

/// The first single of the double of one bit and four; `None` beyond D15.
fn double(four: u32, one: u32) -> Option<Single> {
    (one == 0).then_some((four << 1) as Single)
}

/// A register of either precision, by four bits and one.
fn of_precision(is_double: bool, four: u32, one: u32) -> Option<Single> {
    if is_double { double(four, one) } else { Some(single(four, one)) }
}

/// The destination, `Vd` and `D`.
fn destination(is_double: bool, first: u16, second: u16) -> Option<Single> {
    of_precision(is_double, bits(second, 15, 12), bits(first, 6, 6))
}

/// The second operand, `Vm` and `M`.
fn operand(is_double: bool, second: u16) -> Option<Single> {
    of_precision(is_double, bits(second, 3, 0), bits(second, 5, 5))
}

/// The first operand, `Vn` and `N`.
fn first_operand(is_double: bool, first: u16, second: u16) -> Option<Single> {
    of_precision(is_double, bits(first, 3, 0), bits(second, 7, 7))
}

/// A6.3: by the kind of instruction. Coprocessor 11 stands for doubles.
pub(super) fn decode(first: u16, second: u16) -> Float {
    let found = match (bits(first, 12, 12), bits(first, 9, 8), bits(second, 4, 4)) {
        (0, 0b10, 0) => data_processing(first, second),
        (1, 0b10, 0) => of_fpv5(first, second),
        (0, 0b10, 1) => transfer_word(first, second),
        (0, 0b00 | 0b01, _) => transfer(first, second),
        _ => None,
    };
    found.unwrap_or(Float::Undefined)
}

/// A6.4: the arithmetic.
fn data_processing(first: u16, second: u16) -> Option<Float> {
    let double = bit(second, 8);
    let other = bit(second, 6);
    let pick = |without, with| if other { with } else { without };
    let operation = match bits(first, 7, 4) & 0b1011 {
        0b0000 => pick(Binary::Mla, Binary::Mls),
        0b0001 => pick(Binary::Nmls, Binary::Nmla),
        0b0010 => pick(Binary::Mul, Binary::Nmul),
        0b0011 => pick(Binary::Add, Binary::Sub),
        0b1000 if !other => Binary::Div,
        0b1001 => pick(Binary::Fnms, Binary::Fnma),
        0b1010 => pick(Binary::Fma, Binary::Fms),
        0b1011 if other => return extended(first, second),
        0b1011 if !bit(second, 7) && !bit(second, 5) => {
            let byte = bits(first, 3, 0) << 4 | bits(second, 3, 0);
            let value = if double { expand_double(byte) } else { expand_immediate(byte) };
            let sd = destination(double, first, second)?;
            return Some(Float::MoveImmediate { double, sd, value });
        }
        _ => return None,
    };
    binary(operation, first, second)
}

/// An operation on three registers.
fn binary(operation: Binary, first: u16, second: u16) -> Option<Float> {
    let double = bit(second, 8);
    let sd = destination(double, first, second)?;
    let sn = first_operand(double, first, second)?;
    let sm = operand(double, second)?;
    Some(Float::Binary { double, operation, sd, sn, sm })
}

/// The instructions without a condition, which FPv5 added: VSEL, VMAXNM, VMINNM, VCVTA to VCVTM and
/// VRINTA to VRINTM.
fn of_fpv5(first: u16, second: u16) -> Option<Float> {
    let double = bit(second, 8);
    let (sd, sm) = (destination(double, first, second)?, operand(double, second)?);
    let other = bit(second, 6);
    match bits(first, 7, 4) & 0b1011 {
        0b0000..=0b0011 if !other => {
            // EQ, VS, GE, GT.
            let condition = Condition([0, 6, 10, 12][bits(first, 5, 4) as usize]);
            let sn = first_operand(double, first, second)?;
            Some(Float::Select { double, condition, sd, sn, sm })
        }
        0b1000 => {
            let operation = if other { Binary::MinNum } else { Binary::MaxNum };
            binary(operation, first, second)
        }
        0b1011 if other => {
            let rounding = match bits(first, 1, 0) {
                0b00 => Rounding::NearestAway,
                0b01 => Rounding::Nearest,
                0b10 => Rounding::Up,
                _ => Rounding::Down,
            };
            match (bits(first, 3, 2), bit(second, 7)) {
                (0b10, false) => {
                    let rounding = Some(rounding);
                    Some(Float::RoundWhole { double, rounding, exact: false, sd, sm })
                }
                (0b11, signed) => {
                    let fixed = Fixed { signed, half: false, fraction: 0 };
                    let sd = destination(false, first, second)?;
                    Some(Float::ToFixed { double, fixed, rounding: Some(rounding), sd, sm })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// `VFPExpandImm` (A6.4.1).
fn expand_immediate(byte: u32) -> u32 {
    let sign = byte >> 7 << 31;
    let exponent = if byte & 0x40 != 0 { 0x1f << 25 } else { 1 << 30 };
    sign | exponent | (byte & 0x3f) << 19
}

/// The upper word of the double that `VFPExpandImm` makes.
fn expand_double(byte: u32) -> u32 {
    let sign = byte >> 7 << 31;
    let exponent = if byte & 0x40 != 0 { 0xff << 22 } else { 1 << 30 };
    sign | exponent | (byte & 0x3f) << 16
}

/// The operations on one operand and the conversions, of A6.4. An integer is in a single, whatever
/// the precision is.
fn extended(first: u16, second: u16) -> Option<Float> {
    let double = bit(second, 8);
    let (sd, sm) = (destination(double, first, second), operand(double, second));
    let (single_d, single_m) = (destination(false, first, second)?, operand(false, second)?);
    let upper = bit(second, 7);
    let unary = |operation| Some(Float::Unary { double, operation, sd: sd?, sm: sm? });
    let integer = |signed| Fixed { signed, half: false, fraction: 0 };
    match bits(first, 3, 0) {
        0b0000 => unary(if upper { Unary::Absolute } else { Unary::Move }),
        0b0001 => unary(if upper { Unary::SquareRoot } else { Unary::Negate }),
        kind @ (0b0010 | 0b0011) => {
            let to_half = kind & 1 != 0;
            let (sd, sm) = if to_half { (Some(single_d), sm) } else { (sd, Some(single_m)) };
            Some(Float::ConvertHalf { double, to_half, top: upper, sd: sd?, sm: sm? })
        }
        0b0100 => Some(Float::Compare { double, quiet_is_invalid: upper, sd: sd?, sm: Some(sm?) }),
        0b0101 if single_m == 0 => {
            Some(Float::Compare { double, quiet_is_invalid: upper, sd: sd?, sm: None })
        }
        kind @ (0b0110 | 0b0111) if kind & 1 == 0 || !upper => {
            // VRINTR, VRINTZ and VRINTX.
            let rounding = (kind & 1 == 0 && upper).then_some(Rounding::TowardsZero);
            let exact = kind & 1 != 0;
            Some(Float::RoundWhole { double, rounding, exact, sd: sd?, sm: sm? })
        }
        0b0111 => {
            let (sd, sm) = if double { (Some(single_d), sm) } else { (None, Some(single_m)) };
            let sd = sd.or_else(|| destination(true, first, second))?;
            Some(Float::Resize { to_double: !double, sd, sm: sm? })
        }
        0b1000 => {
            let fixed = integer(upper);
            Some(Float::FromFixed { double, fixed, to_nearest: false, sd: sd?, sm: single_m })
        }
        kind @ (0b1100 | 0b1101) => {
            let (fixed, rounding) =
                (integer(kind & 1 != 0), upper.then_some(Rounding::TowardsZero));
            Some(Float::ToFixed { double, fixed, rounding, sd: single_d, sm: sm? })
        }
        kind @ (0b1010 | 0b1011 | 0b1110 | 0b1111) => fixed(double, second, sd?, kind),
        _ => None,
    }
}

/// VCVT between a floating-point and a fixed-point number, in one register.
fn fixed(double: bool, second: u16, sd: Single, kind: u32) -> Option<Float> {
    let half = !bit(second, 7);
    let immediate = bits(second, 3, 0) << 1 | bits(second, 5, 5);
    // More bits behind the point than there are bits: UNPREDICTABLE.
    let fraction = (if half { 16u8 } else { 32 }).checked_sub(immediate as u8)?;
    let fixed = Fixed { signed: kind & 1 == 0, half, fraction };
    Some(if kind & 0b0100 != 0 {
        let rounding = Some(Rounding::TowardsZero);
        Float::ToFixed { double, fixed, rounding, sd, sm: sd }
    } else {
        Float::FromFixed { double, fixed, to_nearest: true, sd, sm: sd }
    })
}

/// A6.6: one word between the two kinds of registers.
fn transfer_word(first: u16, second: u16) -> Option<Float> {
    let (to_core, rt) = (bit(first, 4), register(second, 12));
    if bits(second, 3, 0) != 0 || bits(second, 6, 5) != 0 {
        return None;
    }
    match (bits(first, 7, 5), bit(second, 8)) {
        (0b111, false) if bits(first, 3, 0) == 1 && !bit(second, 7) => status(to_core, rt),
        _ if rt == Register::PC => None,
        (0b000, false) => {
            Some(Float::MoveWord { to_core, single: first_operand(false, first, second)?, rt })
        }
        (half @ (0b000 | 0b001), true) => {
            let low = double(bits(first, 3, 0), bits(second, 7, 7))?;
            Some(Float::MoveWord { to_core, single: low + half as Single, rt })
        }
        _ => None,
    }
}

/// VMRS and VMSR of FPSCR, the only such register.
fn status(to_core: bool, rt: Register) -> Option<Float> {
    match to_core {
        true => Some(Float::ReadStatus { rt }),
        false if rt == Register::PC => None,
        false => Some(Float::WriteStatus { rt }),
    }
}

/// A6.5 and A6.7: loads and stores, and two words between the two kinds of registers.
fn transfer(first: u16, second: u16) -> Option<Float> {
    let (load, base) = (bit(first, 4), register(first, 0));
    let (upwards, writeback) = (bit(first, 7), bit(first, 5));
    let doubles = bit(second, 8);
    let number = bits(second, 15, 12);
    let first_single = of_precision(doubles, number, bits(first, 6, 6));
    let step = bits(second, 7, 0) as u8;
    match (bit(first, 8), upwards, writeback) {
        (false, false, false) if bit(first, 6) => transfer_two(first, second),
        (true, _, false) if load || base != Register::PC => {
            let offset = i16::from(step) * if upwards { 4 } else { -4 };
            let words = 1 + u8::from(doubles);
            Some(Float::Transfer { load, first: first_single?, words, base, offset })
        }
        (false, true, _) | (true, false, true) if base != Register::PC => {
            let words = if doubles { step & !1 } else { step };
            // UNPREDICTABLE: none, more than 16 doubles, registers beyond the last.
            let first = first_single?;
            if words == 0 || u32::from(first) + u32::from(words) > 32 {
                return None;
            }
            let (bytes, decrement_before) = (4 * step, !upwards);
            Some(Float::Multiple { load, first, words, bytes, base, decrement_before, writeback })
        }
        _ => None,
    }
}

/// VMOV between two core registers and two singles or a double.
fn transfer_two(first: u16, second: u16) -> Option<Float> {
    let (rt, rt2, to_core) = (register(second, 12), register(first, 0), bit(first, 4));
    let (number, one) = (bits(second, 3, 0), bits(second, 5, 5));
    let low = of_precision(bit(second, 8), number, one)?;
    let unpredictable = rt == Register::PC || rt2 == Register::PC || to_core && rt == rt2;
    if bits(second, 7, 6) != 0 || !bit(second, 4) || unpredictable || low == 31 {
        return None;
    }
    Some(Float::MoveTwo { to_core, first: low, rt, rt2 })
}
