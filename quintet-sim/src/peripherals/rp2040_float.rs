//! The arithmetic behind the boot ROM of RP2040 (RP2040 Datasheet, 2.8.3.2): our own ROM calls this
//! device in place of a library of instructions. No chip has this device.
//!
//! Four words are the operands. A write of an operation's number computes the result, and the
//! program reads it there. Single precision takes an operand from one word, double precision from
//! two. Subnormal numbers are zeros, as in the ROM.

use super::Device;
use crate::processor::bus::BusError;

const OPERATION: u32 = 0x10;
const RESULT_HIGH: u32 = 0x14;

/// Added to the number of an operation in double precision.
const DOUBLE: u32 = 0x40;

/// The NaN that all results are.
const NAN: u64 = 0x7ff8_0000_0000_0000;

/// The device.
#[derive(Clone, Debug)]
pub struct Rp2040Float {
    operands: [u32; 4],
    result: u64,
}

/// Zeros in place of subnormal numbers.
fn flushed(value: f64, least: f64) -> f64 {
    if value.abs() < least { 0.0_f64.copysign(value) } else { value }
}

/// The nearest integer below, at most `high` and at least `low`.
fn whole(value: f64, low: f64, high: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.floor().clamp(low, high) }
}

impl Rp2040Float {
    /// After power-on.
    pub fn new(_clock_hz: u64) -> Self {
        Self { operands: [0; 4], result: 0 }
    }

    fn single(word: u32) -> f64 {
        flushed(f64::from(f32::from_bits(word)), f64::from(f32::MIN_POSITIVE))
    }

    fn pair(low: u32, high: u32) -> u64 {
        u64::from(high) << 32 | u64::from(low)
    }

    /// The operands as numbers, and the word behind the first: a number of fraction bits.
    fn numbers(&self, double: bool) -> (f64, f64, u32) {
        let [a, b, c, d] = self.operands;
        if double {
            let number =
                |low, high| flushed(f64::from_bits(Self::pair(low, high)), f64::MIN_POSITIVE);
            return (number(a, b), number(c, d), c);
        }
        (Self::single(a), Self::single(b), b)
    }

    /// A number as the result.
    fn give(value: f64, double: bool) -> u64 {
        if double {
            return if value.is_nan() { NAN } else { flushed(value, f64::MIN_POSITIVE).to_bits() };
        }
        let single = value as f32;
        if single.is_nan() {
            return 0x7fc0_0000;
        }
        let least = f32::MIN_POSITIVE;
        let single = if single.abs() < least { 0.0_f32.copysign(single) } else { single };
        u64::from(single.to_bits())
    }

    /// Two to the number of fraction bits.
    fn scale(bits: u32) -> f64 {
        f64::from_bits(
            u64::from((bits as i32).clamp(-1_000, 1_000).wrapping_add(1_023) as u32) << 52,
        )
    }

    fn compute(&self, operation: u32) -> u64 {
        let double = operation & DOUBLE != 0;
        let (first, second, bits) = self.numbers(double);
        let [low, high, ..] = self.operands;
        // Conversions from integers have the fraction bits behind one word, or two.
        let (integer, long) = (low, Self::pair(low, high));
        let (scale, of_one, of_two) =
            (Self::scale(bits), Self::scale(high), Self::scale(self.operands[2]));
        let to_signed = |value: f64| whole(value, -2_147_483_648.0, 2_147_483_647.0) as i32 as u32;
        let to_unsigned = |value: f64| whole(value, 0.0, 4_294_967_295.0) as u32;
        let give = |value: f64| Self::give(value, double);
        match operation & !DOUBLE {
            // The sum, product, quotient and root of numbers of 24 bits, computed with 53 bits and
            // rounded again, are those of single precision.
            0 => give(first + second),
            1 => give(first - second),
            2 => give(first * second),
            3 => give(first / second),
            4 => give(first.sqrt()),
            5 => u64::from(to_signed(first)),
            6 => u64::from(to_signed(first * scale)),
            7 => u64::from(to_unsigned(first)),
            8 => u64::from(to_unsigned(first * scale)),
            9 => give(f64::from(integer as i32)),
            10 => give(f64::from(integer as i32) / of_one),
            11 => give(f64::from(integer)),
            12 => give(f64::from(integer) / of_one),
            13 => match first.partial_cmp(&second) {
                Some(std::cmp::Ordering::Less) => u64::from(u32::MAX),
                Some(std::cmp::Ordering::Greater) => 1,
                _ => 0,
            },
            14 => give(long as i64 as f64),
            15 => give(long as i64 as f64 / of_two),
            16 => give(long as f64),
            17 => give(long as f64 / of_two),
            18 => whole(first, -9.223_372_036_854_776e18, 9.223_372_036_854_776e18) as i64 as u64,
            19 => whole(first * scale, -9.223_372_036_854_776e18, 9.223_372_036_854_776e18) as i64
                as u64,
            20 => whole(first, 0.0, 1.844_674_407_370_955_2e19) as u64,
            21 => whole(first * scale, 0.0, 1.844_674_407_370_955_2e19) as u64,
            // To the other precision.
            _ => Self::give(first, !double),
        }
    }
}

