//! Sums, products, quotients, roots and comparisons.

use super::{
    Finite, Number, Status, Unpacked, fpscr, is_negative, jam, narrow, process_nans, round, unpack,
    zero,
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

/// An exact number whose whole number is too wide for a [`Finite`].
#[derive(Clone, Copy)]
struct Wide {
    negative: bool,
    significand: u128,
    exponent: i32,
}

impl From<Finite> for Wide {
    fn from(number: Finite) -> Self {
        let Finite { negative, significand, exponent } = number;
        Self { negative, significand: significand.into(), exponent }
    }
}

impl Wide {
    /// Returns the number in 64 bits: the lowest stands for all that were cut off.
    fn narrow(self) -> Finite {
        narrow(self.negative, self.significand, self.exponent)
    }
}

/// `FPAdd`.
pub fn add<N: Number>(x: N, y: N, status: &mut Status) -> N {
    let (a, b) = (unpack(x, status), unpack(y, status));
    if let Some(nan) = process_nans(&[(x, a), (y, b)], status) {
        return nan;
    }
    match (a, b) {
        (Unpacked::Infinity, Unpacked::Infinity) if is_negative(x ^ y) => status.invalid(),
        (Unpacked::Infinity, _) => x,
        (_, Unpacked::Infinity) => y,
        // A denormal that was flushed is a zero too.
        (Unpacked::Zero, Unpacked::Zero) if !is_negative(x ^ y) => zero(is_negative(x)),
        (Unpacked::Zero, Unpacked::Zero) => status.exact_zero(),
        // An unchanged number was exact before: only a denormal can change now.
        (Unpacked::Number(number), _) if b == Unpacked::Zero => round(number, status),
        (_, Unpacked::Number(number)) if a == Unpacked::Zero => round(number, status),
        (Unpacked::Number(a), Unpacked::Number(b)) => sum(a.into(), b.into(), status),
        _ => N::DEFAULT_NAN,
    }
}

/// `FPSub`, which is `FPAdd` of the negation, except that a NaN keeps its sign.
pub fn sub<N: Number>(x: N, y: N, status: &mut Status) -> N {
    let is_nan = (y & !N::SIGN).bits() > N::INFINITY.bits();
    add(x, if is_nan { y } else { y ^ N::SIGN }, status)
}

/// The sum of two numbers that are not zero.
fn sum<N: Number>(a: Wide, b: Wide, status: &mut Status) -> N {
    // Leading ones in bit 125: room for a carry above, and for everything that counts below.
    let align = |number: Wide| {
        let wide = number.significand;
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
        _ => round(narrow(negative, magnitude, exponent), status),
    }
}

/// The exact product of two numbers.
fn product(a: Finite, b: Finite) -> Wide {
    Wide {
        negative: a.negative != b.negative,
        significand: u128::from(a.significand) * u128::from(b.significand),
        exponent: a.exponent + b.exponent,
    }
}

/// `FPMul`.
pub fn multiply<N: Number>(x: N, y: N, status: &mut Status) -> N {
    let (a, b) = (unpack(x, status), unpack(y, status));
    if let Some(nan) = process_nans(&[(x, a), (y, b)], status) {
        return nan;
    }
    let sign = (x ^ y) & N::SIGN;
    match (a, b) {
        (Unpacked::Infinity, Unpacked::Zero) | (Unpacked::Zero, Unpacked::Infinity) => {
            status.invalid()
        }
        (Unpacked::Infinity, _) | (_, Unpacked::Infinity) => sign | N::INFINITY,
        (Unpacked::Number(a), Unpacked::Number(b)) => round(product(a, b).narrow(), status),
        _ => sign,
    }
}

/// `FPMulAdd`: `addend + x * y`, rounded once.
pub fn multiply_add<N: Number>(addend: N, x: N, y: N, status: &mut Status) -> N {
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
        _ if is_infinite => zero::<N>(negative) | N::INFINITY,
        (Unpacked::Number(c), Unpacked::Number(a), Unpacked::Number(b)) => {
            sum(c.into(), product(a, b), status)
        }
        (_, Unpacked::Number(a), Unpacked::Number(b)) => round(product(a, b).narrow(), status),
        (Unpacked::Number(c), ..) => round(c, status),
        _ if is_negative(addend) == negative => zero(negative),
        _ => status.exact_zero(),
    }
}

