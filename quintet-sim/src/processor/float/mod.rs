//! The arithmetic of FPv4-SP and FPv5, in single and double precision: every rounding mode, every
//! flag.
//!
//! A number is taken apart into a sign, a whole number and a power of two (`Finite`). Each
//! operation finds its exact result in that form, or a result whose lowest bit stands for all lower
//! bits. `round` makes a number of either precision, or a half, of the result. The functions are
//! generic over the precision: a single is a `u32`, a double is a `u64`. Names and order are those
//! of the architecture's pseudo-code (A2.7 of the *ARMv7-M Architecture Reference Manual*), so that
//! the two can be compared.
//!
//! The arithmetic is written here because no library has all parts. The host's own arithmetic
//! rounds one way and tells no flags. `rustc_apfloat` has neither a square root nor flush-to-zero,
//! and detects a tiny result only after rounding. Berkeley SoftFloat needs a C compiler and keeps
//! its state in globals.

use super::instruction::float::Rounding;

mod arithmetic;
mod convert;
#[cfg(test)]
mod tests;

pub use arithmetic::{
    Comparison, add, compare, divide, maximum, minimum, multiply, multiply_add, square_root, sub,
};
pub use convert::{from_fixed, from_half, resize, round_whole, to_fixed, to_half};

/// The bits of FPSCR.
pub mod fpscr {
    /// IOC: an invalid operation.
    pub const INVALID: u32 = 1;
    /// DZC: a division by zero.
    pub const DIVISION_BY_ZERO: u32 = 1 << 1;
    /// OFC: an overflow.
    pub const OVERFLOW: u32 = 1 << 2;
    /// UFC: an underflow.
    pub const UNDERFLOW: u32 = 1 << 3;
    /// IXC: a result that is not exact.
    pub const INEXACT: u32 = 1 << 4;
    /// IDC: a denormal operand that was taken for zero.
    pub const INPUT_DENORMAL: u32 = 1 << 7;
    /// RMode.
    pub const ROUNDING: u32 = 3 << 22;
    /// FZ: flush to zero.
    pub const FLUSH: u32 = 1 << 24;
    /// DN: default NaN.
    pub const DEFAULT_NAN: u32 = 1 << 25;
    /// AHP: alternative half precision.
    pub const ALTERNATIVE_HALF: u32 = 1 << 26;
    /// N, Z, C and V of the last comparison.
    pub const FLAGS: u32 = 15 << 28;
    /// The bits that a new context takes from FPDSCR.
    pub const DEFAULTS: u32 = ROUNDING | FLUSH | DEFAULT_NAN | ALTERNATIVE_HALF;
    /// Every bit that exists.
    pub const ALL: u32 = FLAGS
        | DEFAULTS
        | INPUT_DENORMAL
        | INEXACT
        | UNDERFLOW
        | OVERFLOW
        | DIVISION_BY_ZERO
        | INVALID;
}

/// The sign of a single.
#[cfg(test)]
pub const SIGN: u32 = u32::SIGN;
#[cfg(test)]
const INFINITY: u32 = u32::INFINITY;
#[cfg(test)]
const QUIET: u32 = u32::QUIET;

/// A number as its bits: a single or a double.
pub trait Number:
    Copy
    + Eq
    + From<u32>
    + std::ops::BitAnd<Output = Self>
    + std::ops::BitOr<Output = Self>
    + std::ops::BitXor<Output = Self>
    + std::ops::Not<Output = Self>
{
    /// The bits of the exponent.
    const EXPONENT: u32;
    /// The bits of the fraction.
    const FRACTION: u32;
    /// The sign.
    const SIGN: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// The bit that makes a NaN quiet.
    const QUIET: Self;
    /// The NaN of an operation without a result.
    const DEFAULT_NAN: Self;

    /// Returns the bits.
    fn bits(self) -> u64;

    /// Returns the number of the bits.
    fn of(bits: u64) -> Self;
}

impl Number for u32 {
    const EXPONENT: Self = 8;
    const FRACTION: Self = 23;
    const SIGN: Self = 1 << 31;
    const INFINITY: Self = 0x7f80_0000;
    const QUIET: Self = 1 << 22;
    const DEFAULT_NAN: Self = 0x7fc0_0000;

