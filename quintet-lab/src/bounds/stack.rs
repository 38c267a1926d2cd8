//! The bytes of stack that a function needs itself. Each instruction is followed that changes the
//! stack pointer.

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::image::Image;
use quintet_sim::processor::instruction::{Operation, Register};

use super::graph::{Exit, Function, Instruction, Obstacle};
use super::values::{Value, Values};

/// The stack of a function without its callees.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// The most bytes below the stack pointer at entry.
    pub deepest: u32,
    /// The same where each call is, by the call's address.
    pub at_calls: BTreeMap<u32, u32>,
    /// Where the stack pointer cannot be followed.
    pub obstacles: BTreeSet<(u32, Obstacle)>,
}

/// Follows the stack pointer through a function. `values` holds the known values at the beginning
/// of each block.
pub fn frame(image: &Image, function: &Function, values: &BTreeMap<u32, Values>) -> Frame {
    let mut frame = Frame::default();
    for (start, block) in &function.blocks {
        let Some(mut values) = values.get(start).cloned() else { continue };
        for (index, instruction) in block.instructions.iter().enumerate() {
            let is_last = index + 1 == block.instructions.len();
            let before = depth(&values);
            if is_last && is_call(&block.exit) {
                frame.at_calls.insert(instruction.address, before.unwrap_or(0));
            }
            let leaves = matches!(block.exit, Exit::Returns { .. } | Exit::Leaves { .. });
            if is_last && leaves {
                // Where it goes elsewhere, the function's stack is no more.
                if !is_balanced(image, &values, instruction) {
                    frame.obstacles.insert((instruction.address, Obstacle::StackPointer));
                }
                break;
            }
            values.step(image, instruction);
            match depth(&values) {
                Some(depth) => frame.deepest = frame.deepest.max(depth),
                // Only the first one is named.
                None if before.is_some() => {
                    frame.obstacles.insert((instruction.address, Obstacle::StackPointer));
                }
                None => {}
            }
            if sets_pointer(instruction) {
                frame.obstacles.insert((instruction.address, Obstacle::StackPointer));
            }
        }
        if frame.obstacles.is_empty() && depth(&values).is_none() {
            frame.obstacles.insert((*start, Obstacle::StackPointer));
        }
    }
    frame
}

/// Returns `true` if the stack pointer at the function's end is that of the entry.
fn is_balanced(image: &Image, values: &Values, last: &Instruction) -> bool {
    let mut values = values.clone();
    values.step(image, &Instruction { conditional: false, ..*last });
    values.of(Register::SP) == Value::Stack(0)
}

fn is_call(exit: &Exit) -> bool {
    matches!(
        exit,
        Exit::Calls { .. } | Exit::Leaves { .. } | Exit::FallsInto(_) | Exit::Traps { .. }
    )
}

/// The distance of the stack pointer below its place at entry.
fn depth(values: &Values) -> Option<u32> {
    match values.of(Register::SP) {
        Value::Stack(distance) => Some(distance.saturating_neg().max(0) as u32),
        _ => None,
    }
}

/// MSR of MSP, PSP or CONTROL.
fn sets_pointer(instruction: &Instruction) -> bool {
    matches!(instruction.operation(), Operation::MoveToSpecial { special: 8 | 9 | 20, .. })
}
