//! How the timing is known: of a board by its file, of a core by this table.

use serde::{Deserialize, Serialize};

use super::Core;

/// A part of the timing, and how this part is known.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TimingBasis {
    /// The part, such as "wait states of flash".
    pub of: String,
    /// How the part is known.
    pub basis: Basis,
    /// The measurement, the section of a manual, or the assumption.
    pub source: String,
}

/// How a part of the timing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Compared with measurements on the chip, or for a core on a chip with that core.
    Measured,
    /// As the chip's or the core's manual says.
    Manual,
    /// Neither measured nor from a manual.
    Assumed,
    /// Not modelled: cycles say nothing about this part.
    NotTimed,
}

impl Basis {
    /// Returns the word for the basis, as in board files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Manual => "manual",
            Self::Assumed => "assumed",
            Self::NotTimed => "not-timed",
        }
    }
}

/// The part, how it is known, and the source.
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

const M7: [Known; 1] = [(
    "instructions and exceptions",
    Basis::NotTimed,
    "they take what a Cortex-M4 takes: two instructions at once, caches and branch prediction are \
     not modelled",
)];

const M33: [Known; 1] = [(
    "instructions and exceptions",
    Basis::NotTimed,
    "they take what a Cortex-M4 takes: Arm publishes no times, and none were measured",
)];

impl Core {
    /// Returns `true` if cycles say nothing about the core.
    pub const fn is_untimed(self) -> bool {
        matches!(self, Self::CortexM7 | Self::CortexM7Single | Self::CortexM33 | Self::CortexM33F)
    }

    /// Returns how the timing of the core is known.
    pub const fn timing(self) -> &'static [Known] {
        match self {
            Self::CortexM0 | Self::CortexM0Plus => &V6M,
            Self::CortexM3 => &M3,
            Self::CortexM4 | Self::CortexM4F => &M4,
            Self::CortexM7 | Self::CortexM7Single => &M7,
            Self::CortexM33 | Self::CortexM33F => &M33,
        }
    }
}
