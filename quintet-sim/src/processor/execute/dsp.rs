//! The DSP extension: halfwords and bytes side by side, saturation, products of halfwords.
//!
//! The arithmetic is wider than its result, so that an overflow is seen. An overflow sets Q, which
//! only MSR clears.

use super::SATURATED;
use super::arithmetic::extend;
use super::data::shift_with_carry;
use crate::processor::Processor;
use crate::processor::bus::Bus;
use crate::processor::instruction::dsp::{Dsp, Ending, Extension, Lanes};
use crate::processor::instruction::{Register, Size};

/// Where APSR.GE begins.
const GREATER_OR_EQUAL: u32 = 16;

/// A halfword of a word, as a signed number.
fn half(value: u32, top: bool) -> i64 {
    i64::from((value >> (16 * u32::from(top))) as i16)
}

/// A word as a signed number.
fn word(value: u32) -> i64 {
    i64::from(value as i32)
}

/// Returns a number of two words.
fn double(low: u32, high: u32) -> i64 {
    (u64::from(high) << 32 | u64::from(low)) as i64
}

/// The nearest number that `bits` bits hold.
fn saturated(value: i64, bits: u32, signed: bool) -> i64 {
    if signed {
        value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        value.clamp(0, (1 << bits) - 1)
    }
}

/// The lane of `bits` bits at `index`.
fn lane(value: u32, index: u32, bits: u32, signed: bool) -> i64 {
    let bare = i64::from(value >> (bits * index) & ((1 << bits) - 1));
    if signed && bare >> (bits - 1) != 0 { bare - (1 << bits) } else { bare }
}

/// A parallel addition or subtraction: the result, and GE.
fn parallel(signed: bool, ending: Ending, lanes: Lanes, n: u32, m: u32) -> (u32, u32) {
    let bytes = matches!(lanes, Lanes::Add8 | Lanes::Subtract8);
    let bits = if bytes { 8 } else { 16 };
    let exchanged = matches!(lanes, Lanes::AddSubtract | Lanes::SubtractAdd);
    let m = if exchanged { m.rotate_left(16) } else { m };
    let (mut result, mut greater) = (0, 0);
    for index in 0..32 / bits {
        let subtracts = match lanes {
            Lanes::Add8 | Lanes::Add16 => false,
            Lanes::Subtract8 | Lanes::Subtract16 => true,
            Lanes::AddSubtract => index == 0,
            Lanes::SubtractAdd => index == 1,
        };
        let (x, y) = (lane(n, index, bits, signed), lane(m, index, bits, signed));
        let exact = if subtracts { x - y } else { x + y };
        // An unsigned sum is greater if it has carried. All other results are greater if they are
        // not negative.
        let limit = if signed || subtracts { 0 } else { 1 << bits };
        if exact >= limit {
            greater |= if bytes { 1 } else { 3 } << (bits / 8 * index);
        }
        let ended = match ending {
            Ending::Flags => exact,
            Ending::Saturate => saturated(exact, bits, signed),
            Ending::Halve => exact >> 1,
        };
        result |= (ended as u32 & ((1 << bits) - 1)) << (bits * index);
    }
    (result, greater)
}

/// The sum of the absolute differences of four bytes.
fn absolute_differences(n: u32, m: u32) -> u32 {
    n.to_le_bytes().iter().zip(m.to_le_bytes()).map(|(x, y)| u32::from(x.abs_diff(y))).sum()
}

/// The product of the low halfwords plus or minus that of the high ones.
fn dual(subtract: bool, exchange: bool, n: u32, m: u32) -> i64 {
    let m = if exchange { m.rotate_left(16) } else { m };
    let (low, high) = (half(n, false) * half(m, false), half(n, true) * half(m, true));
    if subtract { low - high } else { low + high }
}

impl<B: Bus> Processor<B> {
    /// Executes an instruction of the DSP extension.
    pub(super) fn digital_signal_processing(&mut self, dsp: &Dsp) {
        match *dsp {
            Dsp::Saturating { double, subtract, rd, rn, rm } => {
                let (n, m) = (word(self.operand(rn)), word(self.operand(rm)));
                let n = if double { self.saturating(2 * n, 32) } else { n };
                let result = self.saturating(if subtract { m - n } else { m + n }, 32);
                self.set(rd, result as u32);
            }
            Dsp::Saturate16 { signed, rd, rn, to } => self.saturate_halves(signed, rd, rn, to),
            Dsp::Parallel { signed, ending, lanes, rd, rn, rm } => {
                let (n, m) = (self.operand(rn), self.operand(rm));
                let (result, greater) = parallel(signed, ending, lanes, n, m);
                if ending == Ending::Flags {
                    let kept = self.registers.apsr & !(15 << GREATER_OR_EQUAL);
                    self.registers.apsr = kept | greater << GREATER_OR_EQUAL;
                }
                self.set(rd, result);
            }
            Dsp::Select { rd, rn, rm } => {
                let greater = self.registers.apsr >> GREATER_OR_EQUAL;
                let mask = (0..4).fold(0, |mask, i| mask | ((greater >> i & 1) * 0xFF) << (8 * i));
                self.set(rd, self.operand(rn) & mask | self.operand(rm) & !mask);
            }
            Dsp::Extend { signed, extension, rd, rn, rm, rotation } => {
                let value = self.operand(rm).rotate_right(u32::from(rotation));
                let added = rn.map_or(0, |rn| self.operand(rn));
                self.set(rd, extend_and_add(signed, extension, value, added));
            }
            Dsp::Pack { top, rd, rn, rm, shift, amount } => {
                let (n, m) = (self.operand(rn), self.operand(rm));
                let m = shift_with_carry(m, shift, u32::from(amount), false).0;
                let (high, low) = if top { (n, m) } else { (m, n) };
                self.set(rd, high & 0xFFFF_0000 | low & 0xFFFF);
            }
            _ => self.multiply_signals(dsp),
        }
    }

