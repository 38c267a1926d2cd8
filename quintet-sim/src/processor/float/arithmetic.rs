//! Sums, products, quotients, roots and comparisons.

use super::{
    DEFAULT_NAN, Finite, Format, INFINITY, SIGN, Status, Unpacked, fpscr, is_negative, jam, narrow,
    process_nans, round, unpack,
};

/// The order of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// The first is smaller.
    Less,
    /// Both are the same.
    Equal,
    /// The first is larger.
    Greater,
    /// One is a NaN.
    Unordered,
}

impl Comparison {
    /// N, Z, C and V, in the lowest bits.
    pub fn flags(self) -> u32 {
        match self {
            Self::Equal => 0b0110,
            Self::Less => 0b1000,
            Self::Greater => 0b0010,
            Self::Unordered => 0b0011,
        }
    }
}

/// A sign in its place in the word.
fn signed(negative: bool) -> u32 {
    if negative { SIGN } else { 0 }
}

/// `FPAdd`.
pub fn add(x: u32, y: u32, status: &mut Status) -> u32 {
    let (a, b) = (unpack(x, status), unpack(y, status));
    if let Some(nan) = process_nans(&[(x, a), (y, b)], status) {
        return nan;
    }
    match (a, b) {
        (Unpacked::Infinity, Unpacked::Infinity) if (x ^ y) & SIGN != 0 => status.invalid(),
        (Unpacked::Infinity, _) => x,
        (_, Unpacked::Infinity) => y,
        (Unpacked::Zero, Unpacked::Zero) if (x ^ y) & SIGN == 0 => x & SIGN,
        (Unpacked::Zero, Unpacked::Zero) => status.exact_zero(),
        // An unchanged number was exact before: only a denormal can change now.
        (Unpacked::Number(number), _) if b == Unpacked::Zero => {
            round(Format::Single, number, status)
        }
        (_, Unpacked::Number(number)) if a == Unpacked::Zero => {
            round(Format::Single, number, status)
        }
        (Unpacked::Number(a), Unpacked::Number(b)) => sum(a, b, status),
        _ => DEFAULT_NAN,
    }
}

/// `FPSub`, which is `FPAdd` of the negation, except that a NaN keeps its sign.
pub fn sub(x: u32, y: u32, status: &mut Status) -> u32 {
    let is_nan = y & !SIGN > INFINITY;
    add(x, if is_nan { y } else { y ^ SIGN }, status)
}

/// The sum of two numbers that are not zero.
fn sum(a: Finite, b: Finite, status: &mut Status) -> u32 {
    // Leading ones in bit 125: room for a carry above, and for everything that counts below.
    let align = |number: Finite| {
        let wide = u128::from(number.significand);
        let distance = wide.leading_zeros() - 2;
        (wide << distance, number.exponent - distance as i32)
    };
    let ((a_wide, a_exponent), (b_wide, b_exponent)) = (align(a), align(b));
    let exponent = a_exponent.max(b_exponent);
    let a_wide = jam(a_wide, (exponent - a_exponent) as u32);
    let b_wide = jam(b_wide, (exponent - b_exponent) as u32);
    let (negative, magnitude) = if a.negative == b.negative {
        (a.negative, a_wide + b_wide)
    } else if a_wide >= b_wide {
        (a.negative, a_wide - b_wide)
    } else {
        (b.negative, b_wide - a_wide)
    };
    match magnitude {
        0 => status.exact_zero(),
        _ => round(Format::Single, narrow(negative, magnitude, exponent), status),
    }
}

/// The exact product of two numbers.
fn product(a: Finite, b: Finite) -> Finite {
    Finite {
        negative: a.negative != b.negative,
        significand: a.significand * b.significand,
        exponent: a.exponent + b.exponent,
    }
}

/// `FPMul`.
pub fn multiply(x: u32, y: u32, status: &mut Status) -> u32 {
    let (a, b) = (unpack(x, status), unpack(y, status));
    if let Some(nan) = process_nans(&[(x, a), (y, b)], status) {
        return nan;
    }
    let sign = (x ^ y) & SIGN;
    match (a, b) {
        (Unpacked::Infinity, Unpacked::Zero) | (Unpacked::Zero, Unpacked::Infinity) => {
            status.invalid()
        }
        (Unpacked::Infinity, _) | (_, Unpacked::Infinity) => sign | INFINITY,
        (Unpacked::Number(a), Unpacked::Number(b)) => round(Format::Single, product(a, b), status),
        _ => sign,
    }
}

