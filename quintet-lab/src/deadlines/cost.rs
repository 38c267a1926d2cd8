//! The most cycles of jobs, and the sources of these numbers.

use serde::Serialize;

/// Where a cost is known from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The longest of the run's: of the job that arrived then.
    Observed {
        /// When it arrived.
        arrival: u64,
    },
    /// The user says so.
    Declared,
    /// No run takes longer: it was computed from the code.
    Bounded,
}

impl Origin {
    /// The word for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Observed { .. } => "observed",
            Self::Declared => "declared",
            Self::Bounded => "bounded",
        }
    }
}

/// What a job takes at the most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    /// So many cycles.
    pub cycles: u64,
    /// Where that is known from.
    pub origin: Origin,
}