    #[inline]
    fn bits(self) -> u64 {
        self.into()
    }

    #[inline]
    fn of(bits: u64) -> Self {
        bits as Self
    }
}

impl Number for u64 {
    const EXPONENT: u32 = 11;
    const FRACTION: u32 = 52;
    const SIGN: Self = 1 << 63;
    const INFINITY: Self = 0x7ff << 52;
    const QUIET: Self = 1 << 51;
    const DEFAULT_NAN: Self = 0xfff << 51;

    #[inline]
    fn bits(self) -> u64 {
        self
    }

    #[inline]
    fn of(bits: u64) -> Self {
        bits
    }
}

/// The power of two of the lowest bit of the smallest number.
const fn least_exponent<N: Number>() -> i32 {
    2 - (1 << (N::EXPONENT - 1)) - N::FRACTION as i32
}

/// FPSCR during an operation, which reads its modes and adds its flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status(pub u32);

impl Status {
    fn is_set(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    fn raise(&mut self, flags: u32) {
        self.0 |= flags;
    }

    fn rounding(self) -> Rounding {
        match self.0 >> 22 & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::TowardsZero,
        }
    }

    /// The zero that is the sum of a number and its negation.
    fn exact_zero<N: Number>(self) -> N {
        zero(self.rounding() == Rounding::Down)
    }

    /// The result of an operation without one: a NaN, with the invalid flag.
    fn invalid<N: Number>(&mut self) -> N {
        self.raise(fpscr::INVALID);
        N::DEFAULT_NAN
    }
}

impl Rounding {
    /// Returns `true` if the magnitude grows by one. `cut` is the part that was cut off, in units
    /// of `2 * half` of the number that is kept. (`FPRound`.)
    fn grows(self, negative: bool, odd: bool, cut: u64, half: u64) -> bool {
        match self {
            Self::Nearest => cut > half || cut == half && odd,
            Self::NearestAway => cut >= half,
            Self::Up => cut != 0 && !negative,
            Self::Down => cut != 0 && negative,
            Self::TowardsZero => false,
        }
    }

    /// Returns `true` if a number that is too large becomes infinity, rather than the largest
    /// number.
    fn overflows_to_infinity(self, negative: bool) -> bool {
        match self {
            Self::Nearest | Self::NearestAway => true,
            Self::Up => !negative,
            Self::Down => negative,
            Self::TowardsZero => false,
        }
    }
}

/// `significand * 2^exponent`, with a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Finite {
    negative: bool,
    significand: u64,
    exponent: i32,
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unpacked {
    SignallingNan,
    QuietNan,
    Infinity,
    Zero,
    Number(Finite),
}

impl Unpacked {
    fn is_nan(self) -> bool {
        matches!(self, Self::SignallingNan | Self::QuietNan)
    }
}

fn is_negative<N: Number>(number: N) -> bool {
    number & N::SIGN != N::from(0)
}

/// A zero with a sign.
fn zero<N: Number>(negative: bool) -> N {
    if negative { N::SIGN } else { N::from(0) }
}

/// `FPUnpack`: a denormal is zero under flush-to-zero.
fn unpack<N: Number>(packed: N, status: &mut Status) -> Unpacked {
    let largest = (1 << N::EXPONENT) - 1;
    let exponent = (packed.bits() >> N::FRACTION) as i32 & largest;
    let fraction = packed.bits() & ((1 << N::FRACTION) - 1);
    let number = |significand: u64, exponent| {
        let negative = is_negative(packed);
        Unpacked::Number(Finite { negative, significand, exponent })
    };
    match (exponent, fraction) {
        (0, 0) => Unpacked::Zero,
        (0, _) if status.is_set(fpscr::FLUSH) => {
            status.raise(fpscr::INPUT_DENORMAL);
            Unpacked::Zero
        }
        (0, _) => number(fraction, least_exponent::<N>()),
        (exponent, 0) if exponent == largest => Unpacked::Infinity,
        (exponent, _) if exponent == largest => {
            let is_quiet = fraction & N::QUIET.bits() != 0;
            if is_quiet { Unpacked::QuietNan } else { Unpacked::SignallingNan }
        }
        _ => number(fraction | 1 << N::FRACTION, exponent + least_exponent::<N>() - 1),
    }
}

