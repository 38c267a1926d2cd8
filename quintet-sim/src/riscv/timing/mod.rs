//! Time: pipelines of cores, each a file or folder.
//!
//! A pipeline knows the [`Facts`] of an instruction that matter for time, not its effect. The hart
//! asks for the cycle in which an instruction begins to execute, executes it as if in that cycle,
//! and tells the pipeline what came of it. No table says how long an instruction takes: the
//! pipeline does the work of each cycle.

pub mod hazard3;
pub mod ibex;
mod pipeline;
pub mod vexriscv;

use super::instruction::{AfterPop, Instruction, Operation, Register, Source};

pub use pipeline::Pipeline;

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The instruction is where it executes.
    Instruction,
    /// An interrupt is taken: the pipeline is to be told of the handler.
    Interrupt,
}

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
    /// Hazard3 with a port for instructions and one for data, about as RP2350 has it.
    Hazard3,
    /// VexRiscv with compressed instructions, LR and SC: LiteX's variant `imac`.
    #[serde(rename = "vexriscv-imac")]
    VexRiscvImac,
    /// VexRiscv with user mode and protection: LiteX's variant `secure`.
    #[serde(rename = "vexriscv-secure")]
    VexRiscvSecure,
}

impl Model {
    /// Returns the name in a board file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Untimed => "untimed",
            Self::IbexSmall => "ibex-small",
            Self::IbexMaxperf => "ibex-maxperf",
            Self::Hazard3 => "hazard3",
            Self::VexRiscvImac => "vexriscv-imac",
            Self::VexRiscvSecure => "vexriscv-secure",
        }
    }

    /// Returns `true` for a VexRiscv.
    pub fn is_vexriscv(self) -> bool {
        matches!(self, Self::VexRiscvImac | Self::VexRiscvSecure)
    }

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
        /// The cycles that Hazard3 takes for signs.
        extra: u8,
    },
    /// Reads memory, and writes what it computes.
    Atomic,
    /// LR or SC.
    Exclusive {
        /// The register that it writes.
        loads: Register,
        /// Whether it reaches memory: an SC without reservation doesn't.
        transfers: bool,
    },
    /// A load or store.
    Access(Access),
    /// Writes a register for control and status on which fetches depend.
    Control,
    /// Pushes registers or pops them.
    Stack {
        /// How many, with the return address.
        registers: u8,
        /// What follows the loads of a pop; `None` for a push.
        then: Option<AfterPop>,
    },
    /// Moves two registers.
    Moves,
    /// Waits for an interrupt.
    Wait,
    /// Raises an exception before it executes, or returns from a handler.
    Trap {
        /// Whether the instruction counts as executed on Hazard3.
        retires: bool,
    },
}

impl Work {
    fn is_access(self) -> bool {
        matches!(self, Self::Access(_) | Self::Exclusive { .. } | Self::Atomic)
    }

    fn is_store(self) -> bool {
        matches!(self, Self::Access(Access { loads: None, .. }))
    }

    fn is_atomic(self) -> bool {
        matches!(self, Self::Exclusive { .. } | Self::Atomic)
    }
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
    /// The address.
    pub pc: u32,
    /// The length.
    pub length: u32,
    /// The registers that it reads; x0 for none.
    pub sources: [Register; 2],
    /// The target of a branch, whether it is taken or not.
    pub conditional: Option<u32>,
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

/// Returns the work of an operation of two registers.
pub(super) fn work(operation: Operation, dividend: u32, divisor: u32) -> Work {
    let is_signed = matches!(operation, Operation::Divide | Operation::Remainder);
    let [is_negative, by_negative] = [dividend, divisor].map(|it| is_signed && it >> 31 != 0);
    let before = is_negative || !by_negative;
    let behind = is_negative || is_negative != by_negative && divisor != 0;

    match operation {
        Operation::Multiply => Work::Multiply,
        Operation::MultiplyHigh
        | Operation::MultiplyHighSignedUnsigned
        | Operation::MultiplyHighUnsigned => Work::MultiplyHigh,
        Operation::Divide
        | Operation::DivideUnsigned
        | Operation::Remainder
        | Operation::RemainderUnsigned => {
            Work::Divide { by_zero: divisor == 0, extra: u8::from(before) + u8::from(behind) }
        }
        _ => Work::Simple,
    }
}
