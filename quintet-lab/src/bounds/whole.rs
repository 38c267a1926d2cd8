//! The functions of an image as a whole: which call which, which return, which are handlers.

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::processor::Architecture;

use super::bound::Conditions;
use super::constants::{Constants, register_branches};
use super::graph::{Block, Exit, Function, Instruction, Obstacle, Program};
use super::knowledge::{self, Known, Unresolved};
use super::targets::Targets;
use super::vectors::Vectors;
use crate::firmware::Firmware;

/// The exception of SVC.
const SUPERVISOR_CALL: u16 = 11;

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
    let cuts_at_masks = conditions.cuts_at_masks;
    let mut known = Targets { supervisor, entries, cuts_at_masks, ..Targets::default() };
    let (mut constants, mut others) = (Constants::default(), Others::default());
    let (mut program, mut values);
    // Nearly all branches are open at first, and would hide what is known for others.
    let mut open = Unresolved::Nowhere;
    loop {
        program = Program::new(&firmware.image, architecture, &known);
        values = knowledge::of_program(&firmware.image, &program, open);
        constants.look(&firmware.image, &program, &values);
        others.look(firmware, conditions, (&program, &constants))?;
        let mut targets = others.targets.clone();
        let of_constants = constants.targets.iter();
        targets.extend(of_constants.map(|(branch, all)| (*branch, all.iter().copied().collect())));
        if targets == known.known {
            if open == Unresolved::Anywhere {
                break;
            }
            open = Unresolved::Anywhere;
        }
        known.known = targets;
    }
    vectors.open.extend(Vectors::moved(firmware, conditions, (&program, &values)));
    if !vectors.open.is_empty() && known.supervisor.take().is_some() {
        program = Program::new(&firmware.image, architecture, &known);
        values = knowledge::of_program(&firmware.image, &program, open);
    }
    let told = others.told.into_iter().filter(|one| !constants.targets.contains_key(one)).collect();
    Ok(Whole { program, values, vectors, told })
}

/// Targets that constants do not tell. What is known once stays.
#[derive(Default)]
struct Others {
    /// By annotations or by a run.
    targets: BTreeMap<u32, Vec<u32>>,
    /// By a run.
    told: BTreeSet<u32>,
}

impl Others {
    fn look(
        &mut self,
        firmware: &Firmware,
        conditions: &Conditions<'_>,
        (program, constants): (&Program, &Constants),
    ) -> anyhow::Result<()> {
        for (entry, _, block) in register_branches(program) {
            let Some(last) = block.instructions.last().map(|last| last.address) else { continue };
            if self.targets.contains_key(&last) || constants.targets.contains_key(&last) {
                continue;
            }
            let mut targets = conditions.annotations.targets(firmware, entry, last)?;
            let seen = conditions.observed.and_then(|seen| seen.targets.get(&last));
            if let (true, Some(seen)) = (targets.is_empty(), seen) {
                targets.extend(seen);
                self.told.insert(last);
            }
            if !targets.is_empty() {
                self.targets.insert(last, targets);
            }
        }
        Ok(())
    }
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
