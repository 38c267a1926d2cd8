//! The values of registers on every path: constants, what is known of other numbers, and distances
//! from the stack pointer at the entry.

use quintet_sim::image::{Image, Symbol, SymbolKind};
use quintet_sim::processor::instruction::float::Float;
use quintet_sim::processor::instruction::{
    AluOperation, Indexing, Offset, Operand, Operation, Register, Shift, Size,
};
use quintet_sim::timing::Direction;

use super::float;
use super::graph::{Block, Exit, Instruction};
use super::masks::{self, Saved};
use super::slots::Slots;
use super::steps::Steps;
pub use super::value::Value;
use super::value::{bits, calculated, shifted};
use super::words::constant_word;

/// The knowledge of all registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    registers: [Value; 16],
    slots: Slots,
    zeros: Option<Zeros>,
}

/// The register `count` holds how many leading zeros the register `of` has: CLZ counted them, and
/// nothing has written either of them since. A table of functions may be indexed by the former,
/// where only the latter is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Zeros {
    count: Register,
    of: Register,
}

/// R0 to R3, R12 and LR, which a call may change.
const CALL_CHANGES: u16 = 0x500f;

/// A table has at most so many words.
const WORDS_MAX: u32 = 512;

/// The special registers of the stack pointers.
const MSP: u8 = 8;
const PSP: u8 = 9;

/// R0 and R1, in which the host answers a request of semihosting.
pub const HOST_CHANGES: u16 = 0x3;

impl Values {
    /// At the entry of a function.
    pub fn at_entry() -> Self {
        let mut values = Self::unknown();
        values.set(Register::SP, Value::Stack(0));
        values
    }

    /// Where nothing is known.
    pub fn unknown() -> Self {
        Self { registers: [Value::Unknown; 16], slots: Slots::default(), zeros: None }
    }

    /// Of a register. The value of `PC` is not known here: it depends on the instruction.
    pub fn of(&self, register: Register) -> Value {
        self.registers[usize::from(register.0 & 15)]
    }

    fn set(&mut self, register: Register, value: Value) {
        self.registers[usize::from(register.0 & 15)] = value;
    }

    /// Keeps the knowledge that holds on both of two paths.
    pub fn join(&mut self, other: &Self) {
        for (value, other) in self.registers.iter_mut().zip(other.registers) {
            *value = value.joined(other);
        }
        self.slots.join(&other.slots);
        self.zeros = self.zeros.filter(|zeros| other.zeros == Some(*zeros));
    }

