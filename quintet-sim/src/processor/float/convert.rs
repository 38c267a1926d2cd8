//! Conversions: to and from numbers without a point, to whole numbers, between the precisions.

use super::{
    Finite, HALF, Number, Status, Unpacked, fpscr, is_negative, process_nan, round, round_to,
    unpack, zero,
};
use crate::processor::instruction::float::{Fixed, Rounding};

/// `FixedToFP`. With `to_nearest`, the rounding mode doesn't matter.
pub fn from_fixed<N: Number>(word: u32, fixed: Fixed, to_nearest: bool, status: &mut Status) -> N {
    let value = match (fixed.signed, fixed.half) {
        (true, true) => i64::from(word as i16),
        (true, false) => i64::from(word as i32),
        (false, true) => i64::from(word as u16),
        (false, false) => i64::from(word),
    };
    if value == 0 {
        return zero(false);
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
    let result = round(number, status);
    status.0 |= mode;
    result
}

/// `FPToFixed`: the nearest possible number. If this is not the result of rounding, an invalid
/// operation. Without a rounding, that of FPSCR counts.
pub fn to_fixed<N: Number>(
    number: N,
    fixed: Fixed,
    rounding: Option<Rounding>,
    status: &mut Status,
) -> u32 {
    let bits = if fixed.half { 16 } else { 32 };
    let (low, high) = if fixed.signed {
        (-1i64 << (bits - 1), (1i64 << (bits - 1)) - 1)
    } else {
        (0, (1i64 << bits) - 1)
    };
    let exact = match unpack(number, status) {
        Unpacked::Zero => return 0,
        Unpacked::Number(number) => number,
        Unpacked::Infinity => {
            status.raise(fpscr::INVALID);
            return if is_negative(number) { low as u32 } else { high as u32 };
        }
        _ => {
            status.raise(fpscr::INVALID);
            return 0;
        }
    };
    let rounding = rounding.unwrap_or_else(|| status.rounding());
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
        0.. if value.significand.leading_zeros() < exponent.unsigned_abs() + 2 => (1 << 40, 0, 1),
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

/// `FPRoundInt`: the whole number, in the same precision. An `exact` one reports what was not
/// whole.
pub fn round_whole<N: Number>(
    number: N,
    rounding: Option<Rounding>,
    exact: bool,
    status: &mut Status,
) -> N {
    let value = match unpack(number, status) {
        Unpacked::Zero => return zero(is_negative(number)),
        Unpacked::Infinity => return number,
        Unpacked::Number(value) if value.exponent >= 0 => return number,
        Unpacked::Number(value) => value,
        kind => return process_nan(number, kind, status),
    };
    let rounding = rounding.unwrap_or_else(|| status.rounding());
    let (result, inexact) = whole(value, 0, rounding);
    if inexact && exact {
        status.raise(fpscr::INEXACT);
    }
    match result.unsigned_abs() {
        0 => zero(value.negative),
        significand => round(Finite { significand, exponent: 0, ..value }, status),
    }
}

/// `FPSingleToDouble` and `FPDoubleToSingle`.
pub fn resize<A: Number, B: Number>(number: A, status: &mut Status) -> B {
    let sign = zero::<B>(is_negative(number));
    match unpack(number, status) {
        Unpacked::Zero => sign,
        Unpacked::Infinity => sign | B::INFINITY,
        Unpacked::Number(value) => round(value, status),
        kind => {
            // The upper bits of the fraction stay.
            let fraction = number.bits() << (64 - A::FRACTION) >> (64 - B::FRACTION);
            process_nan(sign | B::INFINITY | B::of(fraction), kind, status)
        }
    }
}

/// `FPHalfToSingle` and `FPHalfToDouble`. Denormal halves are never flushed.
pub fn from_half<N: Number>(half: u16, status: &mut Status) -> N {
    let negative = half & 0x8000 != 0;
    let sign = zero::<N>(negative);
    let (exponent, fraction) = (i32::from(half >> 10 & 31), u64::from(half & 0x3ff));
    let (significand, exponent) = match exponent {
        0 if fraction == 0 => return sign,
        0 => (fraction, -24),
        31 if !status.is_set(fpscr::ALTERNATIVE_HALF) => {
            if fraction == 0 {
                return sign | N::INFINITY;
            }
            let kind =
                if fraction & 0x200 != 0 { Unpacked::QuietNan } else { Unpacked::SignallingNan };
            let fraction = N::of(fraction << (N::FRACTION - HALF.1));
            return process_nan(sign | N::INFINITY | fraction, kind, status);
        }
        _ => (fraction | 0x400, exponent - 25),
    };
    round(Finite { negative, significand, exponent }, status)
}

/// `FPSingleToHalf` and `FPDoubleToHalf`.
pub fn to_half<N: Number>(number: N, status: &mut Status) -> u16 {
    let sign = if is_negative(number) { 0x8000 } else { 0 };
    let alternative = status.is_set(fpscr::ALTERNATIVE_HALF);
    match unpack(number, status) {
        Unpacked::Zero => sign,
        Unpacked::Number(value) => sign | round_to(HALF, value, status, false) as u16,
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
            let quiet = process_nan(number, kind, status);
            let sign = if is_negative(quiet) { 0x8000 } else { 0 };
            sign | 0x7e00 | (quiet.bits() >> (N::FRACTION - HALF.1) & 0x1ff) as u16
        }
    }
}
