//! The instructions of the DSP extension, which ARMv7E-M has beyond ARMv7-M.

use super::{Register, Shift, Size};

/// The end of a parallel addition or subtraction: the prefix of its mnemonic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// S and U: the result wraps around, and APSR.GE is set by lane.
    Flags,
    /// Q and UQ: the result saturates.
    Saturate,
    /// SH and UH: the result is halved.
    Halve,
}

/// The operation of a parallel instruction on the lanes of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// ADD16.
    Add16,
    /// ASX: the operand's halfwords exchanged, then the lower ones subtracted and the upper added.
    AddSubtract,
    /// SAX: the operand's halfwords exchanged, then the lower ones added and the upper subtracted.
    SubtractAdd,
    /// SUB16.
    Subtract16,
    /// ADD8.
    Add8,
    /// SUB8.
    Subtract8,
}

/// The part to extend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extension {
    /// One byte or halfword.
    One(Size),
    /// The bytes 0 and 2, each to a halfword.
    Pair,
}

/// An instruction of the DSP extension. An accumulator of `None` is the form that does not add.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields are the architecture manual's, under its names")]
pub enum Dsp {
    /// QADD, QSUB, and QDADD, QDSUB when `double`: of `rm` and `rn`.
    Saturating { double: bool, subtract: bool, rd: Register, rn: Register, rm: Register },
    /// SSAT16 and USAT16; `to` is the number of bits, 1-16 signed, 0-15 unsigned.
    Saturate16 { signed: bool, rd: Register, rn: Register, to: u8 },
    /// SADD16 to UHSUB8.
    Parallel {
        signed: bool,
        ending: Ending,
        lanes: Lanes,
        rd: Register,
        rn: Register,
        rm: Register,
    },
    /// SEL.
    Select { rd: Register, rn: Register, rm: Register },
    /// USAD8 and USADA8.
    AbsoluteDifferences { rd: Register, rn: Register, rm: Register, ra: Option<Register> },
    /// SXTAB, SXTAH, SXTB16, SXTAB16 and their unsigned forms, of `rm` rotated right by `rotation`.
    Extend {
        signed: bool,
        extension: Extension,
        rd: Register,
        rn: Option<Register>,
        rm: Register,
        rotation: u8,
    },
    /// PKHTB when `top` (the upper halfword is `rn`'s), PKHBT otherwise.
    Pack { top: bool, rd: Register, rn: Register, rm: Register, shift: Shift, amount: u8 },
    /// `SMUL<xy>` and `SMLA<xy>`.
    MultiplyHalves {
        n_top: bool,
        m_top: bool,
        rd: Register,
        rn: Register,
        rm: Register,
        ra: Option<Register>,
    },
    /// `SMULW<y>` and `SMLAW<y>`.
    MultiplyWordByHalf {
        m_top: bool,
        rd: Register,
        rn: Register,
        rm: Register,
        ra: Option<Register>,
    },
    /// `SMLAL<xy>`.
    MultiplyHalvesLong {
        n_top: bool,
        m_top: bool,
        rd_lo: Register,
        rd_hi: Register,
        rn: Register,
        rm: Register,
    },
    /// SMUAD, SMUSD, SMLAD and SMLSD, with `exchange` their X forms.
    MultiplyDual {
        subtract: bool,
        exchange: bool,
        rd: Register,
        rn: Register,
        rm: Register,
        ra: Option<Register>,
    },
    /// SMLALD and SMLSLD, with `exchange` their X forms.
    MultiplyDualLong {
        subtract: bool,
        exchange: bool,
        rd_lo: Register,
        rd_hi: Register,
        rn: Register,
        rm: Register,
    },
    /// SMMUL, SMMLA and SMMLS, with `round` their R forms.
    MultiplyHigh {
        subtract: bool,
        round: bool,
        rd: Register,
        rn: Register,
        rm: Register,
        ra: Option<Register>,
    },
    /// UMAAL.
    MultiplyAccumulateTwice { rd_lo: Register, rd_hi: Register, rn: Register, rm: Register },
}

impl Dsp {
    /// The registers that receive a result. Both are the same if there is only one.
    pub fn results(&self) -> [Register; 2] {
        match *self {
            Self::Saturating { rd, .. }
            | Self::Saturate16 { rd, .. }
            | Self::Parallel { rd, .. }
            | Self::Select { rd, .. }
            | Self::AbsoluteDifferences { rd, .. }
            | Self::Extend { rd, .. }
            | Self::Pack { rd, .. }
            | Self::MultiplyHalves { rd, .. }
            | Self::MultiplyWordByHalf { rd, .. }
            | Self::MultiplyDual { rd, .. }
            | Self::MultiplyHigh { rd, .. } => [rd; 2],
            Self::MultiplyHalvesLong { rd_lo, rd_hi, .. }
            | Self::MultiplyDualLong { rd_lo, rd_hi, .. }
            | Self::MultiplyAccumulateTwice { rd_lo, rd_hi, .. } => [rd_lo, rd_hi],
        }
    }
}
