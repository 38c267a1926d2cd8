//! The loops of a function, and how often they go round where the code itself tells.
//!
//! A loop is natural: one block, the head, is executed before all others. The *count* of a loop
//! says how often the head is executed each time the loop is entered. The count is known where a
//! register begins with a constant, changes by a constant once a round, and is compared with a
//! constant once a round.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graphmap::DiGraphMap;
use quintet_sim::image::Image;
use quintet_sim::processor::instruction::{
    AluOperation, CompareOperation, Condition, Indexing, Offset, Operand, Operation, Register,
};

use super::graph::{Block, Exit, Function, Instruction};
use super::values::{HOST_CHANGES, Value, Values};

/// A count above this is not looked for.
const COUNT_MAX: u64 = 1 << 22;

/// R0 to R3 and R12, which a call may change.
const CALL_CHANGES: u16 = 0x100f;

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The block that is executed first.
    pub head: u32,
    /// All its blocks.
    pub blocks: BTreeSet<u32>,
    /// The blocks that lead back to the head.
    pub latches: BTreeSet<u32>,
    /// How often the head is executed each time the loop is entered, at most.
    pub count: Option<u64>,
    /// The loop goes round once more for each interruption: a store-exclusive fails then.
    pub retries: bool,
}

/// A circle that is entered at several blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Knot {
    /// All its blocks.
    pub blocks: BTreeSet<u32>,
    /// Those at which it is entered.
    pub heads: BTreeSet<u32>,
}

/// Returns `true` if a loop loads exclusively.
pub fn has_exclusive_load(function: &Function, one: &Loop) -> bool {
    let blocks = one.blocks.iter().filter_map(|start| function.blocks.get(start));
    let mut all = blocks.flat_map(|block| &block.instructions);
    all.any(|one| matches!(one.operation(), Operation::LoadExclusive { .. }))
}

/// The loops of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loops {
    /// Inner loops before those that they are in.
    pub loops: Vec<Loop>,
    /// Circles that are left when the ways back to heads are taken away.
    pub knots: Vec<Knot>,
}

impl Loops {
    /// The blocks that counts are of.
    pub fn heads(&self) -> impl Iterator<Item = u32> {
        let of_knots = self.knots.iter().flat_map(|knot| knot.heads.iter().copied());
        self.loops.iter().map(|one| one.head).chain(of_knots)
    }
}

/// Finds the loops among the edges of a function, and their counts. `values` holds the known values
/// of registers at the beginning of each block.
pub fn find(
    image: &Image,
    function: &Function,
    edges: &BTreeSet<(u32, u32)>,
    values: &BTreeMap<u32, Values>,
) -> Loops {
    let mut graph = DiGraphMap::<u32, ()>::new();
    graph.add_node(function.entry);
    for &(from, to) in edges {
        graph.add_edge(from, to, ());
    }
    let dominators = simple_fast(&graph, function.entry);
    let mut heads: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for &(from, to) in edges {
        if dominates(&dominators, to, from) {
            heads.entry(to).or_default().insert(from);
        }
    }
    let mut loops: Vec<Loop> = Vec::new();
    for (head, latches) in heads {
        let blocks = body(&graph, head, &latches);
        loops.push(Loop { head, blocks, latches, count: None, retries: false });
    }
    loops.sort_by_key(|one| one.blocks.len());
    let knots = knots(&graph, function.entry, edges, &dominators);
    let counts: Vec<(Option<u64>, bool)> = (0..loops.len())
        .map(|index| {
            let inner: BTreeSet<u32> = inner_blocks(&loops, index);
            let count = Count { image, function, edges, values, dominators: &dominators, inner };
            match count.is_retried(&loops[index]) {
                true => (Some(1), true),
                false => (count.of(&loops[index]), false),
            }
        })
        .collect();
    for (one, (count, retries)) in loops.iter_mut().zip(counts) {
        (one.count, one.retries) = (count, retries);
    }
    Loops { loops, knots }
}

