//! What is known of registers at the beginning of each block of each function.
//!
//! Knowledge flows along the control flow of a function, and from calls into the functions that are
//! called. A function whose address is taken may be called from anywhere, with anything: so may a
//! handler, and what nobody is seen to call.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use quintet_sim::image::Image;
use quintet_sim::processor::instruction::{
    CompareOperation, Condition, Operand, Operation, Register,
};

use super::graph::{Block, Exit, Function, Instruction, Program};
use super::unseen;
use super::values::{Value, Values};

/// Knowledge that has changed so often at one place keeps no limits.
const CHANGES_MAX: u32 = 4;

/// The values at the beginning of each block, by function and block.
pub type Known = BTreeMap<(u32, u32), Values>;

/// Where a branch leads whose targets are not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unresolved {
    /// To any code of its function, and to any function whose address is taken.
    Anywhere,
    /// To nothing.
    Nowhere,
}

/// What knowledge is of.
#[derive(Clone, Copy)]
struct Of<'a> {
    image: &'a Image,
    open: Unresolved,
}

impl Of<'_> {
    /// Returns `true` if another way may lead to each block of a function.
    fn hides(self, function: &Function) -> bool {
        self.open == Unresolved::Anywhere && unseen::has_open_branch(function)
    }

    /// The functions that code calls which is not followed.
    fn called_unseen(self, program: &Program) -> BTreeSet<u32> {
        let hiding = program.functions.values().filter(|function| self.hides(function));
        let called = hiding.flat_map(|function| unseen::callees(self.image, function));
        called.filter(|callee| program.functions.contains_key(callee)).collect()
    }
}

/// What is known in all functions. `Unresolved::Anywhere` is what holds; `Unresolved::Nowhere` is
/// for a program whose branches are not all known yet.
pub fn of_program(image: &Image, program: &Program, open: Unresolved) -> Known {
    let of = Of { image, open };
    let answers = answers(of, program);
    let (entries, left) = (BTreeMap::new(), BTreeSet::new());
    let mut flow = Flow { of, program, answers, entries, left };
    for &entry in taken(image, program).iter().chain(&of.called_unseen(program)) {
        flow.enter(entry, &Values::at_entry());
    }
    let mut known = BTreeMap::new();
    flow.follow(&mut known);
    // The others are called by nobody, or by each other alone.
    let called: HashSet<u32> = callees(program).collect();
    for is_root in [true, false] {
        for &entry in program.functions.keys() {
            let is_new = !flow.entries.contains_key(&entry);
            if is_new && (!is_root || !called.contains(&entry)) {
                flow.enter(entry, &Values::at_entry());
                flow.follow(&mut known);
            }
        }
    }
    let all = known.into_iter().flat_map(|(entry, blocks)| {
        blocks.into_iter().map(move |(start, values)| ((entry, start), values))
    });
    all.collect()
}

fn callees(program: &Program) -> impl Iterator<Item = u32> {
    let blocks = program.functions.values().flat_map(|function| function.blocks.values());
    blocks.flat_map(|block| block.exit.callees().iter().copied())
}

/// The functions whose address a word of the image holds, or a register may: an instruction loads
/// the address, or a half of it that belongs to it. Vectors are such words.
pub fn taken(image: &Image, program: &Program) -> BTreeSet<u32> {
    let is_entry = |address: u32| program.functions.contains_key(&(address & !1));
    let mut taken = BTreeSet::new();
    taken.extend(image.entry.map(|entry| entry & !1).filter(|entry| is_entry(*entry)));
    for segment in &image.segments {
        for bytes in segment.bytes.windows(4) {
            let Ok(bytes) = bytes.try_into() else { continue };
            let word = u32::from_le_bytes(bytes);
            if word & 1 != 0 && is_entry(word) {
                taken.insert(word & !1);
            }
        }
    }
    let (mut lows, mut tops) = (HashSet::new(), HashSet::from([0]));
    let blocks = program.functions.values().flat_map(|function| function.blocks.values());
    for instruction in blocks.flat_map(|block| &block.instructions) {
        match instruction.operation() {
            Operation::MoveWide { immediate, .. } => {
                lows.insert(u32::from(immediate));
            }
            Operation::MoveTop { immediate, .. } => {
                tops.insert(u32::from(immediate));
            }
            Operation::Move { operand: Operand::Immediate { value, .. }, .. } => {
                lows.insert(value);
            }
            Operation::Adr { offset, .. } => {
                let base = instruction.address.wrapping_add(4) & !3;
                let address = base.wrapping_add_signed(offset);
                taken.extend(is_entry(address).then_some(address & !1));
            }
            _ => {}
        }
    }
    let is_built = |entry: &&u32| {
        let halves = |address: u32| {
            lows.contains(&address)
                || lows.contains(&(address & 0xffff)) && tops.contains(&(address >> 16))
        };
        halves(**entry) || halves(**entry | 1)
    };
    taken.extend(program.functions.keys().filter(is_built));
    taken
}

