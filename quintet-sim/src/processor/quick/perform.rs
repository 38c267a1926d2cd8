//! What each instruction of the quick path does, as `execute` does it.

use super::super::bus::Bus;
use super::super::execute::arithmetic::extend;
use super::super::execute::data::{add_with_carry, negative_and_zero, shift_with_carry};
use super::super::execute::{CARRY, NEGATIVE, OVERFLOW, ZERO};
use super::super::history::Jump;
use super::super::instruction::{AluOperation, Condition, Register, Shift, Size};
use super::super::registers::Mode;
use super::micro::{Code, DECREMENTS, Micro, POST_INDEXED, WRITES_BACK};
use crate::processor::Processor;
use crate::timing::{Direction, Inputs};

/// As [`AluOperation`] and [`Shift`] count them.
const OPERATIONS: [AluOperation; 10] = [
    AluOperation::And,
    AluOperation::Bic,
    AluOperation::Orr,
    AluOperation::Orn,
    AluOperation::Eor,
    AluOperation::Add,
    AluOperation::Adc,
    AluOperation::Sub,
    AluOperation::Sbc,
    AluOperation::Rsb,
];
const SHIFTS: [Shift; 5] = [Shift::Lsl, Shift::Lsr, Shift::Asr, Shift::Ror, Shift::Rrx];

/// What a shift by a register takes of it.
const AMOUNT: u32 = 0xff;

/// An instruction, and what is told of it so far.
#[derive(Clone, Copy)]
struct Told {
    micro: Micro,
    inputs: Inputs,
    /// Whether the instruction is in an IT block, as a number.
    within: u32,
}

