//! What an instruction tells the pipeline, in 64 bits that are compared at once.

use super::places::Places;
use crate::timing::{Direction, Facts, Pipeline};

const ISSUED: u32 = 1 << 0;
const PASSED: u32 = 1 << 1;
const CONDITIONAL: u32 = 1 << 2;
const REDIRECTED: u32 = 1 << 3;
const MASKED: u32 = 1 << 4;
const BUSY: u32 = 1 << 5;
const WRITES: u32 = 1 << 6;
/// The number of accesses, of five bits.
const ONE_ACCESS: u32 = 1 << 8;
const ACCESSES: u32 = 31 * ONE_ACCESS;
/// Eight bits each.
const CYCLES: u32 = 16;
const PLACE: u32 = 24;

/// What an instruction has told so far.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Inputs {
    bits: u32,
    target: u32,
}

impl Inputs {
    /// No instruction.
    pub const NONE: Self = Self { bits: 0, target: 0 };

    /// What no instruction tells.
    pub const IMPOSSIBLE: Self = Self { bits: u32::MAX, target: u32::MAX };

    /// An instruction that was issued.
    #[inline(always)]
    pub fn of(passed: bool, conditional: bool) -> Self {
        let passed = PASSED * u32::from(passed);
        let conditional = CONDITIONAL * u32::from(conditional);
        Self { bits: ISSUED | passed | conditional, target: 0 }
    }

    /// An access in one of the places. Returns `false` if this form has no room for it.
    #[inline(always)]
    pub fn access(&mut self, place: u8, direction: Direction) -> bool {
        let write = WRITES * u32::from(direction == Direction::Write);
        let kind = u32::from(place) << PLACE | write;
        let count = self.bits & ACCESSES;
        if count == 0 {
            self.bits |= kind;
        } else if self.bits & (0xff << PLACE | WRITES) != kind || count == ACCESSES {
            return false;
        }
        self.bits += ONE_ACCESS;
        true
    }

    /// The instruction takes `cycles` in the execute stage, at most 255.
    #[inline]
    pub fn busy(&mut self, cycles: u32) {
        self.bits |= BUSY | (cycles & 0xff) << CYCLES;
    }

    /// The instruction sets a mask that was clear.
    pub fn set_mask(&mut self) {
        self.bits |= MASKED;
    }

    /// Execution goes on at `target`. Returns `false` if it already went elsewhere.
    #[inline(always)]
    pub fn redirect(&mut self, target: u32) -> bool {
        let is_first = self.bits & REDIRECTED == 0;
        if is_first {
            self.bits |= REDIRECTED;
            self.target = target;
        }
        is_first
    }

    /// Tells a pipeline all of it, in the order in which any instruction does.
    pub fn tell(self, pipeline: &mut Pipeline, address: u32, facts: &Facts, places: &Places) {
        let is = |bit| self.bits & bit != 0;
        if !is(ISSUED) {
            return;
        }
        pipeline.issue(address, facts, is(PASSED), is(CONDITIONAL));
        let direction = if is(WRITES) { Direction::Write } else { Direction::Read };
        for _ in 0..(self.bits & ACCESSES) / ONE_ACCESS {
            pipeline.data(places.address((self.bits >> PLACE) as u8), direction);
        }
        if is(BUSY) {
            pipeline.busy(self.bits >> CYCLES & 0xff);
        }
        if is(MASKED) {
            pipeline.set_mask();
        }
        if is(REDIRECTED) {
            pipeline.redirect(self.target);
        }
    }
}
