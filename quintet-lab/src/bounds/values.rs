//! The values of registers on every path: constants, and distances from the stack pointer at the
//! entry.

use std::collections::BTreeMap;

use quintet_sim::image::Image;
use quintet_sim::processor::instruction::float::Float;
use quintet_sim::processor::instruction::{
    AluOperation, Indexing, Offset, Operand, Operation, Register, Shift, Size,
};

use super::graph::{Block, Exit, Function, Instruction};
use super::words::constant_word;

/// The knowledge of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Nothing.
    Unknown,
    /// The register holds this number.
    Constant(u32),
    /// The register holds the stack pointer at the function's entry, plus this number. Where code
    /// aligns the stack, the number is the least one that is possible.
    Stack(i32),
}

/// The knowledge of all registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values([Value; 16]);

/// R0 to R3, R12 and LR, which a call may change.
const CALL_CHANGES: u16 = 0x500f;

/// R0 and R1, in which the host answers a request of semihosting.
pub const HOST_CHANGES: u16 = 0x3;

impl Value {
    fn plus(self, offset: u32) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::Constant(value) => Self::Constant(value.wrapping_add(offset)),
            Self::Stack(distance) => Self::Stack(distance.wrapping_add_signed_of(offset)),
        }
    }

    fn joined(self, other: Self) -> Self {
        if self == other { self } else { Self::Unknown }
    }
}

/// Adds a number that stands for a signed one.
trait WrappingAdd {
    fn wrapping_add_signed_of(self, offset: u32) -> Self;
}

impl WrappingAdd for i32 {
    fn wrapping_add_signed_of(self, offset: u32) -> Self {
        self.wrapping_add(offset as Self)
    }
}

impl Values {
    /// At the entry of a function.
    pub fn at_entry() -> Self {
        let mut values = [Value::Unknown; 16];
        values[usize::from(Register::SP.0)] = Value::Stack(0);
        Self(values)
    }

    /// Where nothing is known.
    pub fn unknown() -> Self {
        Self([Value::Unknown; 16])
    }

    /// Of a register. The value of `PC` is not known here: it depends on the instruction.
    pub fn of(&self, register: Register) -> Value {
        self.0[usize::from(register.0 & 15)]
    }

    fn set(&mut self, register: Register, value: Value) {
        self.0[usize::from(register.0 & 15)] = value;
    }

    /// Keeps the knowledge that holds on both of two paths.
    pub fn join(&mut self, other: &Self) {
        for (value, other) in self.0.iter_mut().zip(other.0) {
            *value = value.joined(other);
        }
    }

    /// A call has returned.
    fn call(&mut self) {
        self.forget(CALL_CHANGES);
    }

    fn forget(&mut self, registers: u16) {
        for register in 0..15 {
            if registers >> register & 1 != 0 {
                self.set(Register(register), Value::Unknown);
            }
        }
    }

    /// The base of an address, which is word-aligned where it is the program counter.
    fn base(&self, instruction: &Instruction, base: Register) -> Value {
        if base == Register::PC {
            return Value::Constant(instruction.address.wrapping_add(4) & !3);
        }
        self.of(base)
    }

    /// Where an access with an offset goes.
    pub fn place(
        &self,
        instruction: &Instruction,
        base: Register,
        offset: Offset,
        indexing: Indexing,
    ) -> Value {
        let base = self.base(instruction, base);
        match (indexing, offset) {
            (Indexing::PostIndexed, _) => base,
            (_, Offset::Immediate(offset)) => base.plus(offset as u32),
            (_, Offset::Register { rm, lsl }) => match self.of(rm) {
                Value::Constant(index) => base.plus(index << lsl),
                _ => Value::Unknown,
            },
        }
    }

    /// Where a load or store multiple begins: its lowest address.
    pub fn lowest(&self, base: Register, bytes: u32, decrement_before: bool) -> Value {
        let base = self.of(base);
        if decrement_before { base.plus(bytes.wrapping_neg()) } else { base }
    }