impl<B: Bus> Processor<B> {
    /// Performs the instruction at the program counter. Returns its inputs to the pipeline, or
    /// `None` if it isn't one for the quick path. Then it has done nothing, or a part that it does
    /// again when it begins anew: it has moved words between registers and memory.
    #[inline(always)]
    pub(super) fn perform_quickly(
        &mut self,
        micro: Micro,
        mut inputs: Inputs,
        within: u32,
    ) -> Option<Inputs> {
        let told = Told { micro, inputs, within };
        let (n, m) = (self.registers.r[micro.rn()], self.registers.r[micro.rm()]);
        let (value, carry) = (micro.value, self.registers.apsr & CARRY != 0);
        match micro.code {
            Code::MoveI => self.logical(told, value, carry),
            Code::MoveR => self.logical(told, m, carry),
            Code::NotR => self.logical(told, !m, carry),
            Code::MoveTop => {
                self.put(micro, value | self.registers.r[micro.rd()] & 0xffff);
            }
            Code::AndI => self.logical(told, n & value, carry),
            Code::AndR => self.logical(told, n & m, carry),
            Code::BicI => self.logical(told, n & !value, carry),
            Code::BicR => self.logical(told, n & !m, carry),
            Code::OrrI => self.logical(told, n | value, carry),
            Code::OrrR => self.logical(told, n | m, carry),
            Code::EorI => self.logical(told, n ^ value, carry),
            Code::EorR => self.logical(told, n ^ m, carry),
            Code::AddI => self.arithmetic(told, add_with_carry(n, value, false)),
            Code::AddR => self.arithmetic(told, add_with_carry(n, m, false)),
            Code::AdcI => self.arithmetic(told, add_with_carry(n, value, carry)),
            Code::AdcR => self.arithmetic(told, add_with_carry(n, m, carry)),
            Code::SubI => self.arithmetic(told, add_with_carry(n, !value, true)),
            Code::SubR => self.arithmetic(told, add_with_carry(n, !m, true)),
            Code::SbcI => self.arithmetic(told, add_with_carry(n, !value, carry)),
            Code::SbcR => self.arithmetic(told, add_with_carry(n, !m, carry)),
            Code::RsbI => self.arithmetic(told, add_with_carry(!n, value, true)),
            Code::CompareI => self.compare_arithmetic(add_with_carry(n, !value, true)),
            Code::CompareR => self.compare_arithmetic(add_with_carry(n, !m, true)),
            Code::CompareNegativeI => self.compare_arithmetic(add_with_carry(n, value, false)),
            Code::TestI => self.test(n & value),
            Code::TestR => self.test(n & m),
            Code::LslI => self.shift(told, shift_with_carry(m, Shift::Lsl, value, carry)),
            Code::LsrI => self.shift(told, shift_with_carry(m, Shift::Lsr, value, carry)),
            Code::AsrI => self.shift(told, shift_with_carry(m, Shift::Asr, value, carry)),
            Code::Unsigned => self.put(micro, m << (value & 31) >> (value >> 8 & 31)),
            Code::Signed => {
                self.put(micro, ((m << (value & 31)) as i32 >> (value >> 8 & 31)) as u32);
            }
            Code::LoadWord => inputs = self.load_quickly(told, Size::Word, false)?,
            Code::LoadHalf => inputs = self.load_quickly(told, Size::Half, false)?,
            Code::LoadByte => inputs = self.load_quickly(told, Size::Byte, false)?,
            Code::LoadLiteral => {
                let word = self.read_quickly(value, Size::Word, &mut inputs)?;
                self.put(micro, word);
            }
            Code::StoreWord => inputs = self.store_quickly(told, Size::Word)?,
            Code::StoreHalf => inputs = self.store_quickly(told, Size::Half)?,
            Code::StoreByte => inputs = self.store_quickly(told, Size::Byte)?,
            Code::Branch => return Some(self.jump(inputs, value)),
            Code::BranchIf if within == 0 => {
                if self.holds(Condition(micro.rm)) {
                    return Some(self.jump(inputs, value));
                }
            }
            Code::BranchIfZero if n == 0 => return Some(self.jump(inputs, value)),
            Code::BranchIfNot if n != 0 => return Some(self.jump(inputs, value)),
            Code::Nop | Code::BranchIfZero | Code::BranchIfNot => {}
            Code::IfThen if within == 0 => self.registers.itstate = value as u8,
            _ => return self.perform_rarer_quickly(told),
        }
        self.registers.r[15] = self.registers.r[15].wrapping_add(micro.length());
        Some(inputs)
    }

    /// The rest of [`Self::perform_quickly`], apart so that the frequent part stays small.
    #[inline(never)]
    fn perform_rarer_quickly(&mut self, told: Told) -> Option<Inputs> {
        let Told { micro, mut inputs, within } = told;
        let (n, m) = (self.registers.r[micro.rn()], self.registers.r[micro.rm()]);
        let (value, carry) = (micro.value, self.registers.apsr & CARRY != 0);
        let pc = self.registers.r[15];
        match micro.code {
            Code::LslR => self.shift(told, shift_with_carry(m, Shift::Lsl, n & AMOUNT, carry)),
            Code::LsrR => self.shift(told, shift_with_carry(m, Shift::Lsr, n & AMOUNT, carry)),
            Code::AsrR => self.shift(told, shift_with_carry(m, Shift::Asr, n & AMOUNT, carry)),
            Code::Shifted => self.shifted_operation(told),
            Code::Multiply => {
                let product = n.wrapping_mul(m);
                let flags = negative_and_zero(product);
                self.put_flags(micro.sets(within), NEGATIVE | ZERO, flags);
                self.put(micro, product);
            }
            Code::MultiplyAdd => {
                let sum = self.registers.r[(value & 15) as usize];
                self.put(micro, sum.wrapping_add(n.wrapping_mul(m)));
            }
            Code::MultiplySubtract => {
                let sum = self.registers.r[(value & 15) as usize];
                self.put(micro, sum.wrapping_sub(n.wrapping_mul(m)));
            }
            Code::LoadSignedHalf => inputs = self.load_quickly(told, Size::Half, true)?,
            Code::LoadSignedByte => inputs = self.load_quickly(told, Size::Byte, true)?,
            Code::LoadDual => inputs = self.load_dual_quickly(told)?,
            Code::StoreDual => inputs = self.store_dual_quickly(told)?,
            // An exception may stop it between two words.
            Code::LoadMultiple | Code::StoreMultiple if self.pipeline.now() >= self.look_from => {
                return None;
            }
            Code::LoadMultiple => return self.load_multiple_quickly(told),
            Code::StoreMultiple => inputs = self.store_multiple_quickly(told)?,
            Code::Call => {
                self.registers.r[14] = pc.wrapping_add(4) | 1;
                return Some(self.jump(inputs, value));
            }
            Code::CallR if m & 1 != 0 => {
                self.registers.r[14] = pc.wrapping_add(2) | 1;
                return Some(self.jump(inputs, m & !1));
            }
            Code::JumpR if self.is_simple_target(m) => return Some(self.jump(inputs, m & !1)),
            Code::TableByte | Code::TableHalf => return self.table_branch_quickly(told),
            _ => return None,
        }
        self.registers.r[15] = pc.wrapping_add(micro.length());
        Some(inputs)
    }

