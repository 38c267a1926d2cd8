//! How what matters for time is known: of a board by its file, of a core by this table.

use serde::Deserialize;

use super::Core;

/// One thing that matters for time, and how it is known.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimingBasis {
    /// What is meant, as "wait states of flash".
    pub of: String,
    /// How it is known.
    pub basis: Basis,
    /// By which measurement or which section of which manual; what is assumed.
    pub source: String,
}

/// How something about time is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Compared with measurements on the chip, or for a core on a chip with that core.
    Measured,
    /// As the chip's or the core's manual says.
    Manual,
    /// Neither measured nor from a manual.
    Assumed,
    /// Not modelled: cycles say nothing about it.
    NotTimed,
}

impl Basis {
    /// The word for it, as in board files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Manual => "manual",
            Self::Assumed => "assumed",
            Self::NotTimed => "not-timed",
        }
    }
}

/// What is meant, how it is known, and by what.
type Known = (&'static str, Basis, &'static str);

const V6M: [Known; 2] = [
    ("instructions", Basis::Manual, "a table of the core's manual; no sequence was measured"),
    (
        "exceptions",
        Basis::Manual,
        "interrupt to handler as in the manual; returns and tail-chaining are assumed",
    ),
];
const M3: [Known; 2] = [
    ("instructions", Basis::Measured, "on an STM32F100 and a CC2650: quintet validate"),
    ("exceptions", Basis::Measured, "on an STM32F100, without wait states: quintet validate"),
];
const M4: [Known; 3] = [
    ("integer instructions", Basis::Measured, "on a CC2652R: quintet validate"),
    ("DSP and floating-point instructions", Basis::Manual, "a table of the core's manual"),
    (
        "exceptions",
        Basis::Assumed,
        "as measured on a Cortex-M3; saving registers of the FPU: manual",
    ),
];

const M33: [Known; 1] = [(
    "instructions and exceptions",
    Basis::NotTimed,
    "they take what a Cortex-M4 takes: Arm publishes no times, and none were measured",
)];

impl Core {
    /// Whether cycles say nothing about the core.
    pub const fn is_untimed(self) -> bool {
        matches!(self, Self::CortexM33 | Self::CortexM33F)
    }

    /// How the timing of the core is known.
    pub const fn timing(self) -> &'static [Known] {
        match self {
            Self::CortexM0 | Self::CortexM0Plus => &V6M,
            Self::CortexM3 => &M3,
            Self::CortexM4 | Self::CortexM4F => &M4,
            Self::CortexM33 | Self::CortexM33F => &M33,
        }
    }
}
