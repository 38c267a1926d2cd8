//! The instruction set as data: the output of the decoder, and the input of the executor and the
//! pipeline.
//!
//! One [`Instruction`] is one Thumb or Thumb-2 instruction of ARMv7E-M with its fields extracted
//! and its immediates expanded. Encodings that mean the same operation decode to the same
//! [`Operation`]; the encoding's length stays in [`Instruction::length`], because fetch timing
//! depends on it.

pub mod dsp;
pub mod float;

use dsp::Dsp;
use float::Float;

/// A core register, 0 to 15 (13 is SP, 14 LR, 15 PC).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Register(pub u8);

impl Register {
    /// The stack pointer, R13.
    pub const SP: Self = Self(13);
    /// The link register, R14.
    pub const LR: Self = Self(14);
    /// The program counter, R15.
    pub const PC: Self = Self(15);
}

/// A decoded instruction and its length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// The operation.
    pub operation: Operation,
    /// The instruction's length in bytes, 2 or 4.
    pub length: u8,
}

/// The condition field of a conditional branch or an IT block, in the architecture's encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition(pub u8);

impl Condition {
    /// Always.
    pub const AL: Self = Self(0b1110);
}

/// The carry flag that an immediate operand leaves behind (A5.3.2, `ThumbExpandImm_C`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carry {
    /// The flag keeps its value.
    Unchanged,
    /// The flag becomes 0.
    Clear,
    /// The flag becomes 1.
    Set,
}

/// The kind of shift applied to a register operand. `amount` ranges: LSL 0-31, LSR and ASR 1-32,
/// ROR 1-31.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    /// Logical shift left.
    Lsl,
    /// Logical shift right.
    Lsr,
    /// Arithmetic shift right.
    Asr,
    /// Rotate right.
    Ror,
    /// Rotate right by one through the carry flag; the amount is 1.
    Rrx,
}

/// The flexible second operand of a data-processing instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A constant, already expanded.
    Immediate {
        /// The constant's value.
        value: u32,
        /// The shifter's carry.
        carry: Carry,
    },
    /// A register shifted by a constant.
    Register {
        /// The register.
        rm: Register,
        /// The shift's type.
        shift: Shift,
        /// By how much.
        amount: u8,
    },
    /// A register shifted by the bottom byte of another (LSL, LSR, ASR and ROR by register).
    ShiftedByRegister {
        /// The register that is shifted.
        rm: Register,
        /// The shift's type.
        shift: Shift,
        /// The register that holds the amount.
        rs: Register,
    },
}

/// A two-operand arithmetic or logical operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the architecture's mnemonics")]
pub enum AluOperation {
    And,
    Bic,
    Orr,
    Orn,
    Eor,
    Add,
    Adc,
    Sub,
    Sbc,
    Rsb,
}

/// A comparison: flags only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the architecture's mnemonics")]
pub enum CompareOperation {
    Tst,
    Teq,
    Cmp,
    Cmn,
}

/// The size of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Size {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
}

impl Size {
    /// The size in bytes: 1, 2 or 4.
    #[inline]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Byte => 1,
            Self::Half => 2,
            Self::Word => 4,
        }
    }
}

/// The offset of a load or store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offset {
    /// Added to the base as a two's complement number.
    Immediate(i32),
    /// A register shifted left by 0 to 3.
    Register {
        /// The index register.
        rm: Register,
        /// The shift.
        lsl: u8,
    },
}

/// When the offset applies and whether the base is written back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indexing {
    /// `[base, offset]`
    Offset,
    /// `[base, offset]!`
    PreIndexed,
    /// `[base], offset`
    PostIndexed,
}

/// The address operand of a single load or store. A base of PC is the literal form: `Align(PC, 4)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// The base register.
    pub base: Register,
    /// The offset.
    pub offset: Offset,
    /// The addressing mode.
    pub indexing: Indexing,
}

/// Byte, halfword or bit reversal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the architecture's mnemonics")]
pub enum Reversal {
    Rev,
    Rev16,
    Revsh,
    Rbit,
}

