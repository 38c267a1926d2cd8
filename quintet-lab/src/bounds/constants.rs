//! Branches through registers whose targets constants tell.
//!
//! What is known of a register depends on all ways that lead to its branch, and each branch whose
//! targets become known adds ways. So the targets are looked at again with the values of the whole
//! program, until they are those that its ways lead to. They grow on the way: of a branch that
//! leaves what constants tell, none are known any more, so this ends.

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::image::{Image, SymbolKind};
use quintet_sim::processor::instruction::Operation;

use super::graph::{Block, Instruction, Program};
use super::knowledge::Known;
use super::steps::Steps;
use super::targets;
use super::values::{Value, Values};
use super::words::constant_word;
use crate::firmware::code::halfword;

/// So often, targets may grow and become known. Later, what changes is not known.
const ROUNDS_MAX: usize = 8;

/// A register holds one of so many functions, at most.
const FEW_MAX: u32 = 4;

/// The targets that constants tell.
#[derive(Debug, Default)]
pub struct Constants {
    /// By the address of the instruction.
    pub targets: BTreeMap<u32, BTreeSet<u32>>,
    /// Branches that led to constants, and to something else when more ways were known.
    given_up: BTreeSet<u32>,
    rounds: usize,
}

impl Constants {
    /// Looks at all branches of a program, with the values of the whole of it. What is left
    /// unchanged by this holds: the targets are all that these values have, with the ways to these
    /// targets among those of the program.
    pub fn look(&mut self, image: &Image, program: &Program, known: &Known) {
        self.rounds += 1;
        let mut found: BTreeMap<u32, Option<BTreeSet<u32>>> = BTreeMap::new();
        for (entry, start, block) in register_branches(program) {
            // No known way leads to a block without values.
            let Some(values) = known.get(&(entry, start)) else { continue };
            let Some(last) = block.instructions.last() else { continue };
            let here = constant_targets(image, block, values.clone());
            // Functions may share code.
            match (found.entry(last.address).or_insert_with(|| Some(BTreeSet::new())), here) {
                (Some(all), Some(here)) => all.extend(here),
                (all, _) => *all = None,
            }
        }
        for (branch, all) in found {
            if self.given_up.contains(&branch) {
                continue;
            }
            let before = self.targets.get(&branch);
            let is_late = self.rounds > ROUNDS_MAX;
            match all {
                Some(all) if before.is_some_and(|before| all.is_subset(before)) => {}
                Some(all) if !is_late => self.targets.entry(branch).or_default().extend(all),
                None if before.is_none() && !is_late => {}
                _ => {
                    self.targets.remove(&branch);
                    self.given_up.insert(branch);
                }
            }
        }
    }
}

/// The blocks that end in a call or a branch through a register or a word of memory, with their
/// functions. Returns are none of these.
pub fn register_branches(program: &Program) -> impl Iterator<Item = (u32, u32, &Block)> {
    let functions = program.functions.values();
    let blocks = functions.flat_map(|function| {
        function.blocks.iter().map(|(start, block)| (function.entry, *start, block))
    });
    blocks.filter(|(_, _, block)| targets::is_through_register(block))
}

/// Where the branch at the end of a block goes, if its register holds a constant there, or a word
/// of a table of constants.
fn constant_targets(image: &Image, block: &Block, mut values: Values) -> Option<BTreeSet<u32>> {
    let (last, body) = block.instructions.split_last()?;
    body.iter().for_each(|instruction| values.step(image, instruction));
    match targets::register(image, last, &values) {
        Value::Constant(target) => Some(BTreeSet::from([target & !1])),
        Value::Steps(few) => few_targets(image, few),
        Value::Word(places) => table_targets(image, last, places),
        _ => None,
    }
}

/// The functions of which a register holds one: a function that two ways choose.
fn few_targets(image: &Image, few: Steps) -> Option<BTreeSet<u32>> {
    let is_function = |address: u32| {
        let mut functions = image.symbols.iter().filter(|one| one.kind == SymbolKind::Function);
        address & 1 != 0 && functions.any(|one| one.address & !1 == address & !1)
    };
    let all: Vec<u32> = few.all(FEW_MAX)?.collect();
    let are_functions = all.iter().all(|address| is_function(*address));
    are_functions.then(|| all.into_iter().map(|address| address & !1).collect())
}

/// The functions of a table. A branch to an even word, such as a null pointer, is a fault; only a
/// move to the program counter ignores the lowest bit.
fn table_targets(image: &Image, last: &Instruction, places: Steps) -> Option<BTreeSet<u32>> {
    let is_move = matches!(last.operation(), Operation::Move { .. });
    let places = places.all(u32::MAX).into_iter().flatten();
    let words = places.filter_map(|place| constant_word(image, place));
    let words = words.filter(|word| is_move || word & 1 != 0);
    let targets: BTreeSet<u32> = words.map(|word| word & !1).collect();
    let are_code = targets.iter().all(|target| halfword(image, *target).is_some());
    Some(targets).filter(|targets| are_code && !targets.is_empty())
}
