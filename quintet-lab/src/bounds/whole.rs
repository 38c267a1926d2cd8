//! The functions of an image as a whole: which call which, which return, which are handlers.

use std::collections::BTreeSet;

use quintet_sim::image::Image;
use quintet_sim::processor::Architecture;

use super::bound::Conditions;
use super::graph::{Block, Exit, Function, Instruction, Obstacle, Program};
use super::knowledge::{self, Known};
use super::steps::Steps;
use super::targets::{self, Targets};
use super::values::{Value, Values};
use super::vectors::Vectors;
use super::words::constant_word;
use crate::firmware::Firmware;
use crate::firmware::code::halfword;

/// The exception of SVC.
const SUPERVISOR_CALL: u16 = 11;

/// Targets that become known make others known; so often at most.
const RESOLVED_MAX: usize = 4;

/// The image as a whole.
pub struct Whole {
    /// The functions, with all targets of calls that constants, annotations and a run tell.
    pub program: Program,
    /// What is known of registers.
    pub values: Known,
    /// The handlers.
    pub vectors: Vectors,
    /// The calls that only a run has told.
    pub told: BTreeSet<u32>,
}

/// Finds the functions of the image.
pub fn resolved(
    firmware: &Firmware,
    conditions: &Conditions<'_>,
    architecture: Architecture,
) -> anyhow::Result<Whole> {
    let mut vectors = Vectors::at_reset(firmware, conditions);
    let entries = vectors.handlers.iter().map(|(handler, _)| handler.entry).collect();
    let supervisor = vectors.handler(SUPERVISOR_CALL);
    let mut known = Targets { supervisor, entries, ..Targets::default() };
    let mut told = BTreeSet::new();
    let mut program = Program::new(&firmware.image, architecture, &known);
    for _ in 0..RESOLVED_MAX {
        let values = knowledge::of_program(&firmware.image, &program);
        let before = known.known.len();
        for (entry, start, block) in open_calls(&program) {
            let Some(last) = block.instructions.last() else { continue };
            let mut targets = match values.get(&(entry, start)) {
                Some(values) => constant_target(firmware, block, values.clone()),
                None => Vec::new(),
            };
            if targets.is_empty() {
                targets = conditions.annotations.targets(firmware, entry, last.address)?;
            }
            let seen = conditions.observed.and_then(|seen| seen.targets.get(&last.address));
            if let (true, Some(seen)) = (targets.is_empty(), seen) {
                targets.extend(seen);
                told.insert(last.address);
            }
            if !targets.is_empty() {
                known.known.insert(last.address, targets);
            }
        }
        if known.known.len() == before {
            break;
        }
        program = Program::new(&firmware.image, architecture, &known);
    }
    let mut values = knowledge::of_program(&firmware.image, &program);
    vectors.open.extend(vectors.moved(firmware, conditions, (&program, &values)));
    if !vectors.open.is_empty() && known.supervisor.take().is_some() {
        program = Program::new(&firmware.image, architecture, &known);
        values = knowledge::of_program(&firmware.image, &program);
    }
    Ok(Whole { program, values, vectors, told })
}

/// Where the branch at the end of a block goes, if its register holds a constant there, or a word
/// of a table of constants.
fn constant_target(firmware: &Firmware, block: &Block, mut values: Values) -> Vec<u32> {
    let Some((last, body)) = block.instructions.split_last() else { return Vec::new() };
    body.iter().for_each(|instruction| values.step(&firmware.image, instruction));
    match targets::register(&firmware.image, last, &values) {
        Value::Constant(target) => vec![target & !1],
        Value::Word(places) => table_targets(&firmware.image, places),
        _ => Vec::new(),
    }
}

/// The functions of a table. A branch to an even word, such as a null pointer, is a fault.
fn table_targets(image: &Image, places: Steps) -> Vec<u32> {
    let places = places.all(u32::MAX).into_iter().flatten();
    let words = places.filter_map(|place| constant_word(image, place));
    let targets: BTreeSet<u32> = words.filter(|word| word & 1 != 0).map(|word| word & !1).collect();
    let are_code = targets.iter().all(|target| halfword(image, *target).is_some());
    if are_code { targets.into_iter().collect() } else { Vec::new() }
}

/// The blocks that end in a call or a branch whose target is not known.
fn open_calls(program: &Program) -> Vec<(u32, u32, &Block)> {
    let functions = program.functions.values();
    let blocks = functions.flat_map(|function| {
        function.blocks.iter().map(|(start, block)| (function.entry, *start, block))
    });
    let is_open = |block: &Block| match &block.exit {
        Exit::Calls { callees, .. } | Exit::Leaves { callees, .. } => callees.is_empty(),
        _ => false,
    };
    blocks.filter(|(_, _, block)| is_open(block)).collect()
}

/// The functions that return: those with a way to a return on which all calls return. A call of a
/// function that is not known is taken to return.
pub fn returning(program: &Program) -> BTreeSet<u32> {
    let mut returning = BTreeSet::new();
    loop {
        let before = returning.len();
        for function in program.functions.values() {
            if !returning.contains(&function.entry) && can_return(function, &returning) {
                returning.insert(function.entry);
            }
        }
        if returning.len() == before {
            return returning;
        }
    }
}

fn can_return(function: &Function, returning: &BTreeSet<u32>) -> bool {
    let any =
        |callees: &[u32]| callees.is_empty() || callees.iter().any(|one| returning.contains(one));
    let (mut seen, mut left) = (BTreeSet::new(), vec![function.entry]);
    while let Some(start) = left.pop() {
        let Some(block) = function.blocks.get(&start).filter(|_| seen.insert(start)) else {
            continue;
        };
        match &block.exit {
            Exit::Returns { .. } => return true,
            Exit::Leaves { callees, .. } if any(callees) => return true,
            Exit::FallsInto(callee) if returning.contains(callee) => return true,
            Exit::Calls { callees, then, falls } if *falls || any(callees) => left.push(*then),
            Exit::Calls { .. } => {}
            Exit::Traps { handler, then } => {
                if handler.is_none_or(|one| returning.contains(&one)) {
                    left.push(*then);
                }
            }
            Exit::Jumps { to, .. } if to.is_empty() => return true,
            Exit::Stops if is_unknown(function, block) => return true,
            exit => left.extend(exit.successors()),
        }
    }
    false
}

/// Returns `true` if the code behind a block is not known: the block may return.
pub fn is_unknown(function: &Function, block: &Block) -> bool {
    let last = block.instructions.last().map_or(0, |last| last.address);
    let behind = block.instructions.last().map_or(0, Instruction::behind);
    [last, behind].iter().any(|address| {
        let unknown = [Obstacle::NoCode, Obstacle::NoInstruction, Obstacle::IndirectBranch];
        unknown.iter().any(|obstacle| function.obstacles.contains(&(*address, *obstacle)))
    })
}
