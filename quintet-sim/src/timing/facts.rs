//! The facts about an instruction that the pipeline needs, found once, at decoding.

use crate::processor::instruction::float::Float;
use crate::processor::instruction::{Indexing, Instruction, Offset, Operand, Operation, Register};

/// How an instruction uses the stages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// One cycle in the execute stage.
    Plain,
    /// NOP: needs nothing of the execute stage.
    Nop,
    /// IT: handled while the instruction before it is decoded, if possible.
    IfThen,
    /// MUL: one cycle. An IT behind it does not fold.
    Multiply,
    /// MLA.
    MultiplyAccumulate,
    /// MLS.
    MultiplySubtract,
    /// UMULL, SMULL, UMLAL, SMLAL: time by operands.
    MultiplyLong,
    /// UDIV, SDIV: time by operands.
    Divide,
    /// A load of one register.
    Load,
    /// A store of one register.
    Store,
    /// LDM, LDRD, POP.
    LoadMultiple,
    /// STM, STRD, PUSH.
    StoreMultiple,
    /// STREX: a store with a result.
    StoreExclusive,
    /// B and BL: the target is known in the decode stage.
    Branch,
    /// A conditional branch. Its target is fetched from the decode stage, as a guess while the
    /// flags are still being made.
    ConditionalBranch,
    /// CBZ and CBNZ: decided in the execute stage.
    CompareBranch,
    /// BX, BLX and MOV to PC: through a register.
    RegisterBranch,
    /// The same through LR, which the fetch unit can read while decoding.
    LinkBranch,
    /// Arithmetic on the PC.
    ComputedBranch,
    /// TBB, TBH.
    TableBranch,
    /// MSR.
    SpecialWrite,
    /// CPS.
    ChangeState,
    /// MRS.
    SpecialRead,
    /// ISB.
    InstructionBarrier,
    /// DSB, DMB: wait until the last store has left the core.
    DataBarrier,
    /// The stacking of an exception.
    Stacking,
    /// The unstacking of an exception.
    Unstacking,
}

/// The static facts of one instruction. Aligned so that the host copies them at once: it would wait
/// for parts to be joined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(align(16))]
pub struct Facts {
    /// The instruction's use of the stages.
    pub kind: Kind,
    /// The instruction's length in bytes.
    pub length: u8,
    /// Bit n: the address unit reads Rn.
    pub address_registers: u16,
    /// Bit n: Rn receives a result.
    pub results: u16,
    /// Bit n: Rn is written back as a base.
    pub base: u16,
    /// Bit n: Rn arrives a cycle after the others. This is true for the high word of a long
    /// multiplication, and for the last register of any load with write-back, because the base
    /// takes the way to the address unit.
    pub late: u16,
    /// The accumulator of MLA, when no factor is the same register. Of a long multiplication, the
    /// registers that it accumulates.
    pub accumulator: u16,
    /// The instruction sets flags (outside an IT block, if it is narrow).
    pub sets_flags: bool,
    /// The instruction's address needs a second register.
    pub register_offset: bool,
}

impl Kind {
    /// Returns `true` if an IT behind a narrow instruction of this kind can be handled together
    /// with it.
    #[inline]
    pub fn takes_it(self) -> bool {
        matches!(self, Self::Plain | Self::Nop)
    }

    /// Returns `true` if the instruction may hold the execute stage for more than a cycle. The
    /// fetch unit waits for its end before it replaces words of the queue.
    #[inline]
    pub fn is_long(self) -> bool {
        matches!(
            self,
            Self::Load
                | Self::Store
                | Self::LoadMultiple
                | Self::StoreMultiple
                | Self::StoreExclusive
                | Self::TableBranch
                | Self::SpecialRead
                | Self::SpecialWrite
                | Self::Divide
                | Self::MultiplyAccumulate
                | Self::MultiplySubtract
                | Self::MultiplyLong
        )
    }
}

impl Facts {
    /// Those of an instruction that uses nothing.
    pub const NONE: Self = Self {
        kind: Kind::Plain,
        length: 2,
        address_registers: 0,
        results: 0,
        base: 0,
        late: 0,
        accumulator: 0,
        sets_flags: false,
        register_offset: false,
    };

    /// The facts of an instruction.
    pub fn of(instruction: &Instruction) -> Self {
        let mut facts = Self { length: instruction.length, ..Self::NONE };
        facts.classify(&instruction.operation);
        facts
    }