    /// An instruction is executed, perhaps.
    pub fn step(&mut self, image: &Image, instruction: &Instruction) {
        let before = instruction.conditional.then(|| self.clone());
        self.perform(image, instruction);
        if let Some(before) = before {
            self.join(&before);
        }
    }

    /// A block is executed, and execution goes on in the same function: an instruction in an IT
    /// block that would have left the function was not executed, then.
    pub fn pass(&mut self, image: &Image, block: &Block) {
        let leaves = matches!(block.exit, Exit::Returns { .. } | Exit::Leaves { .. });
        for (index, instruction) in block.instructions.iter().enumerate() {
            let is_last = index + 1 == block.instructions.len();
            if !(is_last && leaves && instruction.conditional) {
                self.step(image, instruction);
            }
        }
        // A handler of supervisor calls answers in the registers of the frame.
        if matches!(block.exit, Exit::Calls { .. } | Exit::Traps { .. }) {
            self.call();
        }
    }

    fn perform(&mut self, image: &Image, instruction: &Instruction) {
        use Operation as O;
        let (facts, before) = (&instruction.facts, self.clone());
        self.forget(facts.results | facts.base);
        match instruction.operation() {
            O::Breakpoint { .. } => self.forget(HOST_CHANGES),
            O::MoveWide { rd, immediate } => self.set(rd, Value::Constant(immediate.into())),
            O::MoveTop { rd, immediate } => {
                if let Value::Constant(low) = before.of(rd) {
                    let value = u32::from(immediate) << 16 | low & 0xffff;
                    self.set(rd, Value::Constant(value));
                }
            }
            O::Adr { rd, offset } => {
                let base = before.base(instruction, Register::PC);
                self.set(rd, base.plus(offset as u32));
            }
            O::Move { rd, operand, .. } => self.set(rd, before.operand(&operand)),
            O::Alu { operation, rd, rn, operand, .. } => {
                let (x, y) = (before.base(instruction, rn), before.operand(&operand));
                self.set(rd, calculated(operation, x, y));
            }
            O::BitFieldInsert { rd, rn: None, lsb: 0, width } => {
                let mask =
                    Value::Constant(u32::MAX.checked_shr(32 - u32::from(width)).unwrap_or(0));
                self.set(rd, calculated(AluOperation::Bic, before.of(rd), mask));
            }
            _ => self.perform_access(image, instruction, &before),
        }
        // What writes the program counter is no value of it.
        self.set(Register::PC, Value::Unknown);
    }

    fn perform_access(&mut self, image: &Image, instruction: &Instruction, before: &Self) {
        use Operation as O;
        match instruction.operation() {
            O::Load { size: Size::Word, rt, address, .. } => {
                let place =
                    before.place(instruction, address.base, address.offset, address.indexing);
                self.write_back(before, address.base, address.offset, address.indexing);
                if let Value::Constant(place) = place
                    && let Some(word) = constant_word(image, place)
                {
                    self.set(rt, Value::Constant(word));
                }
            }
            O::Load { address, .. } | O::Store { address, .. } => {
                self.write_back(before, address.base, address.offset, address.indexing);
            }
            O::LoadDual { base, offset, indexing, .. }
            | O::StoreDual { base, offset, indexing, .. } => {
                self.write_back(before, base, Offset::Immediate(offset), indexing);
            }
            O::LoadMultiple { base, registers, decrement_before, writeback } => {
                let is_loaded = registers >> base.0 & 1 != 0;
                let bytes = 4 * registers.count_ones();
                self.move_base(before, base, bytes, decrement_before, writeback && !is_loaded);
            }
            O::StoreMultiple { base, registers, decrement_before, writeback } => {
                let bytes = 4 * registers.count_ones();
                self.move_base(before, base, bytes, decrement_before, writeback);
            }
            O::Float(Float::Multiple { base, bytes, decrement_before, writeback, .. }) => {
                self.move_base(before, base, bytes.into(), decrement_before, writeback);
            }
            _ => {}
        }
    }

