//! Data processing: the arithmetic and logic unit behind the barrel shifter, and the flags.

use super::{CARRY, NEGATIVE, OVERFLOW, ZERO};
use crate::processor::bus::Bus;
use crate::processor::instruction::{
    AluOperation, Carry, CompareOperation, Operand, Register, Shift,
};
use crate::processor::{Flow, Processor};

/// `Shift_C` (A2.2.1): the shifted value and the carry. `amount` is 0 to 255.
#[inline]
pub(in crate::processor) fn shift_with_carry(
    value: u32,
    shift: Shift,
    amount: u32,
    carry: bool,
) -> (u32, bool) {
    if amount == 0 {
        return (value, carry);
    }
    // One more bit than the result holds the last bit shifted out; beyond 33 nothing changes any
    // more.
    let distance = amount.min(33);
    match shift {
        Shift::Lsl => {
            let wide = u64::from(value) << distance;
            (wide as u32, wide >> 32 & 1 != 0)
        }
        Shift::Lsr => {
            let wide = u64::from(value) << 1 >> distance;
            ((wide >> 1) as u32, wide & 1 != 0)
        }
        Shift::Asr => {
            let wide = i64::from(value as i32) << 1 >> distance;
            ((wide >> 1) as u32, wide & 1 != 0)
        }
        Shift::Ror => {
            let result = value.rotate_right(amount & 31);
            (result, result >> 31 != 0)
        }
        Shift::Rrx => (u32::from(carry) << 31 | value >> 1, value & 1 != 0),
    }
}

/// `AddWithCarry` (A2.2.1): the sum and the flags C and V in their places.
#[inline]
pub(in crate::processor) fn add_with_carry(x: u32, y: u32, carry: bool) -> (u32, u32) {
    let (sum, first) = x.overflowing_add(y);
    let (sum, second) = sum.overflowing_add(u32::from(carry));
    let overflow = ((x ^ sum) & (y ^ sum)) >> 31;
    (sum, u32::from(first | second) << 29 | overflow << 28)
}

/// N and Z of a result, in their places.
#[inline]
pub(in crate::processor) fn negative_and_zero(result: u32) -> u32 {
    result & NEGATIVE | u32::from(result == 0) << 30
}

impl<B: Bus> Processor<B> {
    #[inline]
    fn carry(&self) -> bool {
        self.registers.apsr & CARRY != 0
    }

    /// A value shifted by a constant.
    #[inline]
    pub(super) fn shifted(&self, value: u32, shift: Shift, amount: u8) -> u32 {
        shift_with_carry(value, shift, u32::from(amount), self.carry()).0
    }

    /// The flexible operand and the shifter's carry.
    #[inline]
    fn flexible(&self, operand: &Operand) -> (u32, bool) {
        match *operand {
            Operand::Immediate { value, carry } => {
                let carry = match carry {
                    Carry::Unchanged => self.carry(),
                    Carry::Clear => false,
                    Carry::Set => true,
                };
                (value, carry)
            }
            Operand::Register { rm, shift, amount } => {
                shift_with_carry(self.operand(rm), shift, u32::from(amount), self.carry())
            }
            Operand::ShiftedByRegister { rm, shift, rs } => {
                let amount = self.operand(rs) & 0xFF;
                shift_with_carry(self.operand(rm), shift, amount, self.carry())
            }
        }
    }

    /// N, Z and the shifter's C of a logical operation; V keeps its value.
    #[inline]
    fn set_logical_flags(&mut self, result: u32, carry: bool) {
        let kept = self.registers.apsr & !(NEGATIVE | ZERO | CARRY);
        self.registers.apsr = kept | negative_and_zero(result) | u32::from(carry) << 29;
    }

    /// N, Z, C and V of an addition or subtraction.
    #[inline]
    fn set_arithmetic_flags(&mut self, result: u32, carry_and_overflow: u32) {
        let kept = self.registers.apsr & !(NEGATIVE | ZERO | CARRY | OVERFLOW);
        self.registers.apsr = kept | negative_and_zero(result) | carry_and_overflow;
    }

    /// AND to RSB. With PC as the destination (ADD only), the instruction is a branch.
    #[inline]
    pub(super) fn alu(
        &mut self,
        operation: AluOperation,
        set_flags: bool,
        rd: Register,
        rn: Register,
        operand: &Operand,
    ) -> Flow {
        let x = self.operand(rn);
        let (y, shifter_carry) = self.flexible(operand);
        let logical = match operation {
            AluOperation::And => x & y,
            AluOperation::Bic => x & !y,
            AluOperation::Orr => x | y,
            AluOperation::Orn => x | !y,
            AluOperation::Eor => x ^ y,
            _ => {
                let (result, flags) = match operation {
                    AluOperation::Add => add_with_carry(x, y, false),
                    AluOperation::Adc => add_with_carry(x, y, self.carry()),
                    AluOperation::Sub => add_with_carry(x, !y, true),
                    AluOperation::Sbc => add_with_carry(x, !y, self.carry()),
                    _ => add_with_carry(!x, y, true),
                };
                if rd == Register::PC {
                    return self.branch_to(result & !1);
                }
                if set_flags {
                    self.set_arithmetic_flags(result, flags);
                }
                self.set(rd, result);
                return Flow::Next;
            }
        };
        if set_flags {
            self.set_logical_flags(logical, shifter_carry);
        }
        self.set(rd, logical);
        Flow::Next
    }

    /// MOV and the shifts. With PC as the destination, the instruction is a branch that keeps the
    /// state (`ALUWritePC`).
    #[inline]
    pub(super) fn move_operand(
        &mut self,
        set_flags: bool,
        rd: Register,
        operand: &Operand,
    ) -> Flow {
        let (result, carry) = self.flexible(operand);
        if rd == Register::PC {
            return self.branch_to(result & !1);
        }
        if set_flags {
            self.set_logical_flags(result, carry);
        }
        self.set(rd, result);
        Flow::Next
    }

    /// MVN.
    #[inline]
    pub(super) fn move_not(&mut self, set_flags: bool, rd: Register, operand: &Operand) {
        let (value, carry) = self.flexible(operand);
        if set_flags {
            self.set_logical_flags(!value, carry);
        }
        self.set(rd, !value);
    }

    /// MOVT.
    #[inline]
    pub(super) fn move_top(&mut self, rd: Register, immediate: u16) {
        let low = self.operand(rd) & 0xFFFF;
        self.set(rd, u32::from(immediate) << 16 | low);
    }

    /// TST, TEQ, CMP and CMN.
    #[inline]
    pub(super) fn compare(&mut self, operation: CompareOperation, rn: Register, operand: &Operand) {
        let x = self.operand(rn);
        let (y, carry) = self.flexible(operand);
        match operation {
            CompareOperation::Tst => self.set_logical_flags(x & y, carry),
            CompareOperation::Teq => self.set_logical_flags(x ^ y, carry),
            CompareOperation::Cmp => {
                let (result, flags) = add_with_carry(x, !y, true);
                self.set_arithmetic_flags(result, flags);
            }
            CompareOperation::Cmn => {
                let (result, flags) = add_with_carry(x, y, false);
                self.set_arithmetic_flags(result, flags);
            }
        }
    }
}