fn dominates(dominators: &Dominators<u32>, above: u32, below: u32) -> bool {
    dominators.dominators(below).is_some_and(|mut all| all.any(|one| one == above))
}

/// The blocks that lead to a latch without going through the head.
fn body(graph: &DiGraphMap<u32, ()>, head: u32, latches: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut blocks = BTreeSet::from([head]);
    let mut left: Vec<u32> = latches.iter().copied().collect();
    while let Some(block) = left.pop() {
        if blocks.insert(block) {
            left.extend(graph.neighbors_directed(block, petgraph::Direction::Incoming));
        }
    }
    blocks
}

/// The circles that are left when the ways back to heads are taken away.
fn knots(
    graph: &DiGraphMap<u32, ()>,
    entry: u32,
    edges: &BTreeSet<(u32, u32)>,
    dominators: &Dominators<u32>,
) -> Vec<Knot> {
    let mut forward = graph.clone();
    for &(from, to) in edges.iter().filter(|(from, to)| dominates(dominators, *to, *from)) {
        forward.remove_edge(from, to);
    }
    let is_reached = |block: &u32| *block == entry || dominators.dominators(*block).is_some();
    let circles = petgraph::algo::tarjan_scc(&forward).into_iter().filter(|one| one.len() > 1);
    let knot = |circle: Vec<u32>| {
        let blocks: BTreeSet<u32> = circle.into_iter().filter(is_reached).collect();
        let from_outside = |(from, to): &&(u32, u32)| blocks.contains(to) && !blocks.contains(from);
        let heads = edges.iter().filter(from_outside).map(|(_, to)| *to);
        let first = blocks.contains(&entry).then_some(entry);
        let heads = heads.chain(first).collect();
        Knot { blocks, heads }
    };
    circles.map(knot).filter(|knot| !knot.blocks.is_empty()).collect()
}

/// The blocks of loops within this one.
fn inner_blocks(loops: &[Loop], index: usize) -> BTreeSet<u32> {
    let outer = &loops[index];
    let inner = loops.iter().filter(|one| one.head != outer.head);
    let inner =
        inner.filter(|one| outer.blocks.contains(&one.head) && !one.blocks.contains(&outer.head));
    inner.flat_map(|one| one.blocks.iter().copied()).collect()
}

/// The search for a loop's count.
struct Count<'a> {
    image: &'a Image,
    function: &'a Function,
    edges: &'a BTreeSet<(u32, u32)>,
    values: &'a BTreeMap<u32, Values>,
    dominators: &'a Dominators<u32>,
    /// The blocks of inner loops.
    inner: BTreeSet<u32>,
}

/// A comparison that comes once a round, and its outcome that ends the loop.
#[derive(Clone, Copy)]
struct Test {
    /// The instruction that makes the flags, or compares and branches.
    at: u32,
    register: Register,
    operation: Comparison,
    with: u32,
    condition: Condition,
    /// `true` if the loop is left if the condition holds.
    leaves_if: bool,
}

/// How a value and a constant make the flags.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Subtract,
    Add,
}

/// A change of a register that comes once a round.
#[derive(Clone, Copy)]
struct Change {
    at: u32,
    by: u32,
}

