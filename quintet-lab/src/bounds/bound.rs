//! What a bound is, what it depends on, and what can be in its way.

use std::collections::BTreeSet;

use quintet_sim::board::Board;

use super::annotations::Annotations;
use super::graph::Obstacle;
use super::observe::Observed;

/// What a bound depends on besides the image.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// The board whose timing counts.
    pub board: &'a Board,
    /// Where the vectors are.
    pub vector_table: u32,
    /// What the user says.
    pub annotations: &'a Annotations,
    /// What a run has shown. Bounds that rest on it are no bounds of all runs.
    pub observed: Option<&'a Observed>,
    /// Accesses through pointers may be unaligned.
    pub unaligned: bool,
    /// The wait states that the program sets of memories behind a cache or a prefetch; if that is
    /// not said, the most that it can set.
    pub wait_states: Option<u8>,
    /// BKPT takes no time, as in the simulator, where a tool serves it at once.
    pub breakpoints_are_free: bool,
}

/// Why there is no bound, and where.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Open {
    /// The function.
    pub function: u32,
    /// The instruction.
    pub address: u32,
    /// Why.
    pub cause: Cause,
}

/// Why there is no bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// A loop without a count.
    Loop,
    /// An entry of a circle that has several, without a count.
    Irreducible,
    /// A circle that does not go through the entries that it has.
    Tangled,
    /// A mask that is never lowered again.
    Masked,
    /// A function that calls itself, perhaps by others.
    Recursion,
    /// The pipeline can be in too many states.
    States,
    /// An instruction.
    Obstacle(Obstacle),
}

/// The bounds of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bound {
    /// Its first instruction.
    pub entry: u32,
    /// `true` if it returns.
    pub returns: bool,
    /// The most cycles from its first instruction to the one behind its call.
    pub cycles: Option<u64>,
    /// The most bytes of stack below where it begins.
    pub stack: Option<u32>,
    /// What is in the way of the cycles.
    pub open_cycles: BTreeSet<Open>,
    /// What is in the way of the stack.
    pub open_stack: BTreeSet<Open>,
    /// What only a run has told: rounds of loops and targets of calls.
    pub observed: BTreeSet<Open>,
    /// Where it waits for an interrupt or event: its cycles are those in which it is awake.
    pub waits: BTreeSet<Open>,
}

impl Bound {
    /// Returns `true` if both bounds hold for every run.
    pub fn is_bounded(&self) -> bool {
        let is_whole = self.observed.is_empty() && self.waits.is_empty();
        self.cycles.is_some() && self.stack.is_some() && is_whole
    }
}

/// A vector and its handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// The number of the exception.
    pub exception: u16,
    /// The handler's first instruction.
    pub entry: u32,
}

impl Obstacle {
    /// All obstacles hide cycles: where the stack pointer is set, other code may go on.
    pub fn hides_stack(self) -> bool {
        !matches!(self, Self::Waits | Self::Breakpoint | Self::Semihosting | Self::Float)
    }
}