/// The operation of an instruction. Field names follow the architecture manual's pseudo-code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields are the architecture manual's, under its names")]
pub enum Operation {
    /// AND, BIC, ORR, ORN, EOR, ADD, ADC, SUB, SBC, RSB. `rn` = PC only for ADR, as `Align(PC, 4)`.
    Alu { operation: AluOperation, set_flags: bool, rd: Register, rn: Register, operand: Operand },
    /// ADD Rdn, PC-relative address: ADR, ADDW and SUBW with a base of PC.
    Adr { rd: Register, offset: i32 },
    /// MOV, and the shifts, which are moves of a shifted operand. `rd` may be PC (a branch).
    Move { set_flags: bool, rd: Register, operand: Operand },
    /// MVN.
    MoveNot { set_flags: bool, rd: Register, operand: Operand },
    /// TST, TEQ, CMP, CMN.
    Compare { operation: CompareOperation, rn: Register, operand: Operand },
    /// MOVW.
    MoveWide { rd: Register, immediate: u16 },
    /// MOVT.
    MoveTop { rd: Register, immediate: u16 },
    /// MUL; sets N and Z when `set_flags`.
    Multiply { set_flags: bool, rd: Register, rn: Register, rm: Register },
    /// MLA, and MLS when `subtract`.
    MultiplyAccumulate { subtract: bool, rd: Register, rn: Register, rm: Register, ra: Register },
    /// UMULL, SMULL, UMLAL, SMLAL.
    MultiplyLong {
        signed: bool,
        accumulate: bool,
        rd_lo: Register,
        rd_hi: Register,
        rn: Register,
        rm: Register,
    },
    /// UDIV, SDIV.
    Divide { signed: bool, rd: Register, rn: Register, rm: Register },
    /// BFI, and BFC when `rn` is `None`.
    BitFieldInsert { rd: Register, rn: Option<Register>, lsb: u8, width: u8 },
    /// UBFX, SBFX.
    BitFieldExtract { signed: bool, rd: Register, rn: Register, lsb: u8, width: u8 },
    /// USAT, SSAT; `to` is the number of bits, 0-31 unsigned, 1-32 signed.
    Saturate { signed: bool, rd: Register, rn: Register, shift: Shift, amount: u8, to: u8 },
    /// SXTB, SXTH, UXTB, UXTH, of `rm` rotated right by `rotation` (0, 8, 16, 24).
    Extend { signed: bool, size: Size, rd: Register, rm: Register, rotation: u8 },
    /// REV, REV16, REVSH, RBIT.
    Reverse { kind: Reversal, rd: Register, rm: Register },
    /// CLZ.
    CountLeadingZeros { rd: Register, rm: Register },
    /// LDR, LDRH, LDRSH, LDRB, LDRSB and their T forms. `rt` may be PC (a branch).
    Load { size: Size, signed: bool, unprivileged: bool, rt: Register, address: Address },
    /// STR, STRH, STRB and their T forms.
    Store { size: Size, unprivileged: bool, rt: Register, address: Address },
    /// LDRD.
    LoadDual { rt: Register, rt2: Register, base: Register, offset: i32, indexing: Indexing },
    /// STRD.
    StoreDual { rt: Register, rt2: Register, base: Register, offset: i32, indexing: Indexing },
    /// LDM, LDMDB, POP. Bit n of `registers` is Rn. With bit 15, the instruction is a branch.
    LoadMultiple { base: Register, registers: u16, decrement_before: bool, writeback: bool },
    /// STM, STMDB, PUSH.
    StoreMultiple { base: Register, registers: u16, decrement_before: bool, writeback: bool },
    /// LDA, LDAH, LDAB: they always need alignment.
    LoadAcquire { size: Size, rt: Register, base: Register },
    /// STL, STLH, STLB: they always need alignment.
    StoreRelease { size: Size, rt: Register, base: Register },
    /// LDREX, LDREXH, LDREXB.
    LoadExclusive { size: Size, rt: Register, base: Register, offset: u16 },
    /// STREX, STREXH, STREXB.
    StoreExclusive { size: Size, rd: Register, rt: Register, base: Register, offset: u16 },
    /// CLREX.
    ClearExclusive,
    /// PLD, PLI: the address is computed, nothing is accessed.
    Preload { address: Address },
    /// B, with the condition (AL when unconditional) and the offset from the instruction's address
    /// + 4.
    Branch { condition: Condition, offset: i32 },
    /// BL.
    BranchLink { offset: i32 },
    /// BX.
    BranchExchange { rm: Register },
    /// BLX.
    BranchLinkExchange { rm: Register },
    /// CBZ, and CBNZ when `nonzero`.
    CompareBranch { nonzero: bool, rn: Register, offset: i32 },
    /// TBB, and TBH when `half`.
    TableBranch { half: bool, base: Register, index: Register },
    /// IT, with the architecture's first condition and mask (never 0).
    IfThen { first_condition: u8, mask: u8 },
    /// MSR: `special` is SYSm, `mask` the two bits that select parts of APSR.
    MoveToSpecial { rn: Register, special: u8, mask: u8 },
    /// MRS.
    MoveFromSpecial { rd: Register, special: u8 },
    /// CPSIE and CPSID.
    ChangeState { disable: bool, primask: bool, faultmask: bool },
    /// NOP, and every hint that the processor treats as one (DBG, the unallocated ones).
    Nop,
    /// YIELD, which a Cortex-M3 executes as a NOP.
    Yield,
    /// WFE.
    WaitForEvent,
    /// WFI.
    WaitForInterrupt,
    /// SEV.
    SendEvent,
    /// DSB.
    DataSynchronizationBarrier,
    /// DMB.
    DataMemoryBarrier,
    /// ISB.
    InstructionSynchronizationBarrier,
    /// SVC.
    SupervisorCall { immediate: u8 },
    /// BKPT.
    Breakpoint { immediate: u8 },
    /// An instruction of the DSP extension.
    Dsp(Dsp),
    /// An instruction of the floating-point extension. UsageFault NOCP, if there is no unit or
    /// CPACR denies the access.
    Float(Float),
    /// A coprocessor instruction: UsageFault NOCP on a processor without that coprocessor.
    Coprocessor { number: u8 },
    /// UDF and every unallocated encoding: UsageFault UNDEFINSTR.
    Undefined,
}
