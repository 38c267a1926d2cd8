//! An instruction as a value. Compressed instructions are the ones that they stand for; only those
//! of Zcmp, which do more than one, have values of their own.

/// The number of a register, 0 to 31.
pub type Register = u8;

/// A decoded instruction. Offsets and immediates are sign-extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each has the name of what it does in the specification")]
pub enum Instruction {
    /// LUI: `value` has the low twelve bits zero.
    LoadUpper { rd: Register, value: u32 },
    /// AUIPC.
    AddUpperToPc { rd: Register, value: u32 },
    /// JAL.
    Jump { rd: Register, offset: u32 },
    /// JALR.
    JumpRegister { rd: Register, rs1: Register, offset: u32 },
    /// BEQ and so on.
    Branch { condition: Condition, rs1: Register, rs2: Register, offset: u32 },
    /// LB and so on.
    Load { width: Width, rd: Register, rs1: Register, offset: u32 },
    /// SB, SH, SW; never a width that zero-extends.
    Store { width: Width, rs1: Register, rs2: Register, offset: u32 },
    /// An operation with an immediate.
    Immediate { operation: Operation, rd: Register, rs1: Register, value: u32 },
    /// An operation of two registers.
    Registers { operation: Operation, rd: Register, rs1: Register, rs2: Register },
    /// An operation of one register.
    Unary { operation: Unary, rd: Register, rs1: Register },
    /// FENCE, with its bits 31 to 20.
    Fence { sets: u16 },
    /// FENCE.I.
    FenceInstructions,
    /// ECALL.
    EnvironmentCall,
    /// EBREAK.
    Breakpoint,
    /// MRET.
    MachineReturn,
    /// WFI.
    WaitForInterrupt,
    /// CSRRW and so on.
    Csr { operation: CsrOperation, rd: Register, source: Source, csr: u16 },
    /// LR.W.
    LoadReserved { rd: Register, rs1: Register, order: Order },
    /// SC.W.
    StoreConditional { rd: Register, rs1: Register, rs2: Register, order: Order },
    /// AMOADD.W and so on.
    Atomic { operation: Atomic, rd: Register, rs1: Register, rs2: Register, order: Order },
    /// CM.PUSH: stores `ra` and the first `saved` of s0 to s11, moves the stack down by `bytes`.
    Push { saved: u8, bytes: u8 },
    /// CM.POP, CM.POPRET and CM.POPRETZ.
    Pop { saved: u8, bytes: u8, then: AfterPop },
    /// CM.MVSA01: `r1` and `r2` become a0 and a1.
    MoveFromArguments { r1: Register, r2: Register },
    /// CM.MVA01S: a0 and a1 become `r1` and `r2`.
    MoveToArguments { r1: Register, r2: Register },
}

/// The condition of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each has the name of what it does in the specification")]
pub enum Condition {
    Equal,
    NotEqual,
    Less,
    GreaterOrEqual,
    LessUnsigned,
    GreaterOrEqualUnsigned,
}

/// The width of an access, and the extension of what is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each has the name of what it does in the specification")]
pub enum Width {
    Byte,
    Half,
    Word,
    ByteUnsigned,
    HalfUnsigned,
}

/// Operations of two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each has the name of what it does in the specification")]
pub enum Operation {
    Add,
    Subtract,
    ShiftLeft,
    SetLess,
    SetLessUnsigned,
    Xor,
    ShiftRight,
    ShiftRightArithmetic,
    Or,
    And,
    Multiply,
    MultiplyHigh,
    MultiplyHighSignedUnsigned,
    MultiplyHighUnsigned,
    Divide,
    DivideUnsigned,
    Remainder,
    RemainderUnsigned,
    Shift1Add,
    Shift2Add,
    Shift3Add,
    AndNot,
    OrNot,
    XorNot,
    Maximum,
    MaximumUnsigned,
    Minimum,
    MinimumUnsigned,
    RotateLeft,
    RotateRight,
    BitClear,
    BitExtract,
    BitInvert,
    BitSet,
}

/// Operations of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each has the name of what it does in the specification")]
pub enum Unary {
    CountLeadingZeros,
    CountTrailingZeros,
    CountOnes,
    SignExtendByte,
    SignExtendHalf,
    ZeroExtendHalf,
    OrCombineBytes,
    ReverseBytes,
}

/// What an instruction does with a register for control and status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each has the name of what it does in the specification")]
pub enum CsrOperation {
    Write,
    Set,
    Clear,
}

/// Where the value for such a register comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each has the name of what it does in the specification")]
pub enum Source {
    Register(Register),
    Immediate(u8),
}

/// The atomic operations on memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each has the name of what it does in the specification")]
pub enum Atomic {
    Swap,
    Add,
    Xor,
    And,
    Or,
    Minimum,
    Maximum,
    MinimumUnsigned,
    MaximumUnsigned,
}

/// The bits `aq` and `rl` of an atomic operation. On one hart they have no effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// Later accesses come after this one.
    pub acquire: bool,
    /// Earlier accesses come before this one.
    pub release: bool,
}

/// What follows the loads of a pop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each has the name of what it does in the specification")]
pub enum AfterPop {
    Nothing,
    Return,
    ReturnZero,
}

/// The register of the n-th of s0 to s11.
pub const fn saved_register(number: u8) -> Register {
    if number < 2 { 8 + number } else { 16 + number }
}
