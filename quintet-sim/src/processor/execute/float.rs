//! The floating-point extension: moves, loads and stores. The arithmetic is in
//! [`float`](crate::processor::float).
//!
//! A table has the time of each instruction. Other instructions are not measured against it: see
//! `docs/simulator.md`.

use crate::processor::bus::Bus;
use crate::processor::faults::Fault;
use crate::processor::float::{self, SIGN, Status, fpscr};
use crate::processor::instruction::float::{Binary, Float, Single, Unary};
use crate::processor::instruction::{Register, Size};
use crate::processor::{Flow, Processor};

/// The fields of a load or store of several singles.
struct Multiple {
    load: bool,
    first: Single,
    words: u8,
    bytes: u8,
    base: Register,
    decrement_before: bool,
    writeback: bool,
}

/// One of the two-operand operations, of the destination's old value, and of the operands.
fn binary(operation: Binary, d: u32, n: u32, m: u32, status: &mut Status) -> u32 {
    match operation {
        Binary::Add => float::add(n, m, status),
        Binary::Sub => float::sub(n, m, status),
        Binary::Mul => float::multiply(n, m, status),
        Binary::Nmul => float::multiply(n, m, status) ^ SIGN,
        Binary::Div => float::divide(n, m, status),
        Binary::Mla => float::add(d, float::multiply(n, m, status), status),
        Binary::Mls => float::add(d, float::multiply(n, m, status) ^ SIGN, status),
        Binary::Nmla => float::add(d ^ SIGN, float::multiply(n, m, status) ^ SIGN, status),
        Binary::Nmls => float::add(d ^ SIGN, float::multiply(n, m, status), status),
        Binary::Fma => float::multiply_add(d, n, m, status),
        Binary::Fms => float::multiply_add(d, n ^ SIGN, m, status),
        Binary::Fnma => float::multiply_add(d ^ SIGN, n ^ SIGN, m, status),
        Binary::Fnms => float::multiply_add(d ^ SIGN, n, m, status),
    }
}

impl<B: Bus> Processor<B> {
    fn single(&self, number: Single) -> u32 {
        self.registers.float.s[usize::from(number & 31)]
    }

    fn set_single(&mut self, number: Single, value: u32) {
        self.registers.float.s[usize::from(number & 31)] = value;
    }

    /// Does arithmetic with FPSCR.
    fn calculate<T>(&mut self, operation: impl FnOnce(&mut Status) -> T) -> T {
        let mut status = Status(self.registers.float.fpscr);
        let result = operation(&mut status);
        self.registers.float.fpscr = status.0;
        result
    }

    /// Executes an instruction of the floating-point extension.
    #[inline(never)]
    pub(super) fn floating_point(&mut self, operation: &Float) -> Result<Flow, Fault> {
        if *operation == Float::Undefined {
            // The instruction doesn't concern the unit's context, but a unit that is off reports
            // this first.
            return Err(self.float_access().err().unwrap_or(Fault::Undefined));
        }
        if !self.begin_float()? {
            return Ok(Flow::Abandoned);
        }
        match *operation {
            Float::Transfer { load, first, words, base, offset } => {
                let address = self.base(base).wrapping_add_signed(offset.into());
                self.transfer_singles(load, first, words, address)?;
            }
            Float::Multiple { load, first, words, bytes, base, decrement_before, writeback } => {
                let fields =
                    Multiple { load, first, words, bytes, base, decrement_before, writeback };
                return self.transfer_multiple(&fields);
            }
            _ => {
                self.pipeline.float(operation.cycles());
                self.compute(operation);
            }
        }
        Ok(Flow::Next)
    }

    /// Executes an instruction without memory access.
    fn compute(&mut self, operation: &Float) {
        match *operation {
            Float::MoveWord { to_core: true, single, rt } => self.set(rt, self.single(single)),
            Float::MoveWord { to_core: false, single, rt } => {
                self.set_single(single, self.operand(rt));
            }
            Float::MoveTwo { to_core: true, first, rt, rt2 } => {
                self.set(rt, self.single(first));
                self.set(rt2, self.single(first + 1));
            }
            Float::MoveTwo { to_core: false, first, rt, rt2 } => {
                self.set_single(first, self.operand(rt));
                self.set_single(first + 1, self.operand(rt2));
            }
            Float::MoveImmediate { sd, value } => self.set_single(sd, value),
            Float::ReadStatus { rt: Register::PC } => {
                let flags = self.registers.float.fpscr & fpscr::FLAGS;
                self.registers.apsr = self.registers.apsr & !fpscr::FLAGS | flags;
            }
            Float::ReadStatus { rt } => self.set(rt, self.registers.float.fpscr),
            Float::WriteStatus { rt } => {
                self.registers.float.fpscr = self.operand(rt) & fpscr::ALL;
            }
            _ => self.compute_number(operation),
        }
    }