    /// An instruction of an IT block whose condition fails.
    pub(super) fn perform_skipped(&mut self, micro: Micro) -> Option<Inputs> {
        if micro.code == Code::None {
            return None;
        }
        self.skipped += 1;
        self.registers.r[15] = self.registers.r[15].wrapping_add(micro.length());
        Some(Inputs::of(false, true))
    }

    /// `false` for an exception's return, and for what isn't Thumb.
    fn is_simple_target(&self, target: u32) -> bool {
        let returns = target >> 28 == 0xf && self.registers.mode() == Mode::Handler;
        target & 1 != 0 && !returns
    }

    /// Writes the destination.
    #[inline(always)]
    fn put(&mut self, micro: Micro, value: u32) {
        self.set(Register(micro.rd & 15), value);
    }

    #[inline(always)]
    fn put_flags(&mut self, sets: bool, mask: u32, flags: u32) {
        let new = self.registers.apsr & !mask | flags;
        self.registers.apsr = if sets { new } else { self.registers.apsr };
    }

    #[inline(always)]
    fn logical(&mut self, told: Told, result: u32, carry: bool) {
        self.shift(told, (result, carry));
    }

    #[inline(always)]
    fn shift(&mut self, Told { micro, within, .. }: Told, (result, carry): (u32, bool)) {
        let flags = negative_and_zero(result) | u32::from(carry) << 29;
        self.put_flags(micro.sets(within), NEGATIVE | ZERO | CARRY, flags);
        self.put(micro, result);
    }

    #[inline(always)]
    fn arithmetic(&mut self, Told { micro, within, .. }: Told, (result, flags): (u32, u32)) {
        let flags = negative_and_zero(result) | flags;
        self.put_flags(micro.sets(within), NEGATIVE | ZERO | CARRY | OVERFLOW, flags);
        self.put(micro, result);
    }

    #[inline(always)]
    fn compare_arithmetic(&mut self, (result, flags): (u32, u32)) {
        let flags = negative_and_zero(result) | flags;
        self.put_flags(true, NEGATIVE | ZERO | CARRY | OVERFLOW, flags);
    }

    #[inline(always)]
    fn test(&mut self, result: u32) {
        self.put_flags(true, NEGATIVE | ZERO, negative_and_zero(result));
    }