    /// The same, and `true` if that has changed anything. `widens`: what changes now would change
    /// for ever.
    pub fn meet(&mut self, other: &Self, widens: bool) -> bool {
        let before = self.clone();
        self.join(other);
        if widens {
            for (value, before) in self.registers.iter_mut().zip(&before.registers) {
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
        // A larger number has no more zeros.
        if let Some(zeros) = self.zeros.filter(|zeros| zeros.of == register) {
            self.narrow(zeros.count, (most.leading_zeros(), least.leading_zeros()));
        }
    }

    /// What a call answers in R0.
    pub fn answer(&mut self, value: Value) {
        self.set(Register(0), value);
    }

    /// A call has returned.
    fn call(&mut self) {
        self.forget(CALL_CHANGES);
    }

    /// Another way may lead here: of the stack pointer alone anything is known.
    pub fn forget_all(&mut self) {
        let stack = self.of(Register::SP);
        *self = Self::unknown();
        self.set(Register::SP, stack);
    }

    fn forget(&mut self, registers: u16) {
        let is_kept = |register: Register| registers >> (register.0 & 15) & 1 == 0;
        self.zeros = self.zeros.filter(|zeros| is_kept(zeros.count) && is_kept(zeros.of));
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
                let is_plain = lsl == 0 && matches!(index, Value::Near { .. });
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
        if let O::Float(operation) = instruction.operation()
            && let Some((place, Direction::Write, words)) =
                float::access(&operation, instruction, &before)
        {
            self.keep(place, 4 * words, Value::Unknown);
        }
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
            O::BitFieldExtract { signed: false, rd, rn, lsb: 0, width: 8 } => {
                self.set(rd, calculated(AluOperation::And, before.of(rn), Value::Constant(0xff)));
            }
            O::BitFieldExtract { signed: false, rd, rn, lsb, width } => {
                let value = before.of(rn).steps().right(lsb.into()).and(bits(width));
                self.set(rd, Value::among(value));
            }
            O::Extend { signed: false, size, rd, rm, rotation: 0 } => {
                let mask = Value::Constant(bits(8 * size.bytes() as u8));
                self.set(rd, calculated(AluOperation::And, before.of(rm), mask));
            }
            O::Multiply { rd, rn, rm, .. } => self.set(rd, before.product(rn, rm)),
            O::MultiplyAccumulate { subtract, rd, rn, rm, ra } => {
                let operation = if subtract { AluOperation::Sub } else { AluOperation::Add };
                let product = before.product(rn, rm);
                self.set(rd, calculated(operation, before.of(ra), product));
            }
            O::MoveFromSpecial { rd, special: MSP | PSP } => self.set(rd, Value::Stacked),
            O::MoveFromSpecial { rd, special } => {
                self.set(rd, Saved::read(special).map_or(Value::Unknown, Value::Saved));
            }
            O::CountLeadingZeros { rd, rm } => {
                self.set(rd, Value::among(Steps::up_to(32)));
                self.zeros = Some(Zeros { count: rd, of: rm }).filter(|_| rd != rm);
            }
            _ => {
                self.perform_access(image, instruction, &before);
                self.note_alignment(&instruction.operation());
            }
        }
        self.note_mask(instruction, &before);
        // What writes the program counter is no value of it.
        self.set(Register::PC, Value::Unknown);
    }

    /// A mask is raised or lowered: values that were read from it are older now.
    fn note_mask(&mut self, instruction: &Instruction, before: &Self) {
        let Some((register, effect)) = masks::effect(instruction, before) else { return };
        let behind = |value: Value| match value {
            Value::Saved(saved) => {
                saved.behind(register, effect).map_or(Value::Unknown, Value::Saved)
            }
            _ => value,
        };
        self.registers.iter_mut().for_each(|value| *value = behind(*value));
        self.slots.change(behind);
    }

    /// What has to be aligned, was: the instruction would have ended in a fault.
    fn note_alignment(&mut self, operation: &Operation) {
        use Operation as O;
        let (base, loaded) = match *operation {
            O::LoadDual { rt, rt2, base, .. } => (base, 1_u16 << rt.0 | 1 << rt2.0),
            O::LoadMultiple { base, registers, .. } => (base, registers),
            O::LoadExclusive { size: Size::Word, rt, base, .. }
            | O::LoadAcquire { size: Size::Word, rt, base } => (base, 1 << rt.0),
            O::StoreRelease { size: Size::Word, base, .. } => (base, 0),
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
                self.set(rt, self.slot(place, 4).unwrap_or_else(|| word(image, place)));
            }
            O::Load { size, signed: false, rt, address, .. } => {
                let place =
                    before.place(instruction, address.base, address.offset, address.indexing);
                self.write_back(before, address.base, address.offset, address.indexing);
                let any = Value::among(Steps::up_to(bits(8 * size.bytes() as u8)));
                self.set(rt, self.slot(place, size.bytes()).unwrap_or(any));
            }
            O::Store { size, rt, address, .. } => {
                let place =
                    before.place(instruction, address.base, address.offset, address.indexing);
                self.keep(place, size.bytes(), before.of(rt));
                self.write_back(before, address.base, address.offset, address.indexing);
            }
            O::Load { address, .. } => {
                self.write_back(before, address.base, address.offset, address.indexing);
            }
            O::LoadDual { rt, rt2, base, offset, indexing } => {
                let place = before.place(instruction, base, Offset::Immediate(offset), indexing);
                self.write_back(before, base, Offset::Immediate(offset), indexing);
                for (register, place) in [(rt, place), (rt2, place.plus(4))] {
                    self.set(register, self.slot(place, 4).unwrap_or(Value::Unknown));
                }
            }
            O::StoreDual { rt, rt2, base, offset, indexing } => {
                let place = before.place(instruction, base, Offset::Immediate(offset), indexing);
                self.keep(place, 4, before.of(rt));
                self.keep(place.plus(4), 4, before.of(rt2));
                self.write_back(before, base, Offset::Immediate(offset), indexing);
            }
            O::LoadMultiple { base, registers, decrement_before, writeback } => {
                let is_loaded = registers >> base.0 & 1 != 0;
                let bytes = 4 * registers.count_ones();
                self.move_base(before, base, bytes, decrement_before, writeback && !is_loaded);
            }
            O::StoreMultiple { base, registers, decrement_before, writeback } => {
                let bytes = 4 * registers.count_ones();
                let mut place = before.lowest(base, bytes, decrement_before);
                for register in (0..16).filter(|register| registers >> register & 1 != 0) {
                    self.keep(place, 4, before.of(Register(register)));
                    place = place.plus(4);
                }
                self.move_base(before, base, bytes, decrement_before, writeback);
            }
            O::Float(Float::Multiple { base, bytes, decrement_before, writeback, .. }) => {
                self.move_base(before, base, bytes.into(), decrement_before, writeback);
            }
            _ => {}
        }
    }

    /// What a place on the stack holds.
    fn slot(&self, place: Value, bytes: u32) -> Option<Value> {
        match place {
            Value::Stack(place) => self.slots.at(place, bytes),
            _ => None,
        }
    }

    /// A place is written. What a pointer leads to is none of the values that are kept.
    fn keep(&mut self, place: Value, bytes: u32, value: Value) {
        if let Value::Stack(place) = place {
            self.slots.write(place, bytes, value);
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

/// The word at a place. An index without a limit stays within the table whose symbol has a size.
pub fn word(image: &Image, place: Value) -> Value {
    let places = match place {
        Value::Constant(place) => {
            return constant_word(image, place).map_or(Value::Unknown, Value::Constant);
        }
        Value::Steps(places) => Some(places),
        Value::Near { base, power } => table(image, base, power),
        _ => None,
    };
    let is_constant = |places: &Steps| {
        let all = places
            .all(WORDS_MAX)
            .map(|mut all| all.all(|place| constant_word(image, place).is_some()));
        all.unwrap_or(false)
    };
    places.filter(is_constant).map_or(Value::Unknown, Value::Word)
}

/// The places of a table of constants that has `base` in it.
fn table(image: &Image, base: u32, power: u32) -> Option<Steps> {
    let is_it = |symbol: &&Symbol| {
        symbol.kind == SymbolKind::Data && base.wrapping_sub(symbol.address) < symbol.size
    };
    let symbol = image.symbols.iter().find(is_it)?;
    let end = symbol.address.checked_add(symbol.size)?.checked_sub(4)?;
    Some(Steps::alike(power, base).within(symbol.address, end)).filter(|_| power >= 4)
}
