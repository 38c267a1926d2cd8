//! The floating-point extension: moves, loads and stores. The arithmetic is in
//! [`float`](crate::processor::float).
//!
//! A table has the time of each instruction. Other instructions are not measured against it: see
//! `docs/simulator.md`.

use crate::processor::bus::Bus;
use crate::processor::faults::Fault;
use crate::processor::float::{self, Number, Status, fpscr};
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
fn binary<N: Number>(operation: Binary, d: N, n: N, m: N, status: &mut Status) -> N {
    match operation {
        Binary::Add => float::add(n, m, status),
        Binary::Sub => float::sub(n, m, status),
        Binary::Mul => float::multiply(n, m, status),
        Binary::Nmul => float::multiply(n, m, status) ^ N::SIGN,
        Binary::Div => float::divide(n, m, status),
        Binary::Mla => float::add(d, float::multiply(n, m, status), status),
        Binary::Mls => float::add(d, float::multiply(n, m, status) ^ N::SIGN, status),
        Binary::Nmla => float::add(d ^ N::SIGN, float::multiply(n, m, status) ^ N::SIGN, status),
        Binary::Nmls => float::add(d ^ N::SIGN, float::multiply(n, m, status), status),
        Binary::Fma => float::multiply_add(d, n, m, status),
        Binary::Fms => float::multiply_add(d, n ^ N::SIGN, m, status),
        Binary::Fnma => float::multiply_add(d ^ N::SIGN, n ^ N::SIGN, m, status),
        Binary::Fnms => float::multiply_add(d ^ N::SIGN, n, m, status),
        Binary::MaxNum => float::maximum(n, m, status),
        Binary::MinNum => float::minimum(n, m, status),
    }
}

/// One of the operations on one operand.
fn unary<N: Number>(operation: Unary, m: N, status: &mut Status) -> N {
    match operation {
        Unary::Move => m,
        Unary::Absolute => m & !N::SIGN,
        Unary::Negate => m ^ N::SIGN,
        Unary::SquareRoot => float::square_root(m, status),
    }
}

/// A number in the registers: a single, or a double in two singles.
trait Held: Number {
    /// Reads the number whose first single has this number.
    fn get<B: Bus>(processor: &Processor<B>, first: Single) -> Self;

    /// Writes it.
    fn set<B: Bus>(self, processor: &mut Processor<B>, first: Single);
}

impl Held for u32 {
    fn get<B: Bus>(processor: &Processor<B>, first: Single) -> Self {
        processor.single(first)
    }

    fn set<B: Bus>(self, processor: &mut Processor<B>, first: Single) {
        processor.set_single(first, self);
    }
}

impl Held for u64 {
    fn get<B: Bus>(processor: &Processor<B>, first: Single) -> Self {
        Self::from(processor.single(first)) | Self::from(processor.single(first | 1)) << 32
    }

    fn set<B: Bus>(self, processor: &mut Processor<B>, first: Single) {
        processor.set_single(first, self as u32);
        processor.set_single(first | 1, (self >> 32) as u32);
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
        let unit = self.configuration.floating_point;
        if operation.unit().is_none_or(|least| least > unit) {
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
            Float::MoveImmediate { double: false, sd, value } => self.set_single(sd, value),
            Float::MoveImmediate { double: true, sd, value } => {
                (u64::from(value) << 32).set(self, sd);
            }
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
            Float::Unary { double: true, .. }
            | Float::Binary { double: true, .. }
            | Float::Compare { double: true, .. }
            | Float::FromFixed { double: true, .. }
            | Float::ToFixed { double: true, .. }
            | Float::ConvertHalf { double: true, .. }
            | Float::Select { double: true, .. }
            | Float::RoundWhole { double: true, .. } => self.compute_held::<u64>(operation),
            Float::Resize { to_double: true, sd, sm } => {
                let m = self.single(sm);
                self.calculate(|status| float::resize::<u32, u64>(m, status)).set(self, sd);
            }
            Float::Resize { to_double: false, sd, sm } => {
                let m = u64::get(self, sm);
                self.calculate(|status| float::resize::<u64, u32>(m, status)).set(self, sd);
            }
            _ => self.compute_held::<u32>(operation),
        }
    }

    /// The same, in one precision.
    fn compute_held<N: Held>(&mut self, operation: &Float) {
        match *operation {
            Float::Unary { operation, sd, sm, .. } => {
                let m = N::get(self, sm);
                self.calculate(|status| unary(operation, m, status)).set(self, sd);
            }
            Float::Binary { operation, sd, sn, sm, .. } => {
                let (d, n, m) = (N::get(self, sd), N::get(self, sn), N::get(self, sm));
                self.calculate(|status| binary(operation, d, n, m, status)).set(self, sd);
            }
            Float::Compare { quiet_is_invalid, sd, sm, .. } => {
                let m = sm.map_or(N::from(0), |sm| N::get(self, sm));
                let d = N::get(self, sd);
                let flags =
                    self.calculate(|status| float::compare(d, m, quiet_is_invalid, status)).flags();
                let status = &mut self.registers.float.fpscr;
                *status = *status & !fpscr::FLAGS | flags << 28;
            }
            Float::FromFixed { fixed, to_nearest, sd, sm, .. } => {
                let m = self.single(sm);
                self.calculate(|status| float::from_fixed::<N>(m, fixed, to_nearest, status))
                    .set(self, sd);
            }
            Float::ToFixed { double, fixed, rounding, sd, sm } => {
                let m = N::get(self, sm);
                let result = self.calculate(|status| float::to_fixed(m, fixed, rounding, status));
                self.set_single(sd, result);
                // A fixed-point number takes the whole register, with its sign.
                if double && (fixed.half || fixed.fraction != 0) {
                    let sign = (result as i32 >> 31) as u32;
                    self.set_single(sd | 1, if fixed.signed { sign } else { 0 });
                }
            }
            Float::ConvertHalf { to_half, top, sd, sm, .. } => {
                self.convert_half::<N>(to_half, top, sd, sm);
            }
            Float::Select { condition, sd, sn, sm, .. } => {
                let chosen = if self.holds(condition) { sn } else { sm };
                N::get(self, chosen).set(self, sd);
            }
            Float::RoundWhole { rounding, exact, sd, sm, .. } => {
                let m = N::get(self, sm);
                self.calculate(|status| float::round_whole(m, rounding, exact, status))
                    .set(self, sd);
            }
            _ => {}
        }
    }

    /// VCVTB and VCVTT: the half-precision number is in the lower or the upper half of its
    /// register.
    fn convert_half<N: Held>(&mut self, to_half: bool, top: bool, sd: Single, sm: Single) {
        let place = if top { 16 } else { 0 };
        if to_half {
            let m = N::get(self, sm);
            let half = self.calculate(|status| float::to_half(m, status));
            let rest = self.single(sd) & !(0xFFFF << place);
            self.set_single(sd, rest | u32::from(half) << place);
        } else {
            let m = self.single(sm);
            self.calculate(|status| float::from_half::<N>((m >> place) as u16, status))
                .set(self, sd);
        }
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