/// `FPMulAdd`: `addend + x * y`, rounded once.
pub fn multiply_add(addend: u32, x: u32, y: u32, status: &mut Status) -> u32 {
    let c = unpack(addend, status);
    let (a, b) = (unpack(x, status), unpack(y, status));
    let has_no_product = matches!(
        (a, b),
        (Unpacked::Infinity, Unpacked::Zero) | (Unpacked::Zero, Unpacked::Infinity)
    );
    let nan = process_nans(&[(addend, c), (x, a), (y, b)], status);
    if has_no_product && c != Unpacked::SignallingNan {
        return status.invalid();
    }
    if let Some(nan) = nan {
        return nan;
    }
    let negative = is_negative(x ^ y);
    let is_infinite = a == Unpacked::Infinity || b == Unpacked::Infinity;
    match (c, a, b) {
        (Unpacked::Infinity, ..) if is_infinite && is_negative(addend) != negative => {
            status.invalid()
        }
        (Unpacked::Infinity, ..) => addend,
        _ if is_infinite => signed(negative) | INFINITY,
        (Unpacked::Number(c), Unpacked::Number(a), Unpacked::Number(b)) => {
            sum(c, product(a, b), status)
        }
        (_, Unpacked::Number(a), Unpacked::Number(b)) => {
            round(Format::Single, product(a, b), status)
        }
        (Unpacked::Number(c), ..) => round(Format::Single, c, status),
        _ if is_negative(addend) == negative => signed(negative),
        _ => status.exact_zero(),
    }
}

/// `FPDiv`.
pub fn divide(x: u32, y: u32, status: &mut Status) -> u32 {
    let (a, b) = (unpack(x, status), unpack(y, status));
    if let Some(nan) = process_nans(&[(x, a), (y, b)], status) {
        return nan;
    }
    let sign = (x ^ y) & SIGN;
    match (a, b) {
        (Unpacked::Infinity, Unpacked::Infinity) | (Unpacked::Zero, Unpacked::Zero) => {
            status.invalid()
        }
        (Unpacked::Infinity, _) => sign | INFINITY,
        (Unpacked::Number(_), Unpacked::Zero) => {
            status.raise(fpscr::DIVISION_BY_ZERO);
            sign | INFINITY
        }
        (Unpacked::Number(a), Unpacked::Number(b)) => {
            // A dividend of 64 bits leaves at least 40 of the quotient.
            let zeros = a.significand.leading_zeros();
            let dividend = a.significand << zeros;
            let (quotient, rest) = (dividend / b.significand, dividend % b.significand);
            let result = Finite {
                negative: sign != 0,
                significand: quotient | u64::from(rest != 0),
                exponent: a.exponent - zeros as i32 - b.exponent,
            };
            round(Format::Single, result, status)
        }
        _ => sign,
    }
}

/// `FPSqrt`.
pub fn square_root(x: u32, status: &mut Status) -> u32 {
    let a = unpack(x, status);
    if let Some(nan) = process_nans(&[(x, a)], status) {
        return nan;
    }
    match a {
        Unpacked::Zero => x & SIGN,
        _ if is_negative(x) => status.invalid(),
        Unpacked::Number(number) => {
            // 62 or 63 bits below an even power of two have a root of 31 or more.
            let shift = number.significand.leading_zeros() - 1;
            let shift = shift - ((number.exponent - shift as i32) & 1) as u32;
            let square = number.significand << shift;
            let root = square.isqrt();
            let result = Finite {
                negative: false,
                significand: root << 1 | u64::from(root * root != square),
                exponent: (number.exponent - shift as i32) / 2 - 1,
            };
            round(Format::Single, result, status)
        }
        _ => INFINITY,
    }
}

/// `FPCompare`. Quiet NaNs are an invalid operation only when `quiet_is_invalid`.
pub fn compare(x: u32, y: u32, quiet_is_invalid: bool, status: &mut Status) -> Comparison {
    let (a, b) = (unpack(x, status), unpack(y, status));
    if a.is_nan() || b.is_nan() {
        let signalling = a == Unpacked::SignallingNan || b == Unpacked::SignallingNan;
        if signalling || quiet_is_invalid {
            status.raise(fpscr::INVALID);
        }
        return Comparison::Unordered;
    }
    // The order of numbers is the order of their magnitudes' bits, and both zeros are equal.
    let order = |single: u32, unpacked| {
        let magnitude = if unpacked == Unpacked::Zero { 0 } else { i64::from(single & !SIGN) };
        if is_negative(single) { -magnitude } else { magnitude }
    };
    match order(x, a).cmp(&order(y, b)) {
        std::cmp::Ordering::Less => Comparison::Less,
        std::cmp::Ordering::Equal => Comparison::Equal,
        std::cmp::Ordering::Greater => Comparison::Greater,
    }
}
