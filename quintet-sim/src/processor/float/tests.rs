//! The arithmetic against the host's, between the rounding modes, and at its corners by hand.

use super::fpscr::{
    ALTERNATIVE_HALF, DEFAULT_NAN, DIVISION_BY_ZERO, FLUSH, INEXACT, INPUT_DENORMAL, INVALID,
    OVERFLOW, UNDERFLOW,
};
use super::*;
use crate::processor::instruction::float::Fixed;

const NEAREST: u32 = 0;
const UP: u32 = 1 << 22;
const DOWN: u32 = 2 << 22;
const TOWARDS_ZERO: u32 = 3 << 22;

const MIN_NORMAL: u32 = 0x0080_0000;
const MAX: u32 = 0x7f7f_ffff;
const SIGNALLING: u32 = 0x7fa0_0001;

type Operation = fn(u32, u32, &mut Status) -> u32;

/// Numbers at which the arithmetic behaves in another way, and any others.
struct Numbers(u64);

impl Numbers {
    fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    fn next(&mut self) -> u32 {
        const SPECIAL: [u32; 8] =
            [0, 1, 0x007f_ffff, MIN_NORMAL, 0x3f80_0000, MAX, INFINITY, 0x7fc0_0000];
        let word = self.word();
        let near_one = word & 0x807f_ffff | (0x70 + (self.word() & 31)) << 23;
        match self.word() & 7 {
            0 => SPECIAL[(word & 7) as usize] | word & SIGN,
            1 => word & 0x807f_ffff,
            2 => near_one & !0xffff,
            3 | 4 => near_one,
            _ => word,
        }
    }
}

/// The result and the flags.
fn with(mode: u32, operation: impl FnOnce(&mut Status) -> u32) -> (u32, u32) {
    let mut status = Status(mode);
    let result = operation(&mut status);
    assert_eq!(status.0 & fpscr::DEFAULTS, mode);
    (result, status.0 & 0x9f)
}

fn same(ours: u32, host: f32) -> bool {
    f32::from_bits(ours).is_nan() && host.is_nan() || ours == host.to_bits()
}

#[test]
fn to_nearest_is_what_the_host_does() {
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    for _ in 0..200_000 {
        let (x, y, z) = (numbers.next(), numbers.next(), numbers.next());
        let [a, b, c] = [x, y, z].map(f32::from_bits);
        let status = &mut Status(0);
        assert!(same(add(x, y, status), a + b), "{x:08x} + {y:08x}");
        assert!(same(sub(x, y, status), a - b), "{x:08x} - {y:08x}");
        assert!(same(multiply(x, y, status), a * b), "{x:08x} * {y:08x}");
        assert!(same(divide(x, y, status), a / b), "{x:08x} / {y:08x}");
        assert!(same(square_root(x, status), a.sqrt()), "root of {x:08x}");
        let fused = multiply_add(z, x, y, status);
        assert!(same(fused, a.mul_add(b, c)), "{x:08x} * {y:08x} + {z:08x} is {fused:08x}");
    }
}

/// A finite number's place among all of them, in their order.
fn place(single: u32) -> i64 {
    let magnitude = i64::from(single & !SIGN);
    if is_negative(single) { -magnitude } else { magnitude }
}

#[test]
fn directed_roundings_lie_on_both_sides() {
    let operations: [(&str, Operation); 5] = [
        ("+", add),
        ("*", multiply),
        ("/", divide),
        ("root", |x, _, status| square_root(x, status)),
        ("fused", |x, y, status| multiply_add(x ^ 0x0123_4567, x, y, status)),
    ];
    let mut numbers = Numbers(0xfeed_5678_9abc_def1);
    for _ in 0..50_000 {
        let (x, y) = (numbers.next(), numbers.next());
        for (name, operation) in operations {
            let results = [NEAREST, UP, DOWN, TOWARDS_ZERO]
                .map(|mode| with(mode, |status| operation(x, y, status)));
            let [nearest, up, down, zero] = results.map(|(result, _)| result);
            let what = || format!("{x:08x} {name} {y:08x}: {results:08x?}");
            if f32::from_bits(nearest).is_nan() {
                continue;
            }
            let inexact = results[0].1 & INEXACT != 0;
            assert_eq!(place(up) - place(down), i64::from(inexact), "{}", what());
            assert!(nearest == up || nearest == down, "{}", what());
            assert_eq!(zero, if place(up) > 0 { down } else { up }, "{}", what());
        }
    }
}

