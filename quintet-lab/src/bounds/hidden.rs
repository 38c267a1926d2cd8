//! Code that execution may reach by calls and branches whose targets are not known.
//!
//! A call goes to a function whose address the image has somewhere: in a word, in halves that
//! instructions put together, or as a distance from an instruction. The vectors don't count: only
//! exceptions use these. A branch may also go to code of the same function.

use std::collections::BTreeSet;

use quintet_sim::processor::instruction::Operation;

use super::bound::{Cause, Open};
use super::graph::{Block, Exit, Function, Obstacle};
use super::unseen;
use super::verdict::Analysis;

/// Returns `true` if a block ends in a call or branch to a function that is not known.
pub fn calls_anyone(block: &Block) -> bool {
    match &block.exit {
        Exit::Calls { callees, .. } | Exit::Leaves { callees, .. } => callees.is_empty(),
        _ => false,
    }
}

impl Analysis<'_> {
    /// The functions whose addresses are in the image.
    pub fn addressed(&self) -> BTreeSet<u32> {
        let mut words = BTreeSet::new();
        let vectors = 4 * (16 + u32::from(self.conditions.board.interrupts));
        for segment in &self.firmware.image.segments {
            let table = self.conditions.vector_table.wrapping_sub(segment.address);
            for (index, word) in segment.bytes.chunks_exact(4).enumerate() {
                let is_vector = (4 * index as u32).wrapping_sub(table) < vectors;
                if !is_vector && let Ok(bytes) = word.try_into() {
                    words.insert(u32::from_le_bytes(bytes));
                }
            }
        }
        let (mut low, mut high) = (BTreeSet::new(), BTreeSet::from([0]));
        let functions = self.program.functions.values();
        let blocks = functions.flat_map(|one| one.blocks.values());
        for instruction in blocks.flat_map(|block| &block.instructions) {
            match instruction.operation() {
                Operation::MoveWide { immediate, .. } => {
                    low.insert(immediate);
                }
                Operation::MoveTop { immediate, .. } => {
                    high.insert(immediate);
                }
                Operation::Adr { offset, .. } => {
                    let base = instruction.address.wrapping_add(4) & !3;
                    words.insert(base.wrapping_add_signed(offset));
                }
                _ => {}
            }
        }
        let is_addressed = |entry: &&u32| {
            let address = **entry | 1;
            let has = |half: u32, all: &BTreeSet<u16>| all.contains(&(half as u16));
            words.contains(&address)
                || words.contains(*entry)
                || has(address, &low) && has(address >> 16, &high)
        };
        self.program.functions.keys().filter(is_addressed).copied().collect()
    }

    /// The branches of a block that may lead to code of the function that is not known.
    pub fn hidden(&self, function: &Function, start: u32) -> Option<Open> {
        let is_here = |address: u32| {
            let block = function.blocks.range(..=address).next_back();
            block.is_some_and(|(block, _)| *block == start)
        };
        let mut obstacles = function.obstacles.iter();
        let (address, obstacle) = *obstacles.find(|(address, obstacle)| {
            *obstacle == Obstacle::IndirectBranch && is_here(*address)
        })?;
        let cause = Cause::Obstacle(obstacle);
        let is_unseen = !unseen::code(&self.firmware.image, function).is_empty();
        is_unseen.then_some(Open { function: function.entry, address, cause })
    }
}