    fn shifted_operation(&mut self, told: Told) {
        let micro = told.micro;
        let (x, value) = (self.registers.r[micro.rn()], micro.value);
        let carry = self.registers.apsr & CARRY != 0;
        let shift = SHIFTS[(value >> 8 & 0xff) as usize % SHIFTS.len()];
        let (y, shifted_out) =
            shift_with_carry(self.registers.r[micro.rm()], shift, value >> 16, carry);
        let sum = match OPERATIONS[(value & 0xff) as usize % OPERATIONS.len()] {
            AluOperation::And => return self.shift(told, (x & y, shifted_out)),
            AluOperation::Bic => return self.shift(told, (x & !y, shifted_out)),
            AluOperation::Orr => return self.shift(told, (x | y, shifted_out)),
            AluOperation::Orn => return self.shift(told, (x | !y, shifted_out)),
            AluOperation::Eor => return self.shift(told, (x ^ y, shifted_out)),
            AluOperation::Add => add_with_carry(x, y, false),
            AluOperation::Adc => add_with_carry(x, y, carry),
            AluOperation::Sub => add_with_carry(x, !y, true),
            AluOperation::Sbc => add_with_carry(x, !y, carry),
            AluOperation::Rsb => add_with_carry(!x, y, true),
        };
        self.arithmetic(told, sum);
    }

    #[inline(always)]
    fn jump(&mut self, mut inputs: Inputs, to: u32) -> Inputs {
        self.notes.jump = Jump { from: self.registers.r[15], to };
        self.registers.r[15] = to;
        // It is the only one of its instruction.
        inputs.redirect(to);
        inputs
    }

    fn table_branch_quickly(&mut self, told: Told) -> Option<Inputs> {
        let Told { micro, mut inputs, .. } = told;
        let is_half = micro.code == Code::TableHalf;
        let (size, scale) = if is_half { (Size::Half, 1) } else { (Size::Byte, 0) };
        let behind = self.registers.r[15].wrapping_add(4);
        let base = if micro.rn() == 15 { behind } else { self.registers.r[micro.rn()] };
        let entry = base.wrapping_add(self.registers.r[micro.rm()] << scale);
        let halfwords = self.read_quickly(entry, size, &mut inputs)?;
        Some(self.jump(inputs, behind.wrapping_add(halfwords * 2)))
    }
}

/// Loads and stores.
impl<B: Bus> Processor<B> {
    /// Reads memory, where nothing forbids it.
    #[inline(always)]
    fn read_quickly(&mut self, address: u32, size: Size, inputs: &mut Inputs) -> Option<u32> {
        let is_aligned = address & (size.bytes() - 1) == 0;
        if !is_aligned || address >= self.plain_limit {
            return None;
        }
        let place = self.pipeline.place(address)?;
        if !inputs.access(place, Direction::Read) {
            return None;
        }
        self.bus.read_memory(address, size)
    }

    /// Writes memory, where nothing forbids it.
    #[inline(always)]
    fn write_quickly(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        inputs: &mut Inputs,
    ) -> Option<()> {
        let is_aligned = address & (size.bytes() - 1) == 0;
        if !is_aligned || address >= self.plain_limit {
            return None;
        }
        let place = self.pipeline.place(address)?;
        let is_told = inputs.access(place, Direction::Write);
        if !is_told || !self.bus.write_memory(address, size, value) {
            return None;
        }
        if self.cache.may_hold(address) {
            self.cache.forget(address);
        }
        Some(())
    }

    /// The address of an access, and the new value of its base.
    #[inline(always)]
    fn target_of(&self, micro: Micro, offset: u32) -> (u32, u32) {
        let base = self.registers.r[micro.rn()];
        let sum = base.wrapping_add(offset);
        (if micro.rn & POST_INDEXED != 0 { base } else { sum }, sum)
    }

    #[inline(always)]
    fn write_base(&mut self, micro: Micro, value: u32) {
        if micro.rn & WRITES_BACK != 0 {
            self.set(Register(micro.rn & 15), value);
        }
    }