    /// The products.
    fn multiply_signals(&mut self, dsp: &Dsp) {
        match *dsp {
            Dsp::AbsoluteDifferences { rd, rn, rm, ra } => {
                let sum = absolute_differences(self.operand(rn), self.operand(rm));
                let added = ra.map_or(0, |ra| self.operand(ra));
                self.set(rd, sum.wrapping_add(added));
            }
            Dsp::MultiplyHalves { n_top, m_top, rd, rn, rm, ra } => {
                let product = half(self.operand(rn), n_top) * half(self.operand(rm), m_top);
                self.accumulate(rd, ra, product);
            }
            Dsp::MultiplyWordByHalf { m_top, rd, rn, rm, ra } => {
                let product = word(self.operand(rn)) * half(self.operand(rm), m_top);
                self.accumulate(rd, ra, product >> 16);
            }
            Dsp::MultiplyDual { subtract, exchange, rd, rn, rm, ra } => {
                let product = dual(subtract, exchange, self.operand(rn), self.operand(rm));
                self.accumulate(rd, ra, product);
            }
            Dsp::MultiplyHigh { subtract, round, rd, rn, rm, ra } => {
                let product = word(self.operand(rn)) * word(self.operand(rm));
                let added = ra.map_or(0, |ra| word(self.operand(ra))) << 32;
                let sum = if subtract {
                    added.wrapping_sub(product)
                } else {
                    added.wrapping_add(product)
                };
                let rounded = sum.wrapping_add(i64::from(round) << 31);
                self.set(rd, (rounded >> 32) as u32);
            }
            Dsp::MultiplyHalvesLong { n_top, m_top, rd_lo, rd_hi, rn, rm } => {
                let product = half(self.operand(rn), n_top) * half(self.operand(rm), m_top);
                self.accumulate_long((rd_lo, rd_hi), product);
            }
            Dsp::MultiplyDualLong { subtract, exchange, rd_lo, rd_hi, rn, rm } => {
                let product = dual(subtract, exchange, self.operand(rn), self.operand(rm));
                self.accumulate_long((rd_lo, rd_hi), product);
            }
            Dsp::MultiplyAccumulateTwice { rd_lo, rd_hi, rn, rm } => {
                let product = u64::from(self.operand(rn)) * u64::from(self.operand(rm));
                let (low, high) = (self.operand(rd_lo), self.operand(rd_hi));
                // The largest of each make just the largest number of 64 bits.
                let sum = product + u64::from(low) + u64::from(high);
                self.set(rd_lo, sum as u32);
                self.set(rd_hi, (sum >> 32) as u32);
            }
            _ => {}
        }
    }

    /// Returns the nearest number of `bits` bits. If this is another number, sets Q.
    fn saturating(&mut self, value: i64, bits: u32) -> i64 {
        let result = saturated(value, bits, true);
        if result != value {
            self.registers.apsr |= SATURATED;
        }
        result
    }

    /// SSAT16 and USAT16.
    fn saturate_halves(&mut self, signed: bool, rd: Register, rn: Register, to: u8) {
        let value = self.operand(rn);
        let mut result = 0;
        for top in [false, true] {
            let exact = half(value, top);
            let near = saturated(exact, u32::from(to), signed);
            if near != exact {
                self.registers.apsr |= SATURATED;
            }
            result |= (near as u32 & 0xFFFF) << (16 * u32::from(top));
        }
        self.set(rd, result);
    }

    /// Adds a product to an accumulator of one word; a sum that does not fit sets Q.
    fn accumulate(&mut self, rd: Register, ra: Option<Register>, product: i64) {
        let sum = product + ra.map_or(0, |ra| word(self.operand(ra)));
        if sum != word(sum as u32) {
            self.registers.apsr |= SATURATED;
        }
        self.set(rd, sum as u32);
    }

    /// Adds a product to an accumulator of two words.
    fn accumulate_long(&mut self, (rd_lo, rd_hi): (Register, Register), product: i64) {
        let sum = double(self.operand(rd_lo), self.operand(rd_hi)).wrapping_add(product);
        self.set(rd_lo, sum as u32);
        self.set(rd_hi, (sum >> 32) as u32);
    }
}

/// SXTAB to UXTB16, of the rotated value.
fn extend_and_add(signed: bool, extension: Extension, value: u32, added: u32) -> u32 {
    match extension {
        Extension::One(size) => extend(value, size, signed).wrapping_add(added),
        Extension::Pair => [0, 16].into_iter().fold(0, |result, place| {
            let part = extend(value >> place, Size::Byte, signed).wrapping_add(added >> place);
            result | (part & 0xFFFF) << place
        }),
    }
}