/// `FPDiv`.
pub fn divide<N: Number>(x: N, y: N, status: &mut Status) -> N {
    let (a, b) = (unpack(x, status), unpack(y, status));
    if let Some(nan) = process_nans(&[(x, a), (y, b)], status) {
        return nan;
    }
    let sign = (x ^ y) & N::SIGN;
    match (a, b) {
        (Unpacked::Infinity, Unpacked::Infinity) | (Unpacked::Zero, Unpacked::Zero) => {
            status.invalid()
        }
        (Unpacked::Infinity, _) => sign | N::INFINITY,
        (Unpacked::Number(_), Unpacked::Zero) => {
            status.raise(fpscr::DIVISION_BY_ZERO);
            sign | N::INFINITY
        }
        (Unpacked::Number(a), Unpacked::Number(b)) => {
            // A dividend of 127 bits leaves at least 74 of the quotient.
            let wide = u128::from(a.significand);
            let zeros = wide.leading_zeros() - 1;
            let (dividend, divisor) = (wide << zeros, u128::from(b.significand));
            let (quotient, rest) = (dividend / divisor, dividend % divisor);
            let result = Wide {
                negative: sign == N::SIGN,
                significand: quotient | u128::from(rest != 0),
                exponent: a.exponent - zeros as i32 - b.exponent,
            };
            round(result.narrow(), status)
        }
        _ => sign,
    }
}

/// `FPSqrt`.
pub fn square_root<N: Number>(x: N, status: &mut Status) -> N {
    let a = unpack(x, status);
    if let Some(nan) = process_nans(&[(x, a)], status) {
        return nan;
    }
    match a {
        Unpacked::Zero => zero(is_negative(x)),
        _ if is_negative(x) => status.invalid(),
        Unpacked::Number(number) => {
            // 126 or 127 bits below an even power of two have a root of 63 or more.
            let wide = u128::from(number.significand);
            let shift = wide.leading_zeros() - 1;
            let shift = shift - ((number.exponent - shift as i32) & 1) as u32;
            let square = wide << shift;
            let root = square.isqrt();
            let result = Wide {
                negative: false,
                significand: root << 1 | u128::from(root * root != square),
                exponent: (number.exponent - shift as i32) / 2 - 1,
            };
            round(result.narrow(), status)
        }
        _ => N::INFINITY,
    }
}

/// `FPMaxNum`: the larger one, or the one that is no NaN.
pub fn maximum<N: Number>(x: N, y: N, status: &mut Status) -> N {
    extreme(x, y, Comparison::Greater, status)
}

/// `FPMinNum`: the smaller one, or the one that is no NaN.
pub fn minimum<N: Number>(x: N, y: N, status: &mut Status) -> N {
    extreme(x, y, Comparison::Less, status)
}

/// The operand that stands in this order to the other one. Negative zero is less than zero.
fn extreme<N: Number>(x: N, y: N, wanted: Comparison, status: &mut Status) -> N {
    let (a, b) = (unpack(x, status), unpack(y, status));
    match (a, b) {
        (Unpacked::QuietNan, kind) if !kind.is_nan() => return canonical(y, b, status),
        (kind, Unpacked::QuietNan) if !kind.is_nan() => return canonical(x, a, status),
        _ => {}
    }
    if let Some(nan) = process_nans(&[(x, a), (y, b)], status) {
        return nan;
    }
    let first = match compare(x, y, false, &mut Status(status.0)) {
        Comparison::Equal => is_negative(x) == (wanted == Comparison::Less),
        order => order == wanted,
    };
    if first { canonical(x, a, status) } else { canonical(y, b, status) }
}

/// The operand as a result: denormals may be flushed.
fn canonical<N: Number>(number: N, kind: Unpacked, status: &mut Status) -> N {
    match kind {
        Unpacked::Zero => zero(is_negative(number)),
        Unpacked::Number(value) => round(value, status),
        _ => number,
    }
}

/// `FPCompare`. Quiet NaNs are an invalid operation only when `quiet_is_invalid`.
pub fn compare<N: Number>(x: N, y: N, quiet_is_invalid: bool, status: &mut Status) -> Comparison {
    let (a, b) = (unpack(x, status), unpack(y, status));
    if a.is_nan() || b.is_nan() {
        let signalling = a == Unpacked::SignallingNan || b == Unpacked::SignallingNan;
        if signalling || quiet_is_invalid {
            status.raise(fpscr::INVALID);
        }
        return Comparison::Unordered;
    }
    // The order of numbers is the order of their magnitudes' bits, and both zeros are equal.
    let order = |number: N, unpacked| {
        let bits = (number & !N::SIGN).bits() as i64;
        let magnitude = if unpacked == Unpacked::Zero { 0 } else { bits };
        if is_negative(number) { -magnitude } else { magnitude }
    };
    match order(x, a).cmp(&order(y, b)) {
        std::cmp::Ordering::Less => Comparison::Less,
        std::cmp::Ordering::Equal => Comparison::Equal,
        std::cmp::Ordering::Greater => Comparison::Greater,
    }
}