    /// Executes an instruction that computes.
    fn compute_number(&mut self, operation: &Float) {
        match *operation {
            Float::Unary { operation, sd, sm } => {
                let m = self.single(sm);
                let result = match operation {
                    Unary::Move => m,
                    Unary::Absolute => m & !SIGN,
                    Unary::Negate => m ^ SIGN,
                    Unary::SquareRoot => self.calculate(|status| float::square_root(m, status)),
                };
                self.set_single(sd, result);
            }
            Float::Binary { operation, sd, sn, sm } => {
                let (d, n, m) = (self.single(sd), self.single(sn), self.single(sm));
                let result = self.calculate(|status| binary(operation, d, n, m, status));
                self.set_single(sd, result);
            }
            Float::Compare { quiet_is_invalid, sd, sm } => {
                let (d, m) = (self.single(sd), sm.map_or(0, |sm| self.single(sm)));
                let flags =
                    self.calculate(|status| float::compare(d, m, quiet_is_invalid, status)).flags();
                let status = &mut self.registers.float.fpscr;
                *status = *status & !fpscr::FLAGS | flags << 28;
            }
            Float::FromFixed { fixed, to_nearest, sd, sm } => {
                let m = self.single(sm);
                let result =
                    self.calculate(|status| float::from_fixed(m, fixed, to_nearest, status));
                self.set_single(sd, result);
            }
            Float::ToFixed { fixed, towards_zero, sd, sm } => {
                let m = self.single(sm);
                let result =
                    self.calculate(|status| float::to_fixed(m, fixed, towards_zero, status));
                self.set_single(sd, result);
            }
            Float::ConvertHalf { to_half, top, sd, sm } => {
                self.convert_half(to_half, top, sd, sm);
            }
            _ => {}
        }
    }

    /// VCVTB and VCVTT: the half-precision number is in the lower or the upper half of its
    /// register.
    fn convert_half(&mut self, to_half: bool, top: bool, sd: Single, sm: Single) {
        let (m, place) = (self.single(sm), if top { 16 } else { 0 });
        let result = if to_half {
            let half = self.calculate(|status| float::to_half(m, status));
            self.single(sd) & !(0xFFFF << place) | u32::from(half) << place
        } else {
            self.calculate(|status| float::from_half((m >> place) as u16, status))
        };
        self.set_single(sd, result);
    }

    /// VLDR and VSTR. A fault on the second word leaves both as they were.
    fn transfer_singles(
        &mut self,
        load: bool,
        first: Single,
        words: u8,
        address: u32,
    ) -> Result<(), Fault> {
        let privileged = self.is_privileged();
        let mut values = [0; 2];
        for index in 0..words {
            let place = address.wrapping_add(4 * u32::from(index));
            if load {
                values[usize::from(index & 1)] =
                    self.read_aligned(place, Size::Word, privileged)?;
            } else {
                self.write_aligned(place, Size::Word, self.single(first + index), privileged)?;
            }
        }
        if load {
            for index in 0..words {
                self.set_single(first + index, values[usize::from(index & 1)]);
            }
        }
        Ok(())
    }

    /// VLDM and VSTM. An exception that is due between two transfers ends the instruction, which
    /// starts over behind the handler. (A Cortex-M4 continues the instruction, by ICI.)
    fn transfer_multiple(&mut self, fields: &Multiple) -> Result<Flow, Fault> {
        let privileged = self.is_privileged();
        let (base, bytes) = (self.operand(fields.base), u32::from(fields.bytes));
        let (mut address, new_base) = if fields.decrement_before {
            (base.wrapping_sub(bytes), base.wrapping_sub(bytes))
        } else {
            (base, base.wrapping_add(bytes))
        };
        for index in 0..fields.words {
            if index != 0 && self.interrupt_due() {
                return Ok(Flow::Abandoned);
            }
            let number = fields.first + index;
            if fields.load {
                let value = self.read_aligned(address, Size::Word, privileged)?;
                self.set_single(number, value);
            } else {
                self.write_aligned(address, Size::Word, self.single(number), privileged)?;
            }
            address = address.wrapping_add(4);
        }
        if fields.writeback {
            self.set(fields.base, new_base);
        }
        Ok(Flow::Next)
    }
}
