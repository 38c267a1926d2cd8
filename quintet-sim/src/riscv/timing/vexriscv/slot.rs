//! An instruction in a stage, and what the stages need to know of it.

use super::super::sources;
use crate::riscv::instruction::{Instruction, Operation, Register, Width};

/// What an instruction does in the stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Nothing but to compute.
    Simple,
    /// A conditional branch.
    Branch {
        /// Where it goes if it is taken.
        target: u32,
    },
    /// JAL.
    Jump {
        /// Where it goes.
        target: u32,
    },
    /// JALR.
    JumpRegister,
    /// A load or store, LR or SC.
    Memory(Memory),
    /// A quotient or remainder.
    Divide,
    /// An access to a register for control and status.
    Csr,
    /// WFI.
    Wait,
    /// MRET.
    Return,
    /// ECALL.
    Call,
    /// FENCE.I.
    Flush,
    /// The core knows no such instruction.
    Illegal,
}

/// An access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Whether it is a store or SC.
    pub is_store: bool,
    /// Whether it is LR or SC.
    pub is_exclusive: bool,
    /// The size.
    pub bytes: u32,
}

/// The stage from whose end on a result can be used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ready {
    /// The one that executes.
    Execute,
    /// The one of memory.
    Memory,
    /// The last one.
    WriteBack,
}

/// An instruction in a stage.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The address.
    pub pc: u32,
    /// The length.
    pub length: u32,
    /// The instruction; `None` if it is illegal.
    pub instruction: Option<Instruction>,
    /// What it does.
    pub class: Class,
    /// The register that it writes; x0 for none.
    pub writes: Register,
    /// The registers that it reads; x0 for none.
    pub reads: [Register; 2],
    /// When its result can be used.
    pub ready: Ready,
    /// Where the decoder has sent the fetches, if it has.
    pub predicted: Option<u32>,
    /// Its effect has been done already.
    pub is_done: bool,
}

impl Slot {
    /// An instruction at an address. `compressed` says whether the core has such instructions,
    /// which is also how it aligns targets.
    pub fn new(pc: u32, length: u32, instruction: Option<Instruction>, compressed: bool) -> Self {
        let class = instruction.as_ref().map_or(Class::Illegal, |it| class(it, pc));
        let reads = instruction.as_ref().map_or([0; 2], sources);
        let (writes, ready) = instruction.as_ref().map_or((0, Ready::Execute), result);
        let mut slot = Self {
            pc,
            length,
            instruction,
            class,
            writes,
            reads,
            ready,
            predicted: None,
            is_done: false,
        };
        slot.predicted = slot.prediction().filter(|target| compressed || target & 2 == 0);
        slot
    }

    /// Branches back are predicted to be taken.
    fn prediction(&self) -> Option<u32> {
        match self.class {
            Class::Jump { target } => Some(target),
            Class::Branch { target } => {
                let offset = match self.instruction {
                    Some(Instruction::Branch { offset, .. }) => offset,
                    _ => 0,
                };
                (offset >> 31 != 0).then_some(target)
            }
            _ => None,
        }
    }

    /// Returns the access of a load or store.
    pub fn memory(&self) -> Option<Memory> {
        match self.class {
            Class::Memory(memory) => Some(memory),
            _ => None,
        }
    }
}

fn class(instruction: &Instruction, pc: u32) -> Class {
    let memory = |width: Width, is_store| {
        let bytes = match width {
            Width::Byte | Width::ByteUnsigned => 1,
            Width::Half | Width::HalfUnsigned => 2,
            Width::Word => 4,
        };
        Class::Memory(Memory { is_store, is_exclusive: false, bytes })
    };
    let exclusive = |is_store| Class::Memory(Memory { is_store, is_exclusive: true, bytes: 4 });
    match *instruction {
        Instruction::Branch { offset, .. } => Class::Branch { target: pc.wrapping_add(offset) },
        Instruction::Jump { offset, .. } => Class::Jump { target: pc.wrapping_add(offset) },
        Instruction::JumpRegister { .. } => Class::JumpRegister,
        Instruction::Load { width, .. } => memory(width, false),
        Instruction::Store { width, .. } => memory(width, true),
        Instruction::LoadReserved { .. } => exclusive(false),
        Instruction::StoreConditional { .. } => exclusive(true),
        Instruction::Registers { operation, .. } if is_division(operation) => Class::Divide,
        Instruction::Csr { .. } => Class::Csr,
        Instruction::WaitForInterrupt => Class::Wait,
        Instruction::MachineReturn => Class::Return,
        Instruction::EnvironmentCall => Class::Call,
        Instruction::FenceInstructions => Class::Flush,
        _ => Class::Simple,
    }
}

/// Returns the register that an instruction writes, and when it can be used.
fn result(instruction: &Instruction) -> (Register, Ready) {
    match *instruction {
        Instruction::LoadUpper { rd, .. }
        | Instruction::AddUpperToPc { rd, .. }
        | Instruction::Jump { rd, .. }
        | Instruction::JumpRegister { rd, .. } => (rd, Ready::Execute),
        Instruction::Csr { rd, .. } => (rd, Ready::Memory),
        Instruction::Load { rd, .. }
        | Instruction::LoadReserved { rd, .. }
        | Instruction::StoreConditional { rd, .. } => (rd, Ready::WriteBack),
        Instruction::Immediate { operation, rd, .. }
        | Instruction::Registers { operation, rd, .. } => (rd, ready(operation)),
        _ => (0, Ready::Execute),
    }
}

fn ready(operation: Operation) -> Ready {
    match operation {
        Operation::ShiftLeft | Operation::ShiftRight | Operation::ShiftRightArithmetic => {
            Ready::Memory
        }
        Operation::Multiply
        | Operation::MultiplyHigh
        | Operation::MultiplyHighSignedUnsigned
        | Operation::MultiplyHighUnsigned => Ready::WriteBack,
        _ if is_division(operation) => Ready::Memory,
        _ => Ready::Execute,
    }
}

fn is_division(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Divide
            | Operation::DivideUnsigned
            | Operation::Remainder
            | Operation::RemainderUnsigned
    )
}
