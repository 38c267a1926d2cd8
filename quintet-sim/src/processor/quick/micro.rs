//! The instructions of the quick path, in eight bytes each.

use super::super::cache::Decoded;
use super::super::instruction::{
    Address, AluOperation, Carry, CompareOperation, Condition, Indexing, Instruction, Offset,
    Operand, Operation, Register, Shift, Size,
};

/// What an instruction does. `I` takes a constant, `R` a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Code {
    /// The quick path has no such instruction.
    None,
    Nop,
    MoveI,
    MoveR,
    NotR,
    MoveTop,
    AndI,
    AndR,
    BicI,
    BicR,
    OrrI,
    OrrR,
    EorI,
    EorR,
    AddI,
    AddR,
    AdcI,
    AdcR,
    SubI,
    SubR,
    SbcI,
    SbcR,
    RsbI,
    CompareI,
    CompareR,
    CompareNegativeI,
    TestI,
    TestR,
    LslI,
    LsrI,
    AsrI,
    LslR,
    LsrR,
    AsrR,
    /// An operation of two registers, the second one shifted.
    Shifted,
    /// Part of a register: shifted to the left, then to the right.
    Unsigned,
    Signed,
    Multiply,
    MultiplyAdd,
    MultiplySubtract,
    LoadWord,
    LoadHalf,
    LoadByte,
    LoadSignedHalf,
    LoadSignedByte,
    /// From a constant address.
    LoadLiteral,
    LoadDual,
    StoreWord,
    StoreHalf,
    StoreByte,
    StoreDual,
    LoadMultiple,
    StoreMultiple,
    Branch,
    BranchIf,
    BranchIfZero,
    BranchIfNot,
    Call,
    CallR,
    JumpR,
    TableByte,
    TableHalf,
    IfThen,
}

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Micro {
    pub code: Code,
    /// The destination, or the source of a store; and the length in the upper half.
    pub rd: u8,
    /// The first operand or the base; and marks in the upper half.
    pub rn: u8,
    /// The second operand or the index; and how to use it in the upper half.
    pub rm: u8,
    pub value: u32,
}

/// A mark in `rn`: outside of an IT block the instruction sets flags.
const SETS_FLAGS: u8 = 1 << 4;
/// Within one too.
const ALWAYS_SETS: u8 = 1 << 5;
/// Marks of a load or store: the base is written, and it is the address itself.
pub const WRITES_BACK: u8 = 1 << 4;
pub const POST_INDEXED: u8 = 1 << 5;
/// A mark in `rm`: there is an index. Below are two bits of its shift.
const IS_INDEXED: u8 = 1 << 6;
/// The base of a multiple transfer is below the registers.
pub const DECREMENTS: u8 = 1 << 5;

const PC: u8 = 15;
const SP: u8 = 13;

impl Micro {
    pub const NONE: Self = Self { code: Code::None, rd: 0, rn: 0, rm: 0, value: 0 };

    /// The instruction at an address, if the quick path has it.
    pub fn of(address: u32, decoded: &Decoded) -> Self {
        let Instruction { operation, length } = &decoded.instruction;
        let mut micro = micro_of(address, *length, operation).unwrap_or(Self::NONE);
        micro.rd |= length << 4;
        micro
    }

    /// The bytes of the instruction.
    #[inline(always)]
    pub fn length(self) -> u32 {
        u32::from(self.rd >> 4)
    }

    /// Whether it sets the flags, within an IT block (1) or not (0).
    #[inline(always)]
    pub fn sets(self, within: u32) -> bool {
        u32::from(self.rn) >> (4 + within) & 1 != 0
    }

    #[inline(always)]
    pub fn rd(self) -> usize {
        usize::from(self.rd & 15)
    }

    #[inline(always)]
    pub fn rn(self) -> usize {
        usize::from(self.rn & 15)
    }

    #[inline(always)]
    pub fn rm(self) -> usize {
        usize::from(self.rm & 15)
    }

    /// What is added to a base, where the register of the index has this value.
    #[inline(always)]
    pub fn offset(self, index: u32) -> u32 {
        let mask = 0_u32.wrapping_sub(u32::from(self.rm >> 6 & 1));
        self.value.wrapping_add(index << (self.rm >> 4 & 3) & mask)
    }

