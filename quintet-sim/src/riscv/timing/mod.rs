//! Time: pipelines of cores, each a file or folder.
//!
//! A pipeline knows the [`Facts`] of an instruction that matter for time, not its effect. The hart
//! asks for the cycle in which an instruction begins to execute, executes it as if in that cycle,
//! and tells the pipeline what came of it. No table says how long an instruction takes: the
//! pipeline does the work of each cycle.

pub mod ibex;

use super::instruction::{AfterPop, Instruction, Operation, Register, Source};

/// The core that a hart is: it has the choices that the specification leaves open, and the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// No core: each instruction takes one cycle.
    #[default]
    Untimed,
    /// lowRISC's Ibex with two stages and a multiplier of three cycles: its configuration `small`.
    IbexSmall,
    /// Ibex with three stages, an adder for the targets of branches and a multiplier of one cycle:
    /// its configuration `maxperf`.
    IbexMaxperf,
}

impl Model {
    /// Returns `true` for an Ibex.
    pub fn is_ibex(self) -> bool {
        matches!(self, Self::IbexSmall | Self::IbexMaxperf)
    }
}

/// What an instruction is for a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Anything that needs the arithmetic unit once, and branches that are not taken.
    Simple,
    /// A branch that is taken.
    Branch,
    /// A jump, and an instruction that empties the prefetch buffer as a jump does.
    Jump,
    /// A product, of which the lower half is wanted.
    Multiply,
    /// A product, of which the upper half is wanted.
    MultiplyHigh,
    /// A quotient or remainder.
    Divide {
        /// Whether the divisor is 0.
        by_zero: bool,
    },
    /// A load or store.
    Access(Access),
    /// Writes a register for control and status on which fetches depend.
    Control,
    /// Waits for an interrupt.
    Wait,
    /// Raises an exception before it executes, or returns from a handler.
    Trap,
}

/// A load or store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The register that a load writes.
    pub loads: Option<Register>,
    /// Whether it needs two transfers.
    pub is_split: bool,
    /// Whether protection refuses the first transfer, and the second.
    pub refused: [bool; 2],
    /// Whether it raises an exception.
    pub fails: bool,
    /// The length of what stands behind, if it does.
    pub behind: u32,
    /// Whether that is a jump, or a branch that would be taken, and does not read what is loaded.
    pub behind_jumps: bool,
}

/// What a pipeline needs to know of an instruction that has been executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The work.
    pub work: Work,
    /// Where the program goes on.
    pub target: u32,
}

/// Returns the registers that an instruction reads; x0 for none.
pub(super) fn sources(instruction: &Instruction) -> [Register; 2] {
    match *instruction {
        Instruction::JumpRegister { rs1, .. }
        | Instruction::Load { rs1, .. }
        | Instruction::Immediate { rs1, .. }
        | Instruction::Unary { rs1, .. }
        | Instruction::LoadReserved { rs1, .. }
        | Instruction::Csr { source: Source::Register(rs1), .. } => [rs1, 0],
        Instruction::Branch { rs1, rs2, .. }
        | Instruction::Store { rs1, rs2, .. }
        | Instruction::Registers { rs1, rs2, .. }
        | Instruction::StoreConditional { rs1, rs2, .. }
        | Instruction::Atomic { rs1, rs2, .. } => [rs1, rs2],
        _ => [0, 0],
    }
}

/// Returns `true` for an instruction that goes elsewhere by the adder for targets.
pub(super) fn is_jump(instruction: &Instruction) -> bool {
    matches!(
        instruction,
        Instruction::Jump { .. }
            | Instruction::JumpRegister { .. }
            | Instruction::Branch { .. }
            | Instruction::FenceInstructions
            | Instruction::Pop { then: AfterPop::Return | AfterPop::ReturnZero, .. }
    )
}

/// Returns the work of an operation of two registers.
pub(super) fn work(operation: Operation, divisor: u32) -> Work {
    match operation {
        Operation::Multiply => Work::Multiply,
        Operation::MultiplyHigh
        | Operation::MultiplyHighSignedUnsigned
        | Operation::MultiplyHighUnsigned => Work::MultiplyHigh,
        Operation::Divide
        | Operation::DivideUnsigned
        | Operation::Remainder
        | Operation::RemainderUnsigned => Work::Divide { by_zero: divisor == 0 },
        _ => Work::Simple,
    }
}