impl Device for Rp2040Float {
    fn read(&mut self, offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(match offset {
            0..OPERATION => self.operands[(offset / 4) as usize],
            OPERATION => self.result as u32,
            RESULT_HIGH => (self.result >> 32) as u32,
            _ => 0,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _cycle: u64) -> Result<(), BusError> {
        match offset {
            0..OPERATION => self.operands[(offset / 4) as usize] = value,
            OPERATION => self.result = self.compute(value),
            _ => {}
        }
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        *self = Self::new(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computed(operation: u32, operands: &[u32]) -> u64 {
        let mut device = Rp2040Float::new(1);
        for (index, operand) in operands.iter().enumerate() {
            assert_eq!(device.write(4 * index as u32, *operand, 0), Ok(()));
        }
        assert_eq!(device.write(OPERATION, operation, 0), Ok(()));
        let (low, high) =
            (device.read(OPERATION, 0).unwrap(), device.read(RESULT_HIGH, 0).unwrap());
        Rp2040Float::pair(low, high)
    }

    fn single(operation: u32, first: f32, second: f32) -> f32 {
        f32::from_bits(computed(operation, &[first.to_bits(), second.to_bits()]) as u32)
    }

    fn words(value: f64) -> [u32; 2] {
        [value.to_bits() as u32, (value.to_bits() >> 32) as u32]
    }

    #[test]
    fn computes_in_single_precision() {
        assert_eq!(single(0, 0.1, 0.2), 0.1 + 0.2);
        assert_eq!(single(1, 1.0, 3.5), -2.5);
        assert_eq!(single(2, 1.1, 1.3), 1.1 * 1.3);
        assert_eq!(single(3, 1.0, 3.0), 1.0 / 3.0);
        assert_eq!(single(4, 2.0, 0.0), 2.0_f32.sqrt());
        assert_eq!(single(3, 1.0, 0.0), f32::INFINITY);
        assert_eq!(single(3, 0.0, 0.0).to_bits(), 0x7fc0_0000);
        assert_eq!(single(2, 1.0e-30, 1.0e-10), 0.0, "no subnormal numbers");
    }

    #[test]
    fn converts_to_integers_downwards_within_their_range() {
        assert_eq!(computed(5, &[(-1.5_f32).to_bits()]), u64::from(-2_i32 as u32));
        assert_eq!(computed(5, &[1.0e20_f32.to_bits()]), 0x7fff_ffff);
        assert_eq!(computed(7, &[(-1.0_f32).to_bits()]), 0);
        assert_eq!(computed(6, &[1.75_f32.to_bits(), 2]), 7);
        assert_eq!(computed(9, &[-7_i32 as u32]), u64::from((-7.0_f32).to_bits()));
        assert_eq!(computed(12, &[7, 1]), u64::from(3.5_f32.to_bits()));
    }

    #[test]
    fn computes_in_double_precision() {
        let operands = [words(0.1), words(0.2)].concat();
        assert_eq!(computed(DOUBLE, &operands), (0.1_f64 + 0.2).to_bits());
        assert_eq!(computed(DOUBLE | 13, &operands), u64::from(u32::MAX));
        assert_eq!(computed(DOUBLE | 22, &words(1.5)), u64::from(1.5_f32.to_bits()));
        assert_eq!(computed(22, &[1.5_f32.to_bits()]), 1.5_f64.to_bits());
        assert_eq!(computed(DOUBLE | 14, &[u32::MAX, u32::MAX]), (-1.0_f64).to_bits());
    }

    #[test]
    fn no_operation_panics() {
        for operation in 0..128 {
            for word in [0, 1, 0x7f80_0000, 0x7fc0_0001, 0xffff_ffff, 0x8000_0000, 0x3f80_0000] {
                for other in [0, 31, 0xffff_ffff, 0x7ff0_0000, 0x8000_0000] {
                    computed(operation, &[word, other, other, word]);
                }
            }
        }
    }
}