    /// The same on a Cortex-M4, whose multiplier takes one cycle for everything.
    #[must_use]
    pub fn on_cortex_m4(mut self) -> Self {
        if matches!(
            self.kind,
            Kind::MultiplyAccumulate | Kind::MultiplySubtract | Kind::MultiplyLong
        ) {
            self.kind = Kind::Multiply;
            (self.accumulator, self.late) = (0, 0);
        }
        self
    }

    /// Returns `true` for a load of the program counter, which stops the fetch unit at its
    /// beginning.
    #[inline]
    pub fn loads_pc(&self) -> bool {
        match self.kind {
            Kind::TableBranch => true,
            Kind::Load | Kind::LoadMultiple => self.results & bit(Register::PC) != 0,
            _ => false,
        }
    }

    fn classify(&mut self, operation: &Operation) {
        use Operation as O;
        match *operation {
            O::Alu { set_flags, rd, .. } => {
                self.data_processing(set_flags, rd);
                if rd == Register::PC {
                    self.kind = Kind::ComputedBranch;
                }
            }
            O::Move { set_flags, rd, operand } => {
                self.data_processing(set_flags, rd);
                if let (Register::PC, Operand::Register { rm, .. }) = (rd, operand) {
                    self.kind = through(rm);
                }
            }
            O::MoveNot { set_flags, rd, .. } => self.data_processing(set_flags, rd),
            O::Compare { .. } => self.sets_flags = true,
            O::Adr { rd, .. }
            | O::MoveWide { rd, .. }
            | O::MoveTop { rd, .. }
            | O::BitFieldInsert { rd, .. }
            | O::BitFieldExtract { rd, .. }
            | O::Saturate { rd, .. }
            | O::Extend { rd, .. }
            | O::Reverse { rd, .. }
            | O::CountLeadingZeros { rd, .. } => self.results = bit(rd),
            O::MoveFromSpecial { rd, .. } => {
                self.kind = Kind::SpecialRead;
                self.results = bit(rd);
            }
            O::Branch { condition, .. } => {
                let always = condition.0 >= 0b1110;
                self.kind = if always { Kind::Branch } else { Kind::ConditionalBranch };
            }
            O::BranchLink { .. } => {
                self.kind = Kind::Branch;
                self.results = bit(Register::LR);
            }
            O::BranchExchange { rm } => self.kind = through(rm),
            O::BranchLinkExchange { rm } => {
                self.kind = through(rm);
                self.results = bit(Register::LR);
            }
            O::CompareBranch { .. } => self.kind = Kind::CompareBranch,
            O::IfThen { .. } => self.kind = Kind::IfThen,
            O::MoveToSpecial { .. } => {
                self.kind = Kind::SpecialWrite;
                self.sets_flags = true;
            }
            O::ChangeState { .. } => self.kind = Kind::ChangeState,
            O::Nop | O::Yield => self.kind = Kind::Nop,
            O::InstructionSynchronizationBarrier => self.kind = Kind::InstructionBarrier,
            O::DataSynchronizationBarrier | O::DataMemoryBarrier => {
                self.kind = Kind::DataBarrier;
            }
            O::Multiply { .. }
            | O::MultiplyAccumulate { .. }
            | O::MultiplyLong { .. }
            | O::Divide { .. } => self.classify_multiplication(operation),
            O::Float(operation) => self.classify_float(&operation),
            O::Dsp(dsp) => self.results = dsp.results().map(bit).into_iter().fold(0, |a, b| a | b),
            _ => self.classify_memory(operation),
        }
    }

    fn classify_multiplication(&mut self, operation: &Operation) {
        match *operation {
            Operation::Multiply { set_flags, rd, .. } => {
                self.kind = Kind::Multiply;
                self.data_processing(set_flags, rd);
            }
            Operation::MultiplyAccumulate { subtract, rd, rn, rm, ra } => {
                self.results = bit(rd);
                if subtract {
                    self.kind = Kind::MultiplySubtract;
                } else {
                    self.kind = Kind::MultiplyAccumulate;
                    self.accumulator = bit(ra) & !(bit(rn) | bit(rm));
                }
            }
            Operation::MultiplyLong { accumulate, rd_lo, rd_hi, .. } => {
                self.kind = Kind::MultiplyLong;
                self.results = bit(rd_lo) | bit(rd_hi);
                self.late = bit(rd_hi);
                self.accumulator = if accumulate { self.results } else { 0 };
            }
            Operation::Divide { rd, .. } => {
                self.kind = Kind::Divide;
                self.results = bit(rd);
            }
            _ => {}
        }
    }

