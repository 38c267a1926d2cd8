//! The accesses to memory of the floating-point unit: by its instructions, and for the frames of
//! exceptions.
//!
//! ```text
//!  interrupted code used the unit ──> entry   puts 17 words off, or writes them at once
//!  handler's first instruction of the unit ──> writes what was put off
//!  return ──> reads them
//! ```
//!
//! Which of these happens depends on the interrupted code. Each instruction of the unit may be the
//! first one in its handler, so each is tried with and without these accesses.

use quintet_sim::processor::instruction::float::Float;
use quintet_sim::processor::instruction::{Indexing, Offset};
use quintet_sim::timing::{Direction, Pipeline};

use super::graph::Instruction;
use super::values::{Value, Values};

/// S0 to S15 and FPSCR.
pub const CONTEXT_WORDS: u32 = 17;

/// The words that an instruction loads or stores: the place of the first, which way, and how many.
pub fn access(
    operation: &Float,
    instruction: &Instruction,
    values: &Values,
) -> Option<(Value, Direction, u32)> {
    let direction = |load| if load { Direction::Read } else { Direction::Write };
    match *operation {
        Float::Transfer { load, words, base, offset, .. } => {
            let offset = Offset::Immediate(offset.into());
            let place = values.place(instruction, base, offset, Indexing::Offset);
            Some((place, direction(load), words.into()))
        }
        Float::Multiple { load, words, bytes, base, decrement_before, .. } => {
            let place = values.lowest(base, bytes.into(), decrement_before);
            Some((place, direction(load), words.into()))
        }
        _ => None,
    }
}

/// The states in front of what an instruction does itself: nothing was put off, or it is written
/// now to one of the stacks.
pub fn settled(issued: &Pipeline, stacks: &[u32]) -> Vec<Pipeline> {
    let saved = stacks.iter().map(|&stack| {
        let mut pipeline = issued.clone();
        context(&mut pipeline, stack, Direction::Write);
        pipeline
    });
    std::iter::once(issued.clone()).chain(saved).collect()
}

/// The words of the unit in an exception's frame.
pub fn context(pipeline: &mut Pipeline, stack: u32, direction: Direction) {
    for word in 0..CONTEXT_WORDS {
        pipeline.data(stack.wrapping_add(4 * word), direction);
    }
}
