//! The stages before the decoder, in the two shapes that the variants have.

use super::World;
use super::compressed::Compressed;
use super::instructions::InstructionCache;
use super::slot::Slot;
use super::two_cycles::TwoCycles;

/// What the stages behind ask of the front end in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// What is in the decoder stays.
    pub is_stuck: bool,
    /// What is in the decoder is dropped.
    pub is_removed: bool,
    /// What follows the decoder's instruction is dropped.
    pub drops_next: bool,
    /// What a stage sends the fetches to.
    pub jump: Option<u32>,
    /// A stage drops what follows it.
    pub is_flushed: bool,
    /// No fetch begins.
    pub is_halted: bool,
    /// FENCE.I is in the decoder.
    pub flushes_cache: bool,
}

/// What is in the decoder.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decoding {
    pub slot: Option<Slot>,
    /// Its fetch was refused, and nothing else is wrong.
    pub is_refused: bool,
}

/// The counter of fetches, which both shapes have.
#[derive(Clone, Debug)]
pub struct Counter {
    pub pc: u32,
    increments: bool,
    booted: bool,
}

/// What a cycle means for the counter.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Where to fetch anew what is missing.
    pub again: Option<u32>,
    pub jump: Option<u32>,
    pub is_halted: bool,
    /// The next stage can take a fetch, and the cache does not halt.
    pub is_ready: bool,
    /// The next stage can take something.
    pub moves: bool,
}

impl Counter {
    pub fn new(start: u32) -> Self {
        Self { pc: start, increments: false, booted: false }
    }

    /// Does the work of a cycle; returns the address that is fetched, if one is.
    pub fn clock(&mut self, step: Step, mask: u32) -> Option<u32> {
        let mut pc = if self.increments { (self.pc & !3).wrapping_add(4) } else { self.pc };
        if let Some(again) = step.again {
            pc = again;
        }
        if let Some(jump) = step.jump {
            pc = jump;
        }
        pc &= mask;
        let is_corrected = step.again.is_some() || step.jump.is_some();
        let is_valid = !step.is_halted && self.booted;
        if self.booted && (step.is_ready || is_corrected || step.moves) {
            self.pc = pc;
        }
        if is_corrected || step.moves {
            self.increments = false;
        }
        if step.is_ready {
            self.increments = is_valid;
        }
        self.booted = true;
        (is_valid && step.is_ready).then_some(pc)
    }
}

/// A front end.
#[derive(Clone, Debug)]
pub enum FrontEnd {
    /// With compressed instructions: a fetch takes a cycle.
    Compressed(Compressed),
    /// Without them: a fetch takes two.
    TwoCycles(TwoCycles),
}

impl FrontEnd {
    pub fn decoding(&self) -> Decoding {
        match self {
            Self::Compressed(it) => it.decoding(),
            Self::TwoCycles(it) => it.decoding(),
        }
    }

    /// Does the work of a cycle.
    pub fn clock(&mut self, asked: Asked, cache: &mut InstructionCache, world: &mut impl World) {
        match self {
            Self::Compressed(it) => it.clock(asked, cache, world),
            Self::TwoCycles(it) => it.clock(asked, cache, world),
        }
    }
}
