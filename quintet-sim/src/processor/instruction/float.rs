//! The instructions of the floating-point extension FPv4-SP.
//!
//! Registers are numbered as singles, 0 to 31; the double Dn is the pair of S2n and S2n+1.

use super::Register;

/// A single-precision register, 0 to 31.
pub type Single = u8;

/// An operation on one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the architecture's mnemonics")]
pub enum Unary {
    Move,
    Absolute,
    Negate,
    SquareRoot,
}

/// An operation on two operands. If it accumulates, the destination is an operand too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the architecture's mnemonics")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Nmul,
    Div,
    Mla,
    Mls,
    Nmla,
    Nmls,
    Fma,
    Fms,
    Fnma,
    Fnms,
}

/// A number without a point, which a conversion reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixed {
    /// Two's complement.
    pub signed: bool,
    /// 16 bits rather than 32.
    pub half: bool,
    /// The number of its bits behind the point.
    pub fraction: u8,
}

/// An instruction of the floating-point extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields are the architecture manual's, under its names")]
pub enum Float {
    /// VLDR and VSTR of `words` singles; PC as a base is the literal form.
    Transfer { load: bool, first: Single, words: u8, base: Register, offset: i16 },
    /// VLDM, VSTM, VPUSH, VPOP. `bytes` is the change of the base. In the deprecated FLDMX and
    /// FSTMX, it is 4 more than the transferred bytes.
    Multiple {
        load: bool,
        first: Single,
        words: u8,
        bytes: u8,
        base: Register,
        decrement_before: bool,
        writeback: bool,
    },
    /// VMOV between a core register and a single, or half of a double.
    MoveWord { to_core: bool, single: Single, rt: Register },
    /// VMOV between two core registers and two singles, or a double.
    MoveTwo { to_core: bool, first: Single, rt: Register, rt2: Register },
    /// VMOV of a constant, already expanded.
    MoveImmediate { sd: Single, value: u32 },
    /// VMRS; to PC are the flags to APSR.
    ReadStatus { rt: Register },
    /// VMSR.
    WriteStatus { rt: Register },
    /// VMOV, VABS, VNEG, VSQRT.
    Unary { operation: Unary, sd: Single, sm: Single },
    /// VADD to VFNMS.
    Binary { operation: Binary, sd: Single, sn: Single, sm: Single },
    /// VCMP, and VCMPE with `quiet_is_invalid`. Without `sm`, the comparison is with zero.
    Compare { quiet_is_invalid: bool, sd: Single, sm: Option<Single> },
    /// VCVT of a number without a point. An integer's source is `sm`, a fixed-point number's is
    /// `sd`. With `to_nearest`, the rounding mode doesn't matter.
    FromFixed { fixed: Fixed, to_nearest: bool, sd: Single, sm: Single },
    /// VCVT to a number without a point, VCVTR unless `towards_zero`.
    ToFixed { fixed: Fixed, towards_zero: bool, sd: Single, sm: Single },
    /// VCVTB and VCVTT.
    ConvertHalf { to_half: bool, top: bool, sd: Single, sm: Single },
    /// An instruction that no processor with FPv4-SP has: undefined, once the unit may be used at
    /// all.
    Undefined,
}

impl Float {
    /// Returns the cycles of an instruction that accesses no memory, by the table of the
    /// Cortex-M4's manual. Nobody has compared them with silicon here.
    pub const fn cycles(&self) -> u32 {
        match self {
            Self::Binary { operation: Binary::Div, .. }
            | Self::Unary { operation: Unary::SquareRoot, .. } => 14,
            Self::Binary {
                operation: Binary::Add | Binary::Sub | Binary::Mul | Binary::Nmul,
                ..
            } => 1,
            Self::Binary { .. } => 3,
            Self::MoveWord { .. } | Self::MoveTwo { .. } => 2,
            _ => 1,
        }
    }
}
