//! Where branches through registers and tables go.

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::image::Image;
use quintet_sim::processor::instruction::{
    CompareOperation, Condition, Operand, Operation, Register,
};

use super::graph::{Block, Exit, Instruction};
use super::values::{Value, Values, word};
use super::words::constant_part;

/// A table has at most so many entries.
const TABLE_MAX: u32 = 512;

/// A comparison that bounds a table's index is at most so many bytes before it.
const COMPARED_BEFORE: u32 = 40;

/// A comparison is at most so many blocks before the table's branch.
const BLOCKS_BEFORE: usize = 3;

/// Targets that the code itself does not tell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Targets {
    /// Of calls and branches through registers that are known from elsewhere, by the address of the
    /// instruction.
    pub known: BTreeMap<u32, Vec<u32>>,
    /// Where handlers begin.
    pub entries: BTreeSet<u32>,
    /// The handler of supervisor calls, if the vector leads to code.
    pub supervisor: Option<u32>,
    /// A block ends behind each instruction that may change a mask.
    pub cuts_at_masks: bool,
}

impl Targets {
    /// The targets of the instruction, none if they are not known.
    pub fn of(&self, instruction: u32) -> Vec<u32> {
        self.known.get(&instruction).cloned().unwrap_or_default()
    }
}

/// Returns `true` if a block ends in a call or a branch, no return, through a register or a word of
/// memory.
pub fn is_through_register(block: &Block) -> bool {
    use Operation as O;
    let Some(last) = block.instructions.last() else { return false };
    let goes = matches!(block.exit, Exit::Calls { .. } | Exit::Leaves { .. } | Exit::Jumps { .. });
    let is_direct = matches!(
        last.operation(),
        O::Branch { .. } | O::BranchLink { .. } | O::CompareBranch { .. } | O::TableBranch { .. }
    );
    goes && !is_direct
}

/// The value that a branch through a register, or a load of the program counter, branches to.
pub fn register(image: &Image, instruction: &Instruction, values: &Values) -> Value {
    match instruction.operation() {
        Operation::BranchExchange { rm }
        | Operation::BranchLinkExchange { rm }
        | Operation::Move { operand: Operand::Register { rm, .. }, .. } => values.of(rm),
        Operation::Load { address, .. } => {
            let place = values.place(instruction, address.base, address.offset, address.indexing);
            word(image, place)
        }
        _ => Value::Unknown,
    }
}

/// The targets of TBB and TBH whose table mapping symbols end, or whose index is compared with a
/// constant right before; none if neither is seen.
pub fn table(
    image: &Image,
    instruction: &Instruction,
    before: &BTreeMap<u32, Instruction>,
) -> Vec<u32> {
    let Operation::TableBranch { half, base: Register::PC, index } = instruction.operation() else {
        return Vec::new();
    };
    let start = instruction.address.wrapping_add(4);
    let size = if half { 2 } else { 1 };
    let bytes = data_behind(image, start);
    let entries = bytes.map(|bytes| bytes / size).or_else(|| compared(instruction, index, before));
    let Some(entries) = entries.filter(|&entries| entries <= TABLE_MAX) else { return Vec::new() };
    let target = |entry: u32| {
        let halfwords = constant_part(image, start.wrapping_add(entry * size), half)?;
        Some(start.wrapping_add(2 * halfwords))
    };
    let targets: Option<Vec<u32>> = (0..entries).map(target).collect();
    let mut targets = targets.unwrap_or_default();
    // A byte that only fills the last halfword leads into the table.
    targets.retain(|target| target.wrapping_sub(start) >= entries * size);
    targets.sort_unstable();
    targets.dedup();
    targets
}

/// How many bytes of data there are from an address on, as mapping symbols say.
fn data_behind(image: &Image, start: u32) -> Option<u32> {
    let behind = image.mapping.partition_point(|mapping| mapping.address <= start);
    let at = behind.checked_sub(1).filter(|last| !image.mapping[*last].code)?;
    let end = image.mapping[at + 1..].iter().find(|mapping| mapping.code)?;
    Some(end.address.wrapping_sub(start))
}

/// The table branches, bounded by a comparison, that other code than this may lead to.
pub fn unsure_tables(image: &Image, blocks: &BTreeMap<u32, Block>) -> Vec<u32> {
    let mut before: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (start, block) in blocks {
        for next in block.exit.successors() {
            before.entry(next).or_default().push(*start);
        }
    }
    let is_table = |one: &Instruction| {
        let is_branch = matches!(one.operation(), Operation::TableBranch { .. });
        is_branch && data_behind(image, one.behind()).is_none()
    };
    let tables = blocks.iter().filter(|(_, block)| block.instructions.last().is_some_and(is_table));
    let mut unsure = Vec::new();
    for (start, block) in tables {
        let compares = |one: &Instruction| matches!(one.operation(), Operation::Compare { .. });
        let has_comparison = |start: u32| {
            blocks.get(&start).is_some_and(|block| block.instructions.iter().any(compares))
        };
        let mut at = *start;
        let mut is_sure = has_comparison(at);
        for _ in 0..BLOCKS_BEFORE {
            let [only] = before.get(&at).map_or(&[][..], Vec::as_slice) else { break };
            at = *only;
            is_sure |= has_comparison(at);
        }
        if !is_sure {
            unsure.extend(block.instructions.last().map(|last| last.address));
        }
    }
    unsure
}

/// How many values the index can have: CMP with a constant, and a branch on its flags that leads
/// elsewhere if the index is higher. Nothing in between writes the index.
fn compared(
    instruction: &Instruction,
    index: Register,
    before: &BTreeMap<u32, Instruction>,
) -> Option<u32> {
    let from = instruction.address.saturating_sub(COMPARED_BEFORE);
    let mut is_higher_elsewhere = false;
    for (_, earlier) in before.range(from..instruction.address).rev() {
        match earlier.operation() {
            Operation::Branch { condition: Condition(8), offset } => {
                let target = earlier.address.wrapping_add(4).wrapping_add_signed(offset);
                let is_between = (earlier.address..=instruction.address).contains(&target);
                is_higher_elsewhere = !is_between;
            }
            Operation::Compare {
                operation: CompareOperation::Cmp,
                rn,
                operand: Operand::Immediate { value, .. },
            } if rn == index && is_higher_elsewhere => {
                return value.checked_add(1);
            }
            // The branch looks at other flags.
            _ if earlier.facts.sets_flags => is_higher_elsewhere = false,
            _ => {}
        }
        let written = earlier.facts.results | earlier.facts.base;
        if written >> index.0 & 1 != 0 || ends(earlier) {
            return None;
        }
    }
    None
}

/// Returns `true` if execution never goes on behind it, or comes back changed.
fn ends(instruction: &Instruction) -> bool {
    match instruction.operation() {
        Operation::Branch { condition, .. } => condition.0 >= Condition::AL.0,
        Operation::BranchLink { .. }
        | Operation::BranchLinkExchange { .. }
        | Operation::BranchExchange { .. }
        | Operation::TableBranch { .. } => true,
        Operation::Load { rt, .. } => rt == Register::PC,
        Operation::LoadMultiple { registers, .. } => registers >> 15 != 0,
        _ => false,
    }
}