/// The masks that functions return which read them.
type Answers = BTreeMap<u32, Value>;

/// What functions return that read a mask, and those that return what these return.
fn answers(of: Of<'_>, program: &Program) -> Answers {
    let mut answers = Answers::new();
    for _ in 0..ANSWERED_MAX {
        let before = answers.len();
        for function in program.functions.values() {
            let reads = |block: &Block| {
                let mut all = block.instructions.iter().map(Instruction::operation);
                all.any(|one| matches!(one, Operation::MoveFromSpecial { .. }))
                    || block.exit.callees().iter().any(|callee| answers.contains_key(callee))
            };
            if !answers.contains_key(&function.entry) && function.blocks.values().any(reads) {
                let answer = answer(of, function, &answers);
                answers.extend(answer.map(|answer| (function.entry, answer)));
            }
        }
        if answers.len() == before {
            break;
        }
    }
    answers
}

/// The mask that a function returns in R0 wherever it returns.
fn answer(of: Of<'_>, function: &Function, answers: &Answers) -> Option<Value> {
    let known = of_blocks(of, function, Values::at_entry(), answers);
    let mut all = function.blocks.iter().filter_map(|(start, block)| {
        let mut values = known.get(start)?.clone();
        block.instructions.iter().for_each(|one| values.step(of.image, one));
        match block.exit {
            Exit::Returns { .. } => Some(values.of(Register(0))),
            Exit::Leaves { .. } | Exit::FallsInto(_) => Some(Value::Unknown),
            _ => None,
        }
    });
    let first = all.next().filter(|value| matches!(value, Value::Saved(_)))?;
    all.all(|value| value == first).then_some(first)
}

/// Functions pass on what others return, so often at most.
const ANSWERED_MAX: usize = 3;

/// Knowledge on its way through all functions.
struct Flow<'a> {
    of: Of<'a>,
    program: &'a Program,
    answers: Answers,
    /// At the entry of each function, and how often that has changed.
    entries: BTreeMap<u32, (Values, u32)>,
    left: BTreeSet<u32>,
}

impl Flow<'_> {
    fn enter(&mut self, entry: u32, values: &Values) {
        match self.entries.get_mut(&entry) {
            None => {
                self.entries.insert(entry, (values.clone(), 0));
                self.left.insert(entry);
            }
            Some((known, changes)) => {
                if known.meet(values, *changes >= CHANGES_MAX) {
                    *changes += 1;
                    self.left.insert(entry);
                }
            }
        }
    }

    fn follow(&mut self, known: &mut BTreeMap<u32, BTreeMap<u32, Values>>) {
        while let Some(entry) = self.left.pop_first() {
            let Some(function) = self.program.functions.get(&entry) else { continue };
            let Some((values, _)) = self.entries.get(&entry) else { continue };
            let blocks = of_blocks(self.of, function, values.clone(), &self.answers);
            for (start, values) in &blocks {
                let Some(block) = function.blocks.get(start) else { continue };
                let callees = block.exit.callees();
                if callees.is_empty() {
                    continue;
                }
                let mut values = values.clone();
                let steps = block.instructions.iter();
                steps.for_each(|instruction| values.step(self.of.image, instruction));
                // Another way may lead to the middle of a block.
                let hides = self.of.hides(function);
                let values = if hides { Values::at_entry() } else { values.at_call() };
                callees.iter().for_each(|callee| self.enter(*callee, &values));
            }
            known.insert(entry, blocks);
        }
    }
}

