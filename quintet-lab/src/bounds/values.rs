//! The values of registers on every path: constants, what is known of other numbers, and distances
//! from the stack pointer at the entry.

use quintet_sim::image::Image;
use quintet_sim::processor::instruction::float::Float;
use quintet_sim::processor::instruction::{
    AluOperation, Indexing, Offset, Operand, Operation, Register, Shift, Size,
};

use super::graph::{Block, Exit, Instruction};
use super::steps::{ANY, Steps};
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
    /// The register holds an address of some stack, as it was read from a stack pointer.
    Stacked,
    /// The register holds an address of the core's own registers: this one, and a number that is
    /// not known.
    System(u32),
    /// The register holds one of these numbers.
    Steps(Steps),
    /// The register holds a word that never changes, from one of these places.
    Word(Steps),
}

/// The knowledge of all registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values([Value; 16]);

/// R0 to R3, R12 and LR, which a call may change.
const CALL_CHANGES: u16 = 0x500f;

/// From the end of a stack to the registers that a kernel keeps there, there are fewer bytes.
const FRAME_MAX: i32 = 512;

/// The registers of the core are from here to there.
const SYSTEM_START: u32 = 0xe000_0000;
const SYSTEM_END: u32 = 0xe010_0000;

/// A table has at most so many words.
const WORDS_MAX: u32 = 512;

/// The special registers of the stack pointers.
const MSP: u8 = 8;
const PSP: u8 = 9;

/// R0 and R1, in which the host answers a request of semihosting.
pub const HOST_CHANGES: u16 = 0x3;

impl Value {
    /// One of these numbers.
    pub fn among(steps: Steps) -> Self {
        match steps.only() {
            Some(number) => Self::Constant(number),
            None if steps == ANY => Self::Unknown,
            None => Self::Steps(steps),
        }
    }

    /// The numbers that it may be. The stack is aligned to words.
    pub fn steps(self) -> Steps {
        match self {
            Self::Unknown | Self::Word(_) | Self::System(_) => ANY,
            Self::Constant(number) => Steps::one(number),
            Self::Stack(distance) => Steps::alike(4, distance as u32),
            Self::Stacked => Steps::alike(4, 0),
            Self::Steps(steps) => steps,
        }
    }

    fn plus(self, offset: u32) -> Self {
        match self {
            Self::Stack(distance) => Self::Stack(distance.wrapping_add_signed_of(offset)),
            Self::System(base) => Self::System(base.wrapping_add(offset)),
            Self::Unknown | Self::Steps(_) if is_system(offset) => {
                match self.steps().plus(Steps::one(offset)) {
                    sum if sum == sum.unlimited() => Self::System(offset),
                    sum => Self::among(sum),
                }
            }
            // A frame is not larger, so this is still the same stack.
            Self::Stacked if offset & 3 == 0 && (offset as i32).abs() < FRAME_MAX => Self::Stacked,
            _ => Self::among(self.steps().plus(Steps::one(offset))),
        }
    }

    fn joined(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Word(one), Self::Word(other)) => Self::Word(one.or(other)),
            (Self::System(_), Self::System(_)) => Self::System(SYSTEM_START),
            (Self::System(_), _) => self,
            (_, Self::System(_)) => other,
            _ => Self::among(self.steps().or(other.steps())),
        }
    }

    /// Without what may grow with each round of a loop.
    fn widened(self) -> Self {
        match self {
            Self::Steps(steps) => Self::among(steps.unlimited()),
            Self::Word(_) => Self::Unknown,
            _ => self,
        }
    }
}