/// `FPProcessNaN`.
fn process_nan<N: Number>(number: N, kind: Unpacked, status: &mut Status) -> N {
    if kind == Unpacked::SignallingNan {
        status.raise(fpscr::INVALID);
    }
    if status.is_set(fpscr::DEFAULT_NAN) { N::DEFAULT_NAN } else { number | N::QUIET }
}

/// `FPProcessNaNs` and `FPProcessNaNs3`: the result when an operand is a NaN. Signalling ones go
/// first, and earlier ones before later ones.
fn process_nans<N: Number>(operands: &[(N, Unpacked)], status: &mut Status) -> Option<N> {
    let signalling = operands.iter().find(|(_, kind)| *kind == Unpacked::SignallingNan);
    let (number, kind) = signalling.or_else(|| operands.iter().find(|(_, kind)| kind.is_nan()))?;
    Some(process_nan(*number, *kind, status))
}

/// Returns `value >> distance`, with its lowest bit set if any set bit was cut off.
fn jam(value: u128, distance: u32) -> u128 {
    if distance == 0 {
        value
    } else if distance > 127 {
        u128::from(value != 0)
    } else {
        value >> distance | u128::from(value << (128 - distance) != 0)
    }
}

/// The same, of a number, so that it fits 64 bits.
fn narrow(negative: bool, significand: u128, exponent: i32) -> Finite {
    let distance = 64u32.saturating_sub(significand.leading_zeros());
    let significand = jam(significand, distance) as u64;
    Finite { negative, significand, exponent: exponent + distance as i32 }
}

/// `FPRound`: the nearest number, as the rounding mode says. `value` is not zero.
fn round<N: Number>(value: Finite, status: &mut Status) -> N {
    let sign = zero::<N>(value.negative);
    let bits = round_to((N::EXPONENT, N::FRACTION), value, status, status.is_set(fpscr::FLUSH));
    sign | N::of(bits)
}

/// The same with the bits of the exponent and of the fraction, as bits without the sign.
fn round_to(widths: (u32, u32), value: Finite, status: &mut Status, flushes: bool) -> u64 {
    let (exponent_bits, fraction_bits) = widths;
    let is_half = exponent_bits == HALF.0;
    let least = 2 - (1 << (exponent_bits - 1));
    let zeros = value.significand.leading_zeros();
    let significand = value.significand << zeros;
    let exponent = value.exponent + 63 - zeros as i32;
    if exponent < least && flushes {
        status.raise(fpscr::UNDERFLOW);
        return 0;
    }
    // Beside the fraction, a normal number keeps its leading one; a denormal one loses bits below.
    let cut_bits = 63 - fraction_bits + (least - exponent).max(0) as u32;
    let (mut kept, cut, half) = match cut_bits {
        // Shorter than half the smallest number there is.
        65.. => (0, 1, 2),
        64 => (0, significand, 1 << 63),
        _ => (significand >> cut_bits, significand & ((1 << cut_bits) - 1), 1 << (cut_bits - 1)),
    };
    let biased = if exponent < least { 0 } else { exponent - least };
    if exponent < least && cut != 0 {
        status.raise(fpscr::UNDERFLOW);
    }
    if status.rounding().grows(value.negative, kept & 1 != 0, cut, half) {
        kept += 1;
    }
    // The leading one adds itself to the exponent, and so does a carry out of the fraction. An
    // exponent that is far too large must not be cut off at the top.
    let largest = 1 << exponent_bits;
    let packed = (u64::from(biased.min(largest) as u32) << fraction_bits) + kept;
    let alternative = is_half && status.is_set(fpscr::ALTERNATIVE_HALF);
    if alternative && packed >> (exponent_bits + fraction_bits) != 0 {
        status.raise(fpscr::INVALID);
        return (1 << (exponent_bits + fraction_bits)) - 1;
    }
    let infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    if !alternative && packed >= infinity {
        status.raise(fpscr::OVERFLOW | fpscr::INEXACT);
        let to_infinity = status.rounding().overflows_to_infinity(value.negative);
        return infinity - u64::from(!to_infinity);
    }
    if cut != 0 {
        status.raise(fpscr::INEXACT);
    }
    packed
}

/// The bits of the exponent and of the fraction of a half.
const HALF: (u32, u32) = (5, 10);