impl Count<'_> {
    fn of(&self, one: &Loop) -> Option<u64> {
        let counts = one.blocks.iter().filter_map(|&address| {
            let block = self.function.blocks.get(&address)?;
            let test =
                self.once_a_round(one, address).then(|| self.test(one, address, block))??;
            self.rounds(one, &test)
        });
        counts.min()
    }

    /// Returns `true` if each round leaves the loop unless a store-exclusive has failed. On one
    /// processor the store only fails if an exception came behind the load-exclusive.
    fn is_retried(&self, one: &Loop) -> bool {
        let is_left = |&address: &u32| -> Option<bool> {
            let block = self.function.blocks.get(&address)?;
            let test =
                self.once_a_round(one, address).then(|| self.test(one, address, block))??;
            let before = block.instructions.iter().rev().skip_while(|last| last.address >= test.at);
            let writes = |one: &&Instruction| {
                (one.facts.results | one.facts.base) >> test.register.0 & 1 != 0
            };
            let writer = before.into_iter().find(writes)?;
            let is_status = matches!(
                writer.operation(),
                Operation::StoreExclusive { rd, .. } if rd == test.register
            );
            Some(is_status && !writer.conditional && holds(&test, 0) == test.leaves_if)
        };
        self.inner.is_empty() && one.blocks.iter().any(|address| is_left(address) == Some(true))
    }

    /// Returns `true` if the block is executed once in each round that ends at the head again.
    fn once_a_round(&self, one: &Loop, block: u32) -> bool {
        let first = |latch: &u32| dominates(self.dominators, block, *latch);
        one.latches.iter().all(first) && !self.inner.contains(&block)
    }

    /// The test at the end of a block that may leave the loop.
    fn test(&self, one: &Loop, start: u32, block: &Block) -> Option<Test> {
        let Exit::Jumps { to, falls: Some(falls) } = &block.exit else { return None };
        let [to] = to.as_slice() else { return None };
        let leaves_if = match (one.blocks.contains(to), one.blocks.contains(falls)) {
            (false, true) => true,
            (true, false) => false,
            _ => return None,
        };
        let (last, body) = block.instructions.split_last()?;
        if last.conditional {
            return None;
        }
        match last.operation() {
            Operation::CompareBranch { nonzero, rn, .. } => {
                let condition = Condition(u8::from(nonzero));
                let operation = Comparison::Subtract;
                Some(Test {
                    at: last.address,
                    register: rn,
                    operation,
                    with: 0,
                    condition,
                    leaves_if,
                })
            }
            Operation::Branch { condition, .. } if condition.0 < Condition::AL.0 => {
                let flags = body.iter().rev().find(|one| one.facts.sets_flags)?;
                let mut values = self.values.get(&start)?.clone();
                for before in body.iter().take_while(|before| before.address != flags.address) {
                    values.step(self.image, before);
                }
                let (register, operation, with) = comparison(flags, &values)?;
                Some(Test { at: flags.address, register, operation, with, condition, leaves_if })
            }
            _ => None,
        }
    }

    /// Plays the rounds until the test leaves the loop.
    fn rounds(&self, one: &Loop, test: &Test) -> Option<u64> {
        let change = self.change(one, test.register)?;
        let mut value = self.start(one, test.register)?;
        let is_before = change.at != test.at && self.comes_before(change.at, test.at)?;
        for count in 1..=COUNT_MAX {
            let tested = if is_before { value.wrapping_add(change.by) } else { value };
            if holds(test, tested) == test.leaves_if {
                return Some(count);
            }
            value = value.wrapping_add(change.by);
        }
        None
    }

    /// The one instruction of the loop that changes the register, by a constant.
    fn change(&self, one: &Loop, register: Register) -> Option<Change> {
        let mut found = None;
        for &address in &one.blocks {
            let block = self.function.blocks.get(&address)?;
            let is_call = matches!(block.exit, Exit::Calls { .. } | Exit::Traps { .. });
            if is_call && CALL_CHANGES >> register.0 & 1 != 0 {
                return None;
            }
            for instruction in &block.instructions {
                let by_host = match instruction.operation() {
                    Operation::Breakpoint { .. } => HOST_CHANGES,
                    _ => 0,
                };
                let written = instruction.facts.results | instruction.facts.base | by_host;
                if written >> register.0 & 1 == 0 {
                    continue;
                }
                let by = (!instruction.conditional).then(|| step(instruction, register))??;
                if found.is_some() || !self.once_a_round(one, address) {
                    return None;
                }
                found = Some(Change { at: instruction.address, by });
            }
        }
        found
    }

    /// The value of the register whenever the loop is entered.
    fn start(&self, one: &Loop, register: Register) -> Option<u32> {
        let mut start = None;
        let entries =
            self.edges.iter().filter(|(from, to)| *to == one.head && !one.blocks.contains(from));
        for (from, _) in entries {
            let block = self.function.blocks.get(from)?;
            let mut values = self.values.get(from)?.clone();
            values.pass(self.image, block);
            let Value::Constant(value) = values.of(register) else { return None };
            if start.is_some_and(|start| start != value) {
                return None;
            }
            start = Some(value);
        }
        start
    }

    /// Whether one instruction is executed before another one in a round.
    fn comes_before(&self, one: u32, other: u32) -> Option<bool> {
        let (one_block, other_block) = (self.block_of(one)?, self.block_of(other)?);
        if one_block == other_block {
            return Some(one < other);
        }
        Some(dominates(self.dominators, one_block, other_block))
    }

    fn block_of(&self, address: u32) -> Option<u32> {
        let (start, _) = self.function.blocks.range(..=address).next_back()?;
        Some(*start)
    }
}

