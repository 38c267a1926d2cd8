//! A bound, its conditions, and the obstacles to it.

use std::collections::BTreeSet;

use quintet_sim::board::Board;

use super::annotations::Annotations;
use super::graph::Obstacle;
use super::observe::Observed;

/// The conditions of a bound besides the image.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// The board with the timing that counts.
    pub board: &'a Board,
    /// Where the vectors are.
    pub vector_table: u32,
    /// The statements of the user.
    pub annotations: &'a Annotations,
    /// The observations of a run. Bounds that rest on these are no bounds of all runs.
    pub observed: Option<&'a Observed>,
    /// The wait states that the program sets, of memories behind a cache or a prefetch. Without a
    /// number, the most wait states that the program can set count.
    pub wait_states: Option<u8>,
    /// BKPT takes no time, as in the simulator, where a tool serves the breakpoint at once.
    pub breakpoints_are_free: bool,
    /// A block ends behind each instruction that may change a mask, so that a section's bound has
    /// none of the cycles before and behind it.
    pub cuts_at_masks: bool,
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
    /// A mask that is set to a value that is not known.
    Unclear,
    /// A vector table that is not in the image, or a vector that leads out of it.
    NoVectors,
    /// Code that moves the vector table, or a table in memory that code can change.
    VectorsMove,
    /// A circle that goes round without its entries.
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
    /// `true` if the function returns.
    pub returns: bool,
    /// The most cycles from the first instruction to the instruction behind the call.
    pub cycles: Option<u64>,
    /// The most bytes of stack below the stack pointer at entry.
    pub stack: Option<u32>,
    /// The obstacles to a bound of the cycles.
    pub open_cycles: BTreeSet<Open>,
    /// The obstacles to a bound of the stack.
    pub open_stack: BTreeSet<Open>,
    /// Numbers that only a run has told: rounds of loops and targets of calls.
    pub observed: BTreeSet<Open>,
    /// The waits for an interrupt or event. The cycles are those in which the function is awake.
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