/// What is known at the beginning of each block of a function that can be reached, from what is
/// known at its entry.
fn of_blocks(
    of: Of<'_>,
    function: &Function,
    values: Values,
    answers: &Answers,
) -> BTreeMap<u32, Values> {
    let mut known = BTreeMap::from([(function.entry, values)]);
    let mut changes: BTreeMap<u32, u32> = BTreeMap::new();
    let mut left = BTreeSet::from([function.entry]);
    while let Some(start) = left.pop_first() {
        let (Some(block), Some(mut values)) =
            (function.blocks.get(&start), known.get(&start).cloned())
        else {
            continue;
        };
        values.pass(of.image, block);
        if let Exit::Calls { callees, falls: false, .. } = &block.exit
            && let Some(answer) = callees.first().and_then(|callee| answers.get(callee))
            && callees.iter().all(|callee| answers.get(callee) == Some(answer))
        {
            values.answer(*answer);
        }
        for next in block.exit.successors() {
            let mut values = values.clone();
            narrow(&mut values, block, next);
            let changed = match known.get_mut(&next) {
                None => known.insert(next, values).is_none(),
                Some(other) => {
                    let count = changes.entry(next).or_default();
                    let has_changed = other.meet(&values, *count >= CHANGES_MAX);
                    *count += u32::from(has_changed);
                    has_changed
                }
            };
            if changed {
                left.insert(next);
            }
        }
    }
    if of.hides(function) {
        known.values_mut().for_each(Values::forget_all);
    }
    known
}

/// What the branch at the end of a block tells of a register on the way to `next`.
fn narrow(values: &mut Values, block: &Block, next: u32) {
    let Exit::Jumps { to, falls: Some(falls) } = &block.exit else { return };
    let [to] = to.as_slice() else { return };
    let Some((last, body)) = block.instructions.split_last() else { return };
    if to == falls || last.conditional {
        return;
    }
    let (register, with, condition) = match last.operation() {
        Operation::CompareBranch { nonzero, rn, .. } => (rn, 0, u8::from(nonzero)),
        Operation::Branch { condition, .. } if condition.0 < Condition::AL.0 => {
            let Some((register, with)) = compared(values, body) else { return };
            (register, with, condition.0)
        }
        _ => return,
    };
    let condition = if next == *to { condition } else { condition ^ 1 };
    if let Some(range) = numbers(condition, with) {
        values.narrow(register, range);
    }
}

/// The register and the number that the last comparison of some instructions compares, if nothing
/// has changed them since. `values` are those behind.
fn compared(values: &Values, body: &[Instruction]) -> Option<(Register, u32)> {
    let at = body.iter().rposition(|one| one.facts.sets_flags)?;
    let flags = body.get(at).filter(|one| !one.conditional)?;
    let Operation::Compare { operation: CompareOperation::Cmp, rn, operand } = flags.operation()
    else {
        return None;
    };
    let written = body[at..].iter().fold(0, |all, one| all | one.facts.results | one.facts.base);
    let is_kept = |register: Register| written >> register.0 & 1 == 0;
    let with = match operand {
        Operand::Immediate { value, .. } => Some(value),
        Operand::Register { rm, amount: 0, .. } if is_kept(rm) => match values.of(rm) {
            Value::Constant(value) => Some(value),
            _ => None,
        },
        _ => None,
    };
    Some((rn, with?)).filter(|(register, _)| is_kept(*register))
}

/// The numbers of which a condition holds when they are compared with another one.
fn numbers(condition: u8, with: u32) -> Option<(u32, u32)> {
    match condition {
        0 => Some((with, with)),
        1 if with == 0 => Some((1, u32::MAX)),
        2 => Some((with, u32::MAX)),
        3 => Some((0, with.checked_sub(1)?)),
        8 => Some((with.checked_add(1)?, u32::MAX)),
        9 => Some((0, with)),
        _ => None,
    }
}
