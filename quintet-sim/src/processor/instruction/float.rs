//! The instructions of the floating-point extensions FPv4-SP and FPv5.
//!
//! Registers are numbered as singles, 0 to 31; the double Dn is the pair of S2n and S2n+1.

use super::{Condition, Register};

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
    MaxNum,
    MinNum,
}

/// The rounding of numbers that do not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To the nearest number, and to an even one if two are as near.
    Nearest,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero.
    TowardsZero,
    /// To the nearest number, and away from zero if two are as near.
    NearestAway,
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
    /// VMOV of a constant, already expanded: a single, or the upper word of a double.
    MoveImmediate { double: bool, sd: Single, value: u32 },
    /// VMRS; to PC are the flags to APSR.
    ReadStatus { rt: Register },
    /// VMSR.
    WriteStatus { rt: Register },
    /// VMOV, VABS, VNEG, VSQRT.
    Unary { double: bool, operation: Unary, sd: Single, sm: Single },
    /// VADD to VFNMS, VMAXNM and VMINNM.
    Binary { double: bool, operation: Binary, sd: Single, sn: Single, sm: Single },
    /// VCMP, and VCMPE with `quiet_is_invalid`. Without `sm`, the comparison is with zero.
    Compare { double: bool, quiet_is_invalid: bool, sd: Single, sm: Option<Single> },
    /// VCVT of a number without a point. An integer's source is `sm`, a fixed-point number's is
    /// `sd`. With `to_nearest`, the rounding mode doesn't matter.
    FromFixed { double: bool, fixed: Fixed, to_nearest: bool, sd: Single, sm: Single },
    /// VCVT to a number without a point, and VCVTA to VCVTM. VCVTR has no rounding of its own.
    ToFixed { double: bool, fixed: Fixed, rounding: Option<Rounding>, sd: Single, sm: Single },
    /// VCVTB and VCVTT.
    ConvertHalf { double: bool, to_half: bool, top: bool, sd: Single, sm: Single },
    /// VCVT between a single and a double.
    Resize { to_double: bool, sd: Single, sm: Single },
    /// VSEL.
    Select { double: bool, condition: Condition, sd: Single, sn: Single, sm: Single },
    /// VRINT. Only VRINTX, which is `exact`, reports a number that was not whole.
    RoundWhole { double: bool, rounding: Option<Rounding>, exact: bool, sd: Single, sm: Single },
    /// An instruction that no processor has: undefined, once the unit may be used at all.
    Undefined,
}

/// A floating-point unit: each has the instructions of those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatUnit {
    /// There is none.
    None,
    /// FPv4-SP, as in a Cortex-M4.
    Fpv4Single,
    /// FPv5-SP, as in a Cortex-M33.
    Fpv5Single,
    /// FPv5-D16, with double precision, as in a Cortex-M7.
    Fpv5Double,
}

impl Float {
    /// Returns the least unit that has the instruction, or `None` if no unit has it.
    pub const fn unit(&self) -> Option<FloatUnit> {
        match *self {
            Self::Undefined => None,
            Self::MoveImmediate { double: true, .. }
            | Self::Unary { double: true, .. }
            | Self::Binary { double: true, .. }
            | Self::Compare { double: true, .. }
            | Self::FromFixed { double: true, .. }
            | Self::ToFixed { double: true, .. }
            | Self::ConvertHalf { double: true, .. }
            | Self::Select { double: true, .. }
            | Self::RoundWhole { double: true, .. }
            | Self::Resize { .. } => Some(FloatUnit::Fpv5Double),
            Self::Select { .. }
            | Self::RoundWhole { .. }
            | Self::Binary { operation: Binary::MaxNum | Binary::MinNum, .. }
            | Self::ToFixed {
                rounding:
                    Some(Rounding::NearestAway | Rounding::Nearest | Rounding::Up | Rounding::Down),
                ..
            } => Some(FloatUnit::Fpv5Single),
            _ => Some(FloatUnit::Fpv4Single),
        }
    }

    /// Returns the cycles of an instruction that accesses no memory, by the table of the
    /// Cortex-M4's manual. Nobody has compared them with silicon here.
    pub const fn cycles(&self) -> u32 {
        match self {
            Self::Binary { operation: Binary::Div, .. }
            | Self::Unary { operation: Unary::SquareRoot, .. } => 14,
            Self::Binary {
                operation:
                    Binary::Add
                    | Binary::Sub
                    | Binary::Mul
                    | Binary::Nmul
                    | Binary::MaxNum
                    | Binary::MinNum,
                ..
            } => 1,
            Self::Binary { .. } => 3,
            Self::MoveWord { .. } | Self::MoveTwo { .. } => 2,
            _ => 1,
        }
    }
}