    fn move_base(&mut self, before: &Self, base: Register, bytes: u32, down: bool, writes: bool) {
        if writes {
            let by = if down { bytes.wrapping_neg() } else { bytes };
            self.set(base, before.of(base).plus(by));
        }
    }

    fn write_back(&mut self, before: &Self, base: Register, offset: Offset, indexing: Indexing) {
        if indexing == Indexing::Offset {
            return;
        }
        let value = match offset {
            Offset::Immediate(offset) => before.of(base).plus(offset as u32),
            Offset::Register { .. } => Value::Unknown,
        };
        self.set(base, value);
    }

    fn operand(&self, operand: &Operand) -> Value {
        match *operand {
            Operand::Immediate { value, .. } => Value::Constant(value),
            Operand::Register { rm, shift: Shift::Lsl, amount: 0 } => self.of(rm),
            Operand::Register { rm, shift, amount } => match self.of(rm) {
                Value::Constant(value) => shifted(value, shift, amount.into()),
                _ => Value::Unknown,
            },
            Operand::ShiftedByRegister { .. } => Value::Unknown,
        }
    }
}

fn shifted(value: u32, shift: Shift, amount: u32) -> Value {
    let result = match shift {
        Shift::Lsl => value.checked_shl(amount).unwrap_or(0),
        Shift::Lsr => value.checked_shr(amount).unwrap_or(0),
        Shift::Asr => ((value as i32) >> amount.min(31)) as u32,
        Shift::Ror => value.rotate_right(amount),
        Shift::Rrx => return Value::Unknown,
    };
    Value::Constant(result)
}

fn calculated(operation: AluOperation, x: Value, y: Value) -> Value {
    use AluOperation as A;
    match (operation, x, y) {
        (A::Add, x, Value::Constant(y)) => x.plus(y),
        (A::Add, Value::Constant(x), y) => y.plus(x),
        (A::Sub, x, Value::Constant(y)) => x.plus(y.wrapping_neg()),
        (_, Value::Constant(x), Value::Constant(y)) => match operation {
            A::And => Value::Constant(x & y),
            A::Bic => Value::Constant(x & !y),
            A::Orr => Value::Constant(x | y),
            A::Orn => Value::Constant(x | !y),
            A::Eor => Value::Constant(x ^ y),
            A::Rsb => Value::Constant(y.wrapping_sub(x)),
            _ => Value::Unknown,
        },
        // The stack is aligned: it goes down by less than the alignment.
        (A::Bic, Value::Stack(distance), Value::Constant(mask)) => aligned(distance, mask),
        (A::And, Value::Stack(distance), Value::Constant(mask)) => aligned(distance, !mask),
        _ => Value::Unknown,
    }
}

/// The least that is left of a place on the stack without the bits of the mask. The stack pointer
/// is always a multiple of four.
fn aligned(distance: i32, mask: u32) -> Value {
    let is_alignment = mask & mask.wrapping_add(1) == 0 && mask < 0x1000;
    if is_alignment { Value::Stack(distance - (mask & !3) as i32) } else { Value::Unknown }
}

/// The knowledge at the beginning of each block that can be reached.
pub fn of_blocks(image: &Image, function: &Function) -> BTreeMap<u32, Values> {
    let mut known = BTreeMap::from([(function.entry, Values::at_entry())]);
    let mut left = vec![function.entry];
    while let Some(start) = left.pop() {
        let (Some(block), Some(mut values)) =
            (function.blocks.get(&start), known.get(&start).cloned())
        else {
            continue;
        };
        values.pass(image, block);
        for next in block.exit.successors() {
            let changed = match known.get_mut(&next) {
                None => known.insert(next, values.clone()).is_none(),
                Some(other) => {
                    let before = other.clone();
                    other.join(&values);
                    *other != before
                }
            };
            if changed {
                left.push(next);
            }
        }
    }
    known
}