    fn classify_memory(&mut self, operation: &Operation) {
        use Operation as O;
        match *operation {
            O::Load { rt, address, .. } => {
                self.kind = Kind::Load;
                self.results = bit(rt);
                self.addressed(address.base, address.offset, address.indexing);
                self.late = if self.base == 0 { 0 } else { bit(rt) };
            }
            O::Store { address, .. } => {
                self.kind = Kind::Store;
                self.addressed(address.base, address.offset, address.indexing);
            }
            O::LoadAcquire { rt, base, .. } => {
                self.kind = Kind::Load;
                self.results = bit(rt);
                self.addressed(base, Offset::Immediate(0), Indexing::Offset);
            }
            O::StoreRelease { base, .. } => {
                self.kind = Kind::Store;
                self.addressed(base, Offset::Immediate(0), Indexing::Offset);
            }
            O::LoadExclusive { rt, base, .. } => {
                self.kind = Kind::Load;
                self.results = bit(rt);
                self.address_registers = bit(base);
            }
            O::StoreExclusive { rd, base, .. } => {
                self.kind = Kind::StoreExclusive;
                self.results = bit(rd);
                self.address_registers = bit(base);
            }
            O::LoadDual { rt, rt2, base, offset, indexing } => {
                self.kind = Kind::LoadMultiple;
                self.results = bit(rt) | bit(rt2);
                self.addressed(base, Offset::Immediate(offset), indexing);
                self.late = if self.base == 0 { 0 } else { bit(rt2) };
            }
            O::StoreDual { base, offset, indexing, .. } => {
                self.kind = Kind::StoreMultiple;
                self.addressed(base, Offset::Immediate(offset), indexing);
            }
            O::LoadMultiple { base, registers, writeback, .. } => {
                self.kind = Kind::LoadMultiple;
                self.results = registers;
                self.address_registers = bit(base);
                self.base = if writeback { bit(base) } else { 0 };
                // The base is written before the last register. The narrow form has that cycle even
                // where it writes no base.
                if self.length == 2 || writeback {
                    self.late = highest(registers);
                }
            }
            O::StoreMultiple { base, writeback, .. } => {
                self.kind = Kind::StoreMultiple;
                self.address_registers = bit(base);
                self.base = if writeback { bit(base) } else { 0 };
            }
            O::TableBranch { base, index, .. } => {
                self.kind = Kind::TableBranch;
                self.address_registers = bit(base) | bit(index);
            }
            _ => {}
        }
    }

    /// Loads and stores are one access a word. All other instructions give their duration in the
    /// execute stage.
    fn classify_float(&mut self, operation: &Float) {
        match *operation {
            Float::Transfer { load, base, .. } | Float::Multiple { load, base, .. } => {
                self.kind = if load { Kind::LoadMultiple } else { Kind::StoreMultiple };
                self.address_registers = bit(base) & !bit(Register::PC);
            }
            Float::ReadStatus { rt: Register::PC } => self.sets_flags = true,
            Float::ReadStatus { rt } | Float::MoveWord { to_core: true, rt, .. } => {
                self.results = bit(rt);
            }
            Float::MoveTwo { to_core: true, rt, rt2, .. } => self.results = bit(rt) | bit(rt2),
            _ => {}
        }
        if let Float::Multiple { base, writeback: true, .. } = *operation {
            self.base = bit(base);
        }
    }

    fn data_processing(&mut self, set_flags: bool, rd: Register) {
        self.results = bit(rd);
        self.sets_flags = set_flags;
    }

    fn addressed(&mut self, base: Register, offset: Offset, indexing: Indexing) {
        self.address_registers = bit(base) & !bit(Register::PC);
        if let Offset::Register { rm, .. } = offset {
            self.address_registers |= bit(rm);
            self.register_offset = true;
        }
        if indexing != Indexing::Offset {
            self.base = bit(base);
        }
    }
}

fn through(register: Register) -> Kind {
    if register == Register::LR { Kind::LinkBranch } else { Kind::RegisterBranch }
}

const fn bit(register: Register) -> u16 {
    1 << register.0
}

const fn highest(registers: u16) -> u16 {
    if registers == 0 { 0 } else { 1 << (15 - registers.leading_zeros()) }
}