/// Returns `true` for an address of the core's own registers.
fn is_system(address: u32) -> bool {
    (SYSTEM_START..SYSTEM_END).contains(&address)
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

    /// The same, and `true` if that has changed anything. `widens`: what changes now would change
    /// for ever.
    pub fn meet(&mut self, other: &Self, widens: bool) -> bool {
        let before = self.clone();
        self.join(other);
        if widens {
            for (value, before) in self.0.iter_mut().zip(&before.0) {
                *value = if value == before { *value } else { value.widened() };
            }
        }
        *self != before
    }

    /// At the entry of a function that is called where these are the values.
    pub fn at_call(&self) -> Self {
        let mut values = Self::at_entry();
        for register in 0..13 {
            let value = self.of(Register(register));
            let is_stack = matches!(value, Value::Stack(_));
            let value = if is_stack { Value::among(value.steps()) } else { value };
            values.set(Register(register), value);
        }
        values
    }

    /// Only the numbers in a range are left of a register's.
    pub fn narrow(&mut self, register: Register, (least, most): (u32, u32)) {
        let value = self.of(register);
        if matches!(value, Value::Unknown | Value::Steps(_)) {
            self.set(register, Value::among(value.steps().within(least, most)));
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
            (_, Offset::Register { rm, lsl }) => {
                let index = self.of(rm);
                let is_plain = lsl == 0 && matches!(index, Value::System(_));
                let shifted =
                    if is_plain { index } else { Value::among(index.steps().times(1 << lsl)) };
                calculated(AluOperation::Add, base, shifted)
            }
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
            O::BitFieldInsert { rd, rn: None, lsb, width } => {
                let mask = Value::Constant(bits(width).checked_shl(lsb.into()).unwrap_or(0));
                self.set(rd, calculated(AluOperation::Bic, before.of(rd), mask));
            }
            O::BitFieldExtract { signed: false, rd, rn, lsb, width } => {
                let value = before.of(rn).steps().right(lsb.into()).and(bits(width));
                self.set(rd, Value::among(value));
            }
            O::Extend { signed: false, size, rd, rm, rotation: 0 } => {
                let width = 8 * size.bytes() as u8;
                self.set(rd, Value::among(before.of(rm).steps().and(bits(width))));
            }
            O::Multiply { rd, rn, rm, .. } => self.set(rd, before.product(rn, rm)),
            O::MultiplyAccumulate { subtract, rd, rn, rm, ra } => {
                let operation = if subtract { AluOperation::Sub } else { AluOperation::Add };
                let product = before.product(rn, rm);
                self.set(rd, calculated(operation, before.of(ra), product));
            }
            O::MoveFromSpecial { rd, special: MSP | PSP } => self.set(rd, Value::Stacked),
            O::CountLeadingZeros { rd, .. } => self.set(rd, Value::among(Steps::up_to(32))),
            _ => {
                self.perform_access(image, instruction, &before);
                self.note_alignment(&instruction.operation());
            }
        }
        // What writes the program counter is no value of it.
        self.set(Register::PC, Value::Unknown);
    }

    /// What has to be aligned, was: the instruction would have ended in a fault.
    fn note_alignment(&mut self, operation: &Operation) {
        use Operation as O;
        let (base, loaded) = match *operation {
            O::LoadDual { rt, rt2, base, .. } => (base, 1_u16 << rt.0 | 1 << rt2.0),
            O::LoadMultiple { base, registers, .. } => (base, registers),
            O::LoadExclusive { size: Size::Word, rt, base, .. } => (base, 1 << rt.0),
            O::StoreExclusive { size: Size::Word, rd, base, .. } => (base, 1 << rd.0),
            O::StoreDual { base, .. } | O::StoreMultiple { base, .. } => (base, 0),
            _ => return,
        };
        let steps = self.of(base).steps();
        if loaded >> (base.0 & 15) & 1 == 0 && base != Register::PC && !steps.are_multiples(4) {
            self.set(base, Value::among(Steps::alike(4, 0)));
        }
    }

    fn product(&self, one: Register, other: Register) -> Value {
        match (self.of(one), self.of(other)) {
            (Value::Constant(factor), value) | (value, Value::Constant(factor)) => {
                Value::among(value.steps().times(factor))
            }
            _ => Value::Unknown,
        }
    }

    fn perform_access(&mut self, image: &Image, instruction: &Instruction, before: &Self) {
        use Operation as O;
        match instruction.operation() {
            O::Load { size: Size::Word, rt, address, .. } => {
                let place =
                    before.place(instruction, address.base, address.offset, address.indexing);
                self.write_back(before, address.base, address.offset, address.indexing);
                self.set(rt, word(image, place));
            }
            O::Load { size, signed: false, rt, address, .. } => {
                self.write_back(before, address.base, address.offset, address.indexing);
                let width = 8 * size.bytes() as u8;
                self.set(rt, Value::among(Steps::up_to(bits(width))));
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
            Operand::Register { rm, shift, amount } => match (self.of(rm), shift) {
                (Value::Constant(value), _) => shifted(value, shift, amount.into()),
                (value, Shift::Lsl) => Value::among(value.steps().times(1 << amount)),
                (value, Shift::Lsr) => Value::among(value.steps().right(amount.into())),
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
        (A::Add, Value::System(base), _) | (A::Add, _, Value::System(base)) => Value::System(base),
        // The stack is aligned: it goes down by less than the alignment.
        (A::Bic, Value::Stack(distance), Value::Constant(mask)) => aligned(distance, mask),
        (A::And, Value::Stack(distance), Value::Constant(mask)) => aligned(distance, !mask),
        (A::Orn, Value::Constant(x), Value::Constant(y)) => Value::Constant(x | !y),
        (A::Eor, Value::Constant(x), Value::Constant(y)) => Value::Constant(x ^ y),
        _ => Value::among(reckoned(operation, x.steps(), y.steps())),
    }
}

/// The same of numbers that are not all known.
fn reckoned(operation: AluOperation, x: Steps, y: Steps) -> Steps {
    use AluOperation as A;
    match (operation, x.only(), y.only()) {
        (A::Add, ..) => x.plus(y),
        (A::Sub, ..) => x.minus(y),
        (A::Rsb, ..) => y.minus(x),
        (A::And, _, Some(mask)) => x.and(mask),
        (A::And, Some(mask), _) => y.and(mask),
        (A::And, ..) => Steps::up_to(x.range().1.min(y.range().1)),
        (A::Bic, _, Some(mask)) => x.and(!mask),
        (A::Orr, _, Some(bits)) => x.with(bits),
        (A::Orr, Some(bits), _) => y.with(bits),
        _ => ANY,
    }
}

/// A number of so many bits, all set.
fn bits(width: u8) -> u32 {
    u32::MAX.checked_shr(32_u32.saturating_sub(width.into())).unwrap_or(0)
}

/// The word at a place.
fn word(image: &Image, place: Value) -> Value {
    match place {
        Value::Constant(place) => {
            constant_word(image, place).map_or(Value::Unknown, Value::Constant)
        }
        Value::Steps(places) => {
            let mut all = places.all(WORDS_MAX).into_iter().flatten();
            let is_constant = places.all(WORDS_MAX).is_some()
                && all.all(|place| constant_word(image, place).is_some());
            if is_constant { Value::Word(places) } else { Value::Unknown }
        }
        _ => Value::Unknown,
    }
}

/// The least that is left of a place on the stack without the bits of the mask. The stack pointer
/// is always a multiple of four.
fn aligned(distance: i32, mask: u32) -> Value {
    let is_alignment = mask & mask.wrapping_add(1) == 0 && mask < 0x1000;
    if is_alignment { Value::Stack(distance - (mask & !3) as i32) } else { Value::Unknown }
}