    fn new(code: Code, rd: Register, rn: Register, rm: Register) -> Option<Self> {
        let is_core = rd.0 < PC && rn.0 < PC && rm.0 < PC;
        is_core.then_some(Self { code, rd: rd.0, rn: rn.0, rm: rm.0, value: 0 })
    }

    fn with(self, value: u32) -> Self {
        Self { value, ..self }
    }

    fn marked(self, marks: u8) -> Self {
        Self { rn: self.rn | marks, ..self }
    }

    /// The comparisons set flags everywhere, as do instructions of four bytes.
    fn flags(self, set: bool, always: bool) -> Self {
        let always = if always { ALWAYS_SETS } else { 0 };
        if set { self.marked(SETS_FLAGS | always) } else { self }
    }
}

const R0: Register = Register(0);

fn micro_of(address: u32, length: u8, operation: &Operation) -> Option<Micro> {
    let is_wide = length == 4;
    let to = |offset: i32| address.wrapping_add(4).wrapping_add_signed(offset);
    let micro = match *operation {
        Operation::Nop => Micro { code: Code::Nop, ..Micro::NONE },
        Operation::Alu { operation, set_flags, rd, rn, ref operand } => {
            alu(operation, (rd, rn), operand, set_flags)?.flags(set_flags, is_wide)
        }
        Operation::Move { set_flags, rd, ref operand } => {
            moved(rd, operand, set_flags)?.flags(set_flags, is_wide)
        }
        Operation::MoveNot {
            set_flags,
            rd,
            operand: Operand::Register { rm, shift: Shift::Lsl, amount: 0 },
        } => Micro::new(Code::NotR, rd, R0, rm)?.flags(set_flags, is_wide),
        Operation::Compare { operation, rn, ref operand } => {
            compared(operation, rn, operand)?.flags(true, true)
        }
        Operation::Adr { rd, offset } => {
            Micro::new(Code::MoveI, rd, R0, R0)?.with((to(0) & !3).wrapping_add_signed(offset))
        }
        Operation::MoveWide { rd, immediate } => {
            Micro::new(Code::MoveI, rd, R0, R0)?.with(immediate.into())
        }
        Operation::MoveTop { rd, immediate } => {
            Micro::new(Code::MoveTop, rd, R0, R0)?.with(u32::from(immediate) << 16)
        }
        Operation::Multiply { set_flags, rd, rn, rm } => {
            Micro::new(Code::Multiply, rd, rn, rm)?.flags(set_flags, is_wide)
        }
        Operation::MultiplyAccumulate { subtract, rd, rn, rm, ra } if ra.0 < PC => {
            let code = if subtract { Code::MultiplySubtract } else { Code::MultiplyAdd };
            Micro::new(code, rd, rn, rm)?.with(ra.0.into())
        }
        Operation::Extend { signed, size, rd, rm, rotation: 0 } => {
            let shift = 32 - 8 * size.bytes();
            part(signed, (rd, rm), shift, shift)?
        }
        Operation::BitFieldExtract { signed, rd, rn, lsb, width } => {
            let right = 32_u32.checked_sub(width.into())?;
            part(signed, (rd, rn), right.checked_sub(lsb.into())?, right)?
        }
        Operation::Branch { condition: Condition::AL, offset } => jump(Code::Branch, to(offset)),
        Operation::Branch { condition, offset } => {
            Micro { rm: condition.0 & 15, ..jump(Code::BranchIf, to(offset)) }
        }
        Operation::CompareBranch { nonzero, rn, offset } => {
            let code = if nonzero { Code::BranchIfNot } else { Code::BranchIfZero };
            Micro::new(code, R0, rn, R0)?.with(to(offset))
        }
        Operation::BranchLink { offset } => jump(Code::Call, to(offset)),
        Operation::BranchLinkExchange { rm } => Micro::new(Code::CallR, R0, R0, rm)?,
        Operation::BranchExchange { rm } => Micro::new(Code::JumpR, R0, R0, rm)?,
        Operation::TableBranch { half, base, index } if index.0 < PC => {
            let code = if half { Code::TableHalf } else { Code::TableByte };
            // The base may be the program counter, which the code adds.
            Micro { code, rd: 0, rn: base.0, rm: index.0, value: 0 }
        }
        Operation::IfThen { first_condition, mask } => {
            jump(Code::IfThen, u32::from(first_condition << 4 | mask))
        }
        _ => return transfer(address, operation),
    };
    Some(micro)
}

