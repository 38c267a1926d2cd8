//! Conversions: to and from numbers without a point, and half precision.

use super::{
    Finite, Format, INFINITY, Rounding, SIGN, Status, Unpacked, fpscr, process_nan, round, unpack,
};
use crate::processor::instruction::float::Fixed;

/// `FixedToFP`. With `to_nearest`, the rounding mode doesn't matter.
pub fn from_fixed(word: u32, fixed: Fixed, to_nearest: bool, status: &mut Status) -> u32 {
    let value = match (fixed.signed, fixed.half) {
        (true, true) => i64::from(word as i16),
        (true, false) => i64::from(word as i32),
        (false, true) => i64::from(word as u16),
        (false, false) => i64::from(word),
    };
    if value == 0 {
        return 0;
    }
    let number = Finite {
        negative: value < 0,
        significand: value.unsigned_abs(),
        exponent: -i32::from(fixed.fraction),
    };
    let mode = status.0 & fpscr::ROUNDING;
    if to_nearest {
        status.0 &= !fpscr::ROUNDING;
    }
    let result = round(Format::Single, number, status);
    status.0 |= mode;
    result
}

/// `FPToFixed`: the nearest possible number. If this is not the result of rounding, an invalid
/// operation.
pub fn to_fixed(single: u32, fixed: Fixed, towards_zero: bool, status: &mut Status) -> u32 {
    let bits = if fixed.half { 16 } else { 32 };
    let (low, high) = if fixed.signed {
        (-1i64 << (bits - 1), (1i64 << (bits - 1)) - 1)
    } else {
        (0, (1i64 << bits) - 1)
    };
    let exact = match unpack(single, status) {
        Unpacked::Zero => return 0,
        Unpacked::Number(number) => number,
        Unpacked::Infinity => {
            status.raise(fpscr::INVALID);
            return if single & SIGN != 0 { low as u32 } else { high as u32 };
        }
        _ => {
            status.raise(fpscr::INVALID);
            return 0;
        }
    };
    let rounding = if towards_zero { Rounding::TowardsZero } else { status.rounding() };
    let (value, inexact) = whole(exact, i32::from(fixed.fraction), rounding);
    let result = value.clamp(low, high);
    if result != value {
        status.raise(fpscr::INVALID);
    } else if inexact {
        status.raise(fpscr::INEXACT);
    }
    result as u32
}

/// Returns `value * 2^fraction` as a whole number, and `true` if it was not whole. A number that is
/// far too large stays too large.
fn whole(value: Finite, fraction: i32, rounding: Rounding) -> (i64, bool) {
    let exponent = value.exponent + fraction;
    let (mut magnitude, cut, half) = match exponent {
        // A significand has 24 bits.
        34.. => (1 << 40, 0, 1),
        0.. => (value.significand << exponent, 0, 1),
        -62..0 => {
            let distance = exponent.unsigned_abs();
            let cut = value.significand & ((1 << distance) - 1);
            (value.significand >> distance, cut, 1 << (distance - 1))
        }
        _ => (0, 1, 2),
    };
    if rounding.grows(value.negative, magnitude & 1 != 0, cut, half) {
        magnitude += 1;
    }
    let magnitude = magnitude as i64;
    (if value.negative { -magnitude } else { magnitude }, cut != 0)
}

/// `FPHalfToSingle`. Denormal halves are never flushed.
pub fn from_half(half: u16, status: &mut Status) -> u32 {
    let sign = u32::from(half & 0x8000) << 16;
    let (exponent, fraction) = (i32::from(half >> 10 & 31), u32::from(half & 0x3ff));
    let (significand, exponent) = match exponent {
        0 if fraction == 0 => return sign,
        0 => (fraction, -24),
        31 if !status.is_set(fpscr::ALTERNATIVE_HALF) => {
            if fraction == 0 {
                return sign | INFINITY;
            }
            let kind =
                if fraction & 0x200 != 0 { Unpacked::QuietNan } else { Unpacked::SignallingNan };
            return process_nan(sign | INFINITY | fraction << 13, kind, status);
        }
        _ => (fraction | 0x400, exponent - 25),
    };
    let negative = sign != 0;
    let significand = u64::from(significand);
    round(Format::Single, Finite { negative, significand, exponent }, status)
}

/// `FPSingleToHalf`.
pub fn to_half(single: u32, status: &mut Status) -> u16 {
    let sign = (single >> 16 & 0x8000) as u16;
    let alternative = status.is_set(fpscr::ALTERNATIVE_HALF);
    match unpack(single, status) {
        Unpacked::Zero => sign,
        Unpacked::Number(number) => round(Format::Half, number, status) as u16,
        Unpacked::Infinity if alternative => {
            status.raise(fpscr::INVALID);
            sign | 0x7fff
        }
        Unpacked::Infinity => sign | 0x7c00,
        // The alternative format has no NaN.
        _ if alternative => {
            status.raise(fpscr::INVALID);
            sign
        }
        kind => {
            let quiet = process_nan(single, kind, status);
            (quiet >> 16 & 0x8000) as u16 | 0x7e00 | (quiet >> 13 & 0x1ff) as u16
        }
    }
}
