//! What an instruction of the floating-point unit costs, by the simulator's table for a Cortex-M4.
//!
//! ```text
//!  interrupted code used the unit ──> entry   puts 17 words off, or writes them at once
//!  handler's first instruction of the unit ──> writes what was put off
//!  return ──> reads them
//! ```
//!
//! Which of these happens depends on what was interrupted, so each instruction of the unit may come
//! first in its handler, and each is tried with and without these accesses.

use quintet_sim::processor::instruction::float::{Binary, Float, Unary};
use quintet_sim::processor::instruction::{Indexing, Offset};
use quintet_sim::timing::{Direction, Pipeline};

use super::graph::Instruction;
use super::values::{Value, Values};

/// S0 to S15 and FPSCR.
pub const CONTEXT_WORDS: u32 = 17;

/// The cycles of an instruction that accesses no memory.
pub fn cycles(operation: &Float) -> u32 {
    match operation {
        Float::Binary { operation: Binary::Div, .. }
        | Float::Unary { operation: Unary::SquareRoot, .. } => 14,
        Float::Binary {
            operation: Binary::Add | Binary::Sub | Binary::Mul | Binary::Nmul, ..
        } => 1,
        Float::Binary { .. } => 3,
        Float::MoveWord { .. } | Float::MoveTwo { .. } => 2,
        _ => 1,
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::processor::instruction::Register;

    #[test]
    fn the_slowest_are_division_and_square_root() {
        let binary = |operation| Float::Binary { operation, sd: 0, sn: 1, sm: 2 };
        let all = [Binary::Div, Binary::Mla, Binary::Fma, Binary::Add].map(binary);
        assert_eq!(all.each_ref().map(cycles), [14, 3, 3, 1]);
        let rt = Register(0);
        assert_eq!(cycles(&Float::MoveWord { to_core: true, single: 0, rt }), 2);
        assert_eq!(cycles(&Float::Unary { operation: Unary::SquareRoot, sd: 0, sm: 0 }), 14);
    }
}