fn jump(code: Code, value: u32) -> Micro {
    Micro { code, ..Micro::NONE }.with(value)
}

fn part(signed: bool, (rd, rm): (Register, Register), left: u32, right: u32) -> Option<Micro> {
    let code = if signed { Code::Signed } else { Code::Unsigned };
    Some(Micro::new(code, rd, R0, rm)?.with(left | right << 8))
}

/// A constant that leaves the carry alone, or whose carry doesn't matter.
fn constant(operand: &Operand, matters: bool) -> Option<u32> {
    match *operand {
        Operand::Immediate { value, carry } if carry == Carry::Unchanged || !matters => Some(value),
        _ => None,
    }
}

fn alu(
    operation: AluOperation,
    (rd, rn): (Register, Register),
    operand: &Operand,
    set_flags: bool,
) -> Option<Micro> {
    use AluOperation::{Adc, Add, And, Bic, Eor, Orn, Orr, Rsb, Sbc, Sub};
    let is_logical = matches!(operation, And | Bic | Orr | Orn | Eor);
    let (constant_code, register_code) = match operation {
        And => (Code::AndI, Code::AndR),
        Bic => (Code::BicI, Code::BicR),
        Orr => (Code::OrrI, Code::OrrR),
        Eor => (Code::EorI, Code::EorR),
        Add => (Code::AddI, Code::AddR),
        Adc => (Code::AdcI, Code::AdcR),
        Sub => (Code::SubI, Code::SubR),
        Sbc => (Code::SbcI, Code::SbcR),
        Rsb => (Code::RsbI, Code::Shifted),
        Orn => (Code::None, Code::Shifted),
    };
    match *operand {
        Operand::Immediate { .. } if constant_code == Code::None => None,
        Operand::Immediate { .. } => {
            let value = constant(operand, is_logical && set_flags)?;
            Some(Micro::new(constant_code, rd, rn, R0)?.with(value))
        }
        Operand::Register { rm, shift: Shift::Lsl, amount: 0 }
            if register_code != Code::Shifted =>
        {
            Micro::new(register_code, rd, rn, rm)
        }
        Operand::Register { rm, shift, amount } => {
            let value = operation as u32 | (shift as u32) << 8 | u32::from(amount) << 16;
            Some(Micro::new(Code::Shifted, rd, rn, rm)?.with(value))
        }
        Operand::ShiftedByRegister { .. } => None,
    }
}

fn moved(rd: Register, operand: &Operand, set_flags: bool) -> Option<Micro> {
    match *operand {
        Operand::Immediate { .. } => {
            Some(Micro::new(Code::MoveI, rd, R0, R0)?.with(constant(operand, set_flags)?))
        }
        Operand::Register { rm, amount: 0, .. } => Micro::new(Code::MoveR, rd, R0, rm),
        Operand::Register { rm, shift, amount } => {
            let code = match shift {
                Shift::Lsl => Code::LslI,
                Shift::Lsr => Code::LsrI,
                Shift::Asr => Code::AsrI,
                _ => return None,
            };
            Some(Micro::new(code, rd, R0, rm)?.with(amount.into()))
        }
        Operand::ShiftedByRegister { rm, shift, rs } => {
            let code = match shift {
                Shift::Lsl => Code::LslR,
                Shift::Lsr => Code::LsrR,
                Shift::Asr => Code::AsrR,
                _ => return None,
            };
            Micro::new(code, rd, rs, rm)
        }
    }
}

