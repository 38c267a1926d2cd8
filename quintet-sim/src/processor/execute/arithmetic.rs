//! Multiplication, division, saturation, bit fields and reversals.

use super::data::negative_and_zero;
use super::{NEGATIVE, SATURATED, ZERO};
use crate::processor::bus::Bus;
use crate::processor::faults::Fault;
use crate::processor::instruction::{Register, Reversal, Size};
use crate::processor::{Flow, Processor};

/// Sign- or zero-extends the low `size` of a value.
#[inline]
pub(in crate::processor) fn extend(value: u32, size: Size, signed: bool) -> u32 {
    match (size, signed) {
        (Size::Byte, false) => value & 0xFF,
        (Size::Byte, true) => value as i8 as u32,
        (Size::Half, false) => value & 0xFFFF,
        (Size::Half, true) => value as i16 as u32,
        (Size::Word, _) => value,
    }
}

/// REV, REV16, REVSH and RBIT.
pub(super) fn reverse(kind: Reversal, value: u32) -> u32 {
    match kind {
        Reversal::Rev => value.swap_bytes(),
        Reversal::Rev16 => value.swap_bytes().rotate_left(16),
        Reversal::Revsh => (value as u16).swap_bytes() as i16 as u32,
        Reversal::Rbit => value.reverse_bits(),
    }
}

/// Returns `width` set bits from bit 0 on; `width` is 1 to 32.
fn ones(width: u8) -> u32 {
    u32::MAX >> (32 - u32::from(width))
}

impl<B: Bus> Processor<B> {
    /// MUL; C and V keep their values.
    pub(super) fn multiply(&mut self, set_flags: bool, rd: Register, rn: Register, rm: Register) {
        let result = self.operand(rn).wrapping_mul(self.operand(rm));
        if set_flags {
            let kept = self.registers.apsr & !(NEGATIVE | ZERO);
            self.registers.apsr = kept | negative_and_zero(result);
        }
        self.set(rd, result);
    }

    /// MLA and MLS.
    pub(super) fn multiply_accumulate(
        &mut self,
        subtract: bool,
        rd: Register,
        rn: Register,
        rm: Register,
        ra: Register,
    ) {
        let product = self.operand(rn).wrapping_mul(self.operand(rm));
        let accumulator = self.operand(ra);
        let result = if subtract {
            accumulator.wrapping_sub(product)
        } else {
            accumulator.wrapping_add(product)
        };
        self.set(rd, result);
    }

    /// UMULL, SMULL, UMLAL and SMLAL; the destinations and the accumulator are (low, high).
    pub(super) fn multiply_long(
        &mut self,
        signed: bool,
        accumulate: bool,
        (rd_lo, rd_hi): (Register, Register),
        (rn, rm): (Register, Register),
    ) -> Flow {
        let (x, y) = (self.operand(rn), self.operand(rm));
        let product = if signed {
            (i64::from(x as i32) * i64::from(y as i32)) as u64
        } else {
            u64::from(x) * u64::from(y)
        };
        let accumulator = if accumulate {
            u64::from(self.operand(rd_hi)) << 32 | u64::from(self.operand(rd_lo))
        } else {
            0
        };
        let result = product.wrapping_add(accumulator);
        self.pipeline.multiply_long(signed, accumulate, x, y);
        if self.is_abandoned() {
            return Flow::Abandoned;
        }
        self.set(rd_lo, result as u32);
        self.set(rd_hi, (result >> 32) as u32);
        Flow::Next
    }

    /// UDIV and SDIV: rounds towards zero; a division by zero gives 0 or traps (A7.7.127).
    pub(super) fn divide(
        &mut self,
        signed: bool,
        rd: Register,
        rn: Register,
        rm: Register,
    ) -> Result<Flow, Fault> {
        let (dividend, divisor) = (self.operand(rn), self.operand(rm));
        if divisor == 0 && self.traps_division_by_zero() {
            return Err(Fault::DivideByZero);
        }
        let quotient = if divisor == 0 {
            0
        } else if signed {
            // The one quotient that does not fit wraps around.
            (dividend as i32).wrapping_div(divisor as i32) as u32
        } else {
            dividend / divisor
        };
        self.pipeline.divide(signed, dividend, divisor);
        if self.is_abandoned() {
            return Ok(Flow::Abandoned);
        }
        self.set(rd, quotient);
        Ok(Flow::Next)
    }

    /// BFI, and BFC without `rn`.
    pub(super) fn bit_field_insert(
        &mut self,
        rd: Register,
        rn: Option<Register>,
        lsb: u8,
        width: u8,
    ) {
        let mask = ones(width) << lsb;
        let field = rn.map_or(0, |rn| self.operand(rn)) << lsb & mask;
        let kept = self.operand(rd) & !mask;
        self.set(rd, kept | field);
    }

    /// UBFX and SBFX.
    pub(super) fn bit_field_extract(
        &mut self,
        signed: bool,
        rd: Register,
        rn: Register,
        lsb: u8,
        width: u8,
    ) {
        let unused = 32 - u32::from(width);
        let high = self.operand(rn) << (unused - u32::from(lsb));
        let field = if signed { ((high as i32) >> unused) as u32 } else { high >> unused };
        self.set(rd, field);
    }

    /// SSAT and USAT of an already shifted value to `to` bits; a value out of range sets Q.
    pub(super) fn saturate(&mut self, signed: bool, rd: Register, value: u32, to: u8) {
        let value = i64::from(value as i32);
        let (low, high) = if signed {
            (-1i64 << (to - 1), (1i64 << (to - 1)) - 1)
        } else {
            (0, (1i64 << to) - 1)
        };
        let result = value.clamp(low, high);
        if result != value {
            self.registers.apsr |= SATURATED;
        }
        self.set(rd, result as u32);
    }
}