#[test]
fn a_product_is_between_its_neighbours() {
    let mut numbers = Numbers(77);
    for _ in 0..50_000 {
        let (x, y) = (numbers.next(), numbers.next());
        let exact = f64::from(f32::from_bits(x)) * f64::from(f32::from_bits(y));
        if !exact.is_finite() || exact.abs() < 1e-30 {
            continue;
        }
        let at = |mode| f64::from(f32::from_bits(with(mode, |status| multiply(x, y, status)).0));
        assert!(at(DOWN) <= exact && exact <= at(UP), "{x:08x} * {y:08x}");
    }
}

/// The operation, the mode, and the result with the flags.
type Row = (&'static str, u32, fn(&mut Status) -> u32, (u32, u32));

fn check(rows: &[Row]) {
    for (text, mode, operation, expected) in rows {
        assert_eq!(with(*mode, operation), *expected, "{text}");
    }
}

#[test]
fn what_has_no_result_is_invalid() {
    let default = (0x7fc0_0000, INVALID);
    check(&[
        ("inf - inf", 0, |s| sub(INFINITY, INFINITY, s), default),
        ("0 * inf", 0, |s| multiply(SIGN, INFINITY, s), default),
        ("0 / 0", 0, |s| divide(0, SIGN, s), default),
        ("inf / inf", 0, |s| divide(INFINITY, INFINITY, s), default),
        ("root of -1", 0, |s| square_root(0xbf80_0000, s), default),
        ("root of -0", 0, |s| square_root(SIGN, s), (SIGN, 0)),
        ("0 * inf + NaN", 0, |s| multiply_add(0x7fc1_2345, 0, INFINITY, s), default),
        ("0 * inf + SNaN", 0, |s| multiply_add(SIGNALLING, 0, INFINITY, s), (0x7fe0_0001, 1)),
        ("1 / 0", 0, |s| divide(0xbf80_0000, 0, s), (0xff80_0000, DIVISION_BY_ZERO)),
    ]);
}

#[test]
fn a_nan_goes_through_quietly() {
    let (first, second) = (0xffc0_1111, 0x7fc0_2222);
    assert_eq!(with(0, |s| add(first, second, s)), (first, 0));
    assert_eq!(with(0, |s| add(first, SIGNALLING, s)), (SIGNALLING | QUIET, INVALID));
    assert_eq!(with(0, |s| sub(0, first, s)), (first, 0), "with its sign");
    assert_eq!(with(DEFAULT_NAN, |s| add(first, 0, s)), (0x7fc0_0000, 0));
}

#[test]
fn a_result_that_is_tiny_before_rounding_underflows() {
    check(&[
        (
            "rounds to a normal",
            0,
            |s| multiply(MIN_NORMAL, 0x3f7f_ffff, s),
            (MIN_NORMAL, UNDERFLOW | INEXACT),
        ),
        ("is exact", 0, |s| multiply(MIN_NORMAL, 0x3f00_0000, s), (0x0040_0000, 0)),
        ("is flushed", FLUSH, |s| multiply(MIN_NORMAL, 0xbf00_0000, s), (SIGN, UNDERFLOW)),
        ("up from nothing", UP, |s| multiply(1, 1, s), (1, UNDERFLOW | INEXACT)),
        ("a flushed operand", FLUSH, |s| add(1, 0x3f80_0000, s), (0x3f80_0000, INPUT_DENORMAL)),
    ]);
}

#[test]
fn a_result_that_is_too_large_overflows() {
    const FLAGS: u32 = OVERFLOW | INEXACT;
    check(&[
        ("nearest", 0, |s| multiply(MAX, MAX, s), (INFINITY, FLAGS)),
        ("towards zero", TOWARDS_ZERO, |s| multiply(MAX, MAX, s), (MAX, FLAGS)),
        ("down", DOWN, |s| add(MAX, MAX, s), (MAX, FLAGS)),
        ("down, negative", DOWN, |s| sub(MAX | SIGN, MAX, s), (INFINITY | SIGN, FLAGS)),
        ("up, negative", UP, |s| sub(MAX | SIGN, MAX, s), (MAX | SIGN, FLAGS)),
    ]);
}

#[test]
fn a_difference_of_equals_is_positive_unless_rounding_down() {
    assert_eq!(with(UP, |s| sub(MAX, MAX, s)), (0, 0));
    assert_eq!(with(DOWN, |s| sub(MAX, MAX, s)), (SIGN, 0));
    assert_eq!(with(DOWN, |s| add(0, SIGN, s)), (SIGN, 0));
    assert_eq!(with(DOWN, |s| add(0, 0, s)), (0, 0));
    assert_eq!(with(DOWN, |s| multiply_add(0xbf80_0000, MAX, 0, s)), (0xbf80_0000, 0));
}

#[test]
fn comparisons_are_invalid_by_signalling_nans_or_when_asked_to() {
    let compared = |x, y, strict| {
        let mut status = Status(0);
        (compare(x, y, strict, &mut status), status.0)
    };
    assert_eq!(compared(0, SIGN, true), (Comparison::Equal, 0));
    assert_eq!(compared(0xbf80_0000, 1, true), (Comparison::Less, 0));
    assert_eq!(compared(INFINITY, MAX, true), (Comparison::Greater, 0));
    assert_eq!(compared(0x7fc0_0000, 0, false), (Comparison::Unordered, 0));
    assert_eq!(compared(0x7fc0_0000, 0, true), (Comparison::Unordered, INVALID));
    assert_eq!(compared(SIGNALLING, 0, false), (Comparison::Unordered, INVALID));
    let mut status = Status(FLUSH);
    assert_eq!(compare(1u32, 0x8000_0001, false, &mut status), Comparison::Equal);
    assert_eq!(status.0 & 0x9f, INPUT_DENORMAL);
}

const fn fixed(signed: bool, half: bool, fraction: u8) -> Fixed {
    Fixed { signed, half, fraction }
}

#[test]
fn numbers_without_a_point_saturate_and_round() {
    let integer = fixed(true, false, 0);
    let to = |x: f32, fixed, mode| with(mode, |s| to_fixed(x.to_bits(), fixed, None, s));
    assert_eq!(to(2.5, integer, NEAREST), (2, INEXACT));
    assert_eq!(to(-2.5, integer, DOWN), (-3i32 as u32, INEXACT));
    assert_eq!(to(1e-30, integer, UP), (1, INEXACT));
    assert_eq!(to(3e9, integer, NEAREST), (0x7fff_ffff, INVALID));
    assert_eq!(to(f32::NEG_INFINITY, integer, NEAREST), (0x8000_0000, INVALID));
    assert_eq!(to(f32::NAN, integer, NEAREST), (0, INVALID));
    assert_eq!(to(-0.25, fixed(false, false, 0), NEAREST), (0, INEXACT));
    assert_eq!(to(-1.0, fixed(false, false, 0), NEAREST), (0, INVALID));
    assert_eq!(to(1.5, fixed(true, true, 8), NEAREST), (0x180, 0));
    assert_eq!(to(-200.0, fixed(true, true, 8), NEAREST), (0xffff_8000, INVALID));
    let from = |word, fixed, mode| with(mode, |s| from_fixed::<u32>(word, fixed, false, s));
    assert_eq!(from(0x0100_0001, integer, UP), (0x4b80_0001, INEXACT));
    assert_eq!(from(u32::MAX, integer, NEAREST), (0xbf80_0000, 0));
    assert_eq!(from(u32::MAX, fixed(false, false, 32), NEAREST), (0x3f80_0000, INEXACT));
    assert_eq!(from(0xffff_8000, fixed(true, true, 16), NEAREST), (0xbf00_0000, 0));
}

#[test]
fn half_precision_has_two_formats() {
    let to = |x: u32, mode| with(mode, |s| u32::from(to_half(x, s)));
    assert_eq!(to(0x3f80_0000, 0), (0x3c00, 0));
    assert_eq!(to(65520f32.to_bits(), 0), (0x7c00, OVERFLOW | INEXACT));
    assert_eq!(to(65520f32.to_bits(), ALTERNATIVE_HALF), (0x7c00, INEXACT));
    assert_eq!(to(131_008f32.to_bits(), ALTERNATIVE_HALF), (0x7fff, 0));
    assert_eq!(to(131_072f32.to_bits(), ALTERNATIVE_HALF), (0x7fff, INVALID));
    assert_eq!(to(0xff80_0000, ALTERNATIVE_HALF), (0xffff, INVALID));
    assert_eq!(to(0xffc0_0000, ALTERNATIVE_HALF), (0x8000, INVALID));
    assert_eq!(to(SIGNALLING, 0), (0x7f00, INVALID));
    assert_eq!(to(0x3300_0000, 0), (0, UNDERFLOW | INEXACT), "half of the smallest, to even");
    assert_eq!(to(0x3300_0001, FLUSH), (1, UNDERFLOW | INEXACT), "halves are not flushed");
    let from = |half, mode| with(mode, |s| from_half::<u32>(half, s));
    assert_eq!(from(0x0001, FLUSH), (0x3380_0000, 0));
    assert_eq!(from(0x7c00, 0), (INFINITY, 0));
    assert_eq!(from(0x7c00, ALTERNATIVE_HALF), (65536f32.to_bits(), 0));
    assert_eq!(from(0xfd01, 0), (0xffe0_2000, INVALID));
}

/// Doubles as [`Numbers`] draws singles.
fn double(numbers: &mut Numbers) -> u64 {
    const SPECIAL: [u64; 8] =
        [0, 1, (1 << 52) - 1, 1 << 52, 1023 << 52, 0x7fef << 48, u64::INFINITY, u64::DEFAULT_NAN];
    let word = u64::from(numbers.word()) << 32 | u64::from(numbers.word());
    let near_one = word & 0x800f_ffff_ffff_ffff | u64::from(0x3f0 + (numbers.word() & 31)) << 52;
    match numbers.word() & 7 {
        0 => SPECIAL[(word & 7) as usize] | word & u64::SIGN,
        1 => word & 0x800f_ffff_ffff_ffff,
        2 => near_one & !0xffff_ffff,
        3 | 4 => near_one,
        _ => word,
    }
}

#[test]
fn doubles_to_nearest_are_what_the_host_computes() {
    let same = |ours: u64, host: f64| {
        f64::from_bits(ours).is_nan() && host.is_nan() || ours == host.to_bits()
    };
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    for _ in 0..100_000 {
        let (x, y, z) = (double(&mut numbers), double(&mut numbers), double(&mut numbers));
        let [a, b, c] = [x, y, z].map(f64::from_bits);
        let status = &mut Status(0);
        assert!(same(add(x, y, status), a + b), "{x:016x} + {y:016x}");
        assert!(same(sub(x, y, status), a - b), "{x:016x} - {y:016x}");
        assert!(same(multiply(x, y, status), a * b), "{x:016x} * {y:016x}");
        assert!(same(divide(x, y, status), a / b), "{x:016x} / {y:016x}");
        assert!(same(square_root(x, status), a.sqrt()), "root of {x:016x}");
        let fused = multiply_add(z, x, y, status);
        assert!(same(fused, a.mul_add(b, c)), "{x:016x} * {y:016x} + {z:016x} is {fused:016x}");
        let order = compare(x, y, false, status);
        let host = match a.partial_cmp(&b) {
            None => Comparison::Unordered,
            Some(std::cmp::Ordering::Less) => Comparison::Less,
            Some(std::cmp::Ordering::Equal) => Comparison::Equal,
            Some(std::cmp::Ordering::Greater) => Comparison::Greater,
        };
        assert_eq!(order, host, "{x:016x} and {y:016x}");
        let single: u32 = resize(x, status);
        assert!(
            f32::from_bits(single).is_nan() && a.is_nan() || single == (a as f32).to_bits(),
            "{x:016x} as a single"
        );
        let single = numbers.next();
        assert!(
            same(resize(single, status), f64::from(f32::from_bits(single))),
            "{single:08x} as a double"
        );
        let integer = fixed(true, false, 0);
        let zero = Some(Rounding::TowardsZero);
        assert_eq!(to_fixed(x, integer, zero, status) as i32, a as i32, "{x:016x} as i32");
        assert_eq!(to_fixed(x, fixed(false, false, 0), zero, status), a as u32, "{x:016x} as u32");
        assert!(same(from_fixed(single, integer, false, status), f64::from(single as i32)));
        for (rounding, host) in [
            (Rounding::TowardsZero, a.trunc()),
            (Rounding::NearestAway, a.round()),
            (Rounding::Nearest, a.round_ties_even()),
            (Rounding::Up, a.ceil()),
            (Rounding::Down, a.floor()),
        ] {
            let whole = round_whole(x, Some(rounding), false, status);
            assert!(same(whole, host), "{x:016x}, {rounding:?}: {whole:016x}");
        }
        if !a.is_nan() && !b.is_nan() && a != b {
            assert!(same(maximum(x, y, status), a.max(b)), "{x:016x} max {y:016x}");
            assert!(same(minimum(x, y, status), a.min(b)), "{x:016x} min {y:016x}");
        }
    }
}

#[test]
fn the_larger_of_a_nan_and_a_number_is_the_number() {
    let one = 1.0f64.to_bits();
    let of = |x, y| {
        let mut status = Status(0);
        (maximum(x, y, &mut status), status.0)
    };
    assert_eq!(of(u64::DEFAULT_NAN, one), (one, 0));
    assert_eq!(of(one, u64::DEFAULT_NAN), (one, 0));
    assert_eq!(of(u64::INFINITY | 1, one), (u64::DEFAULT_NAN | 1, INVALID));
    assert_eq!(of(u64::SIGN, 0), (0, 0));
    assert_eq!(minimum(0, u64::SIGN, &mut Status(0)), u64::SIGN);
}

#[test]
fn doubles_round_flush_and_report() {
    let least = 1u64 << 52;
    let status = &mut Status(FLUSH);
    assert_eq!(multiply(least, 0.5f64.to_bits(), status), 0);
    assert_eq!(status.0 & 0x9f, UNDERFLOW);
    let status = &mut Status(UP);
    assert_eq!(divide(1.0f64.to_bits(), 3.0f64.to_bits(), status), 0x3fd5_5555_5555_5556);
    assert_eq!(status.0 & 0x9f, INEXACT);
    let status = &mut Status(0);
    assert_eq!(round_whole(2.5f64.to_bits(), None, true, status), 2.0f64.to_bits());
    assert_eq!(status.0 & 0x9f, INEXACT);
    assert_eq!(to_half(1.0f64.to_bits(), &mut Status(0)), 0x3c00);
    assert_eq!(from_half::<u64>(0x3c00, &mut Status(0)), 1.0f64.to_bits());
}