fn compared(operation: CompareOperation, rn: Register, operand: &Operand) -> Option<Micro> {
    use CompareOperation::{Cmn, Cmp, Teq, Tst};
    let register = match *operand {
        Operand::Register { rm, shift: Shift::Lsl, amount: 0 } => Some(rm),
        _ => None,
    };
    let code = match (operation, register) {
        (Cmp, None) => Code::CompareI,
        (Cmp, Some(_)) => Code::CompareR,
        (Cmn, None) => Code::CompareNegativeI,
        (Tst, None) => Code::TestI,
        (Tst, Some(_)) => Code::TestR,
        (Cmn, Some(_)) | (Teq, _) => return None,
    };
    let micro = Micro::new(code, R0, rn, register.unwrap_or(R0))?;
    match register {
        Some(_) => Some(micro),
        None => Some(micro.with(constant(operand, operation == Tst)?)),
    }
}

/// Loads and stores.
fn transfer(address: u32, operation: &Operation) -> Option<Micro> {
    let code = match *operation {
        Operation::Load { unprivileged: true, .. }
        | Operation::Store { unprivileged: true, .. } => {
            return None;
        }
        Operation::Load { size: Size::Word, .. } => Code::LoadWord,
        Operation::Load { size: Size::Half, signed: false, .. } => Code::LoadHalf,
        Operation::Load { size: Size::Half, .. } => Code::LoadSignedHalf,
        Operation::Load { size: Size::Byte, signed: false, .. } => Code::LoadByte,
        Operation::Load { size: Size::Byte, .. } => Code::LoadSignedByte,
        Operation::Store { size: Size::Word, .. } => Code::StoreWord,
        Operation::Store { size: Size::Half, .. } => Code::StoreHalf,
        Operation::Store { size: Size::Byte, .. } => Code::StoreByte,
        Operation::LoadDual { .. } => Code::LoadDual,
        Operation::StoreDual { .. } => Code::StoreDual,
        Operation::LoadMultiple { .. } => Code::LoadMultiple,
        Operation::StoreMultiple { .. } => Code::StoreMultiple,
        _ => return None,
    };
    match *operation {
        Operation::Load { rt, address: at, .. } if at.base == Register::PC => {
            let Offset::Immediate(offset) = at.offset else { return None };
            let place = (address.wrapping_add(4) & !3).wrapping_add_signed(offset);
            let is_plain = code == Code::LoadWord && at.indexing == Indexing::Offset;
            Some(Micro::new(Code::LoadLiteral, rt, R0, R0).filter(|_| is_plain)?.with(place))
        }
        Operation::Load { rt, address, .. } | Operation::Store { rt, address, .. } => {
            addressed(Micro::new(code, rt, address.base, R0)?, &address)
        }
        Operation::LoadDual { rt, rt2, base, offset, indexing }
        | Operation::StoreDual { rt, rt2, base, offset, indexing } => {
            let micro = Micro::new(code, rt, base, rt2)?.with(offset as u32);
            Some(micro.marked(indexed(indexing)))
        }
        Operation::LoadMultiple { base, registers, decrement_before, writeback }
        | Operation::StoreMultiple { base, registers, decrement_before, writeback } => {
            let is_load = code == Code::LoadMultiple;
            let refused = if is_load { 1 << base.0 | 1 << SP } else { 1 << PC };
            let marks = if decrement_before { DECREMENTS } else { 0 }
                | if writeback { WRITES_BACK } else { 0 };
            let micro = Micro::new(code, R0, base, R0)?.with(registers.into());
            (registers & refused == 0 && registers != 0).then_some(micro.marked(marks))
        }
        _ => None,
    }
}

fn indexed(indexing: Indexing) -> u8 {
    match indexing {
        Indexing::Offset => 0,
        Indexing::PreIndexed => WRITES_BACK,
        Indexing::PostIndexed => WRITES_BACK | POST_INDEXED,
    }
}

fn addressed(micro: Micro, address: &Address) -> Option<Micro> {
    let micro = micro.marked(indexed(address.indexing));
    match address.offset {
        Offset::Immediate(offset) => Some(micro.with(offset as u32)),
        Offset::Register { rm, lsl } => {
            let is_simple = rm.0 < PC && lsl < 4;
            is_simple.then_some(Micro { rm: rm.0 | lsl << 4 | IS_INDEXED, ..micro })
        }
    }
}