/// The comparison that makes the flags: the register, the way of comparing, and the constant.
fn comparison(flags: &Instruction, values: &Values) -> Option<(Register, Comparison, u32)> {
    let constant = |operand: &Operand| match *operand {
        Operand::Immediate { value, .. } => Some(value),
        Operand::Register { rm, amount: 0, .. } => match values.of(rm) {
            Value::Constant(value) => Some(value),
            _ => None,
        },
        _ => None,
    };
    if flags.conditional {
        return None;
    }
    match flags.operation() {
        Operation::Compare { operation: CompareOperation::Cmp, rn, operand } => {
            Some((rn, Comparison::Subtract, constant(&operand)?))
        }
        Operation::Alu { operation, rd, rn, operand, .. } if rd == rn => match operation {
            AluOperation::Sub => Some((rn, Comparison::Subtract, constant(&operand)?)),
            AluOperation::Add => Some((rn, Comparison::Add, constant(&operand)?)),
            _ => None,
        },
        _ => None,
    }
}

/// By how much an instruction changes a register.
fn step(instruction: &Instruction, register: Register) -> Option<u32> {
    use Operation as O;
    match instruction.operation() {
        O::Alu { operation, rd, rn, operand: Operand::Immediate { value, .. }, .. }
            if rd == register && rn == register =>
        {
            match operation {
                AluOperation::Add => Some(value),
                AluOperation::Sub => Some(value.wrapping_neg()),
                _ => None,
            }
        }
        O::Load { rt, address, .. } | O::Store { rt, address, .. } if address.base == register => {
            let is_loaded = rt == register && instruction.facts.results != 0;
            match (address.indexing, address.offset) {
                (Indexing::Offset, _) | (_, Offset::Register { .. }) => None,
                (_, Offset::Immediate(offset)) => (!is_loaded).then_some(offset as u32),
            }
        }
        _ => None,
    }
}

/// Returns `true` if the condition of a test holds of a value.
fn holds(test: &Test, value: u32) -> bool {
    let (x, y) = (value, test.with);
    let (result, carry, overflow) = match test.operation {
        Comparison::Subtract => {
            let result = x.wrapping_sub(y);
            (result, x >= y, (x ^ y) & (x ^ result))
        }
        Comparison::Add => {
            let result = x.wrapping_add(y);
            (result, result < x, !(x ^ y) & (x ^ result))
        }
    };
    let (n, z, v) = (result >> 31 != 0, result == 0, overflow >> 31 != 0);
    let positive = match test.condition.0 >> 1 {
        0 => z,
        1 => carry,
        2 => n,
        3 => v,
        4 => carry && !z,
        5 => n == v,
        6 => n == v && !z,
        _ => true,
    };
    positive == (test.condition.0 & 1 == 0)
}