    #[inline(always)]
    fn load_quickly(&mut self, told: Told, size: Size, signed: bool) -> Option<Inputs> {
        let Told { micro, mut inputs, .. } = told;
        let offset = micro.offset(self.registers.r[micro.rm()]);
        let (address, sum) = self.target_of(micro, offset);
        let value = self.read_quickly(address, size, &mut inputs)?;
        self.write_base(micro, sum);
        self.put(micro, extend(value, size, signed));
        Some(inputs)
    }

    #[inline(always)]
    fn store_quickly(&mut self, told: Told, size: Size) -> Option<Inputs> {
        let Told { micro, mut inputs, .. } = told;
        let offset = micro.offset(self.registers.r[micro.rm()]);
        let (address, sum) = self.target_of(micro, offset);
        let value = extend(self.registers.r[micro.rd()], size, false);
        self.write_quickly(address, size, value, &mut inputs)?;
        self.write_base(micro, sum);
        Some(inputs)
    }

    fn load_dual_quickly(&mut self, told: Told) -> Option<Inputs> {
        let Told { micro, mut inputs, .. } = told;
        let (address, sum) = self.target_of(micro, micro.value);
        let first = self.read_quickly(address, Size::Word, &mut inputs)?;
        let second = self.read_quickly(address.wrapping_add(4), Size::Word, &mut inputs)?;
        self.put(micro, first);
        self.set(Register(micro.rm & 15), second);
        self.write_base(micro, sum);
        Some(inputs)
    }

    fn store_dual_quickly(&mut self, told: Told) -> Option<Inputs> {
        let Told { micro, mut inputs, .. } = told;
        let (address, sum) = self.target_of(micro, micro.value);
        let words = [self.registers.r[micro.rd()], self.registers.r[micro.rm()]];
        for (index, word) in (0..).zip(words) {
            self.write_quickly(address.wrapping_add(4 * index), Size::Word, word, &mut inputs)?;
        }
        self.write_base(micro, sum);
        Some(inputs)
    }

    /// The lowest address of a multiple transfer, and the base behind it.
    fn range_of(&self, micro: Micro) -> (u32, u32) {
        let base = self.registers.r[micro.rn()];
        let bytes = 4 * micro.value.count_ones();
        let behind = base.wrapping_add(bytes);
        let below = base.wrapping_sub(bytes);
        if micro.rn & DECREMENTS != 0 { (below, below) } else { (base, behind) }
    }

    fn load_multiple_quickly(&mut self, told: Told) -> Option<Inputs> {
        const PC: u32 = 15;
        let Told { micro, mut inputs, .. } = told;
        let (low, base) = self.range_of(micro);
        let words = micro.value.count_ones();
        let is_jump = micro.value >> PC & 1 != 0;
        let mut target = 0;
        if is_jump {
            target = self.bus.read_memory(low.wrapping_add(4 * (words - 1)), Size::Word)?;
            if !self.is_simple_target(target) {
                return None;
            }
        }
        let (mut left, mut address) = (micro.value, low);
        while left != 0 {
            let word = self.read_quickly(address, Size::Word, &mut inputs)?;
            let register = left.trailing_zeros();
            if register != PC {
                self.registers.r[(register & 15) as usize] = word;
            }
            address = address.wrapping_add(4);
            left &= left - 1;
        }
        self.write_base(micro, base);
        if is_jump {
            return Some(self.jump(inputs, target & !1));
        }
        self.registers.r[15] = self.registers.r[15].wrapping_add(micro.length());
        Some(inputs)
    }

    fn store_multiple_quickly(&mut self, told: Told) -> Option<Inputs> {
        let Told { micro, mut inputs, .. } = told;
        let (low, base) = self.range_of(micro);
        let (mut left, mut address) = (micro.value, low);
        while left != 0 {
            let word = self.registers.r[(left.trailing_zeros() & 15) as usize];
            self.write_quickly(address, Size::Word, word, &mut inputs)?;
            address = address.wrapping_add(4);
            left &= left - 1;
        }
        self.write_base(micro, base);
        Some(inputs)
    }
}
