//! A run as a witness: the time of functions, the depth of their stacks, the rounds of loops, and
//! the targets of calls through registers.
//!
//! An activation of a function counts from its first instruction to the instruction behind its
//! call, and only if no exception came between. An activation of a handler counts to its return.
//! Rounds and targets always count.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use quintet_sim::machine::Machine;
use quintet_sim::processor::Architecture;
use quintet_sim::processor::decode::decode;
use quintet_sim::processor::instruction::{Operation, Register};

use super::verdict::Analysis;

/// Exceptions up to this one have priorities above those that can be set, or faults' ones.
const USAGE_FAULT: u16 = 6;

/// A step changes the stack pointer of one stack by less.
const STACK_STEP: u32 = 1024;

/// The longest and the deepest activation of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// How many activations there were.
    pub times: u64,
    /// The most cycles of one.
    pub cycles: u64,
    /// The most bytes of stack below where it began.
    pub stack: u32,
}

/// What a run has shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Observed {
    /// The most rounds of loops, by their first instructions.
    pub rounds: BTreeMap<u32, u64>,
    /// Where calls and branches through registers went.
    pub targets: BTreeMap<u32, BTreeSet<u32>>,
    /// Functions, by their first instructions.
    pub functions: BTreeMap<u32, Seen>,
    /// The priorities of exceptions in the end.
    pub priorities: BTreeMap<u16, u8>,
}

/// A function that has not returned.
#[derive(Clone, Copy, Debug)]
struct Activation {
    entry: u32,
    /// `None` for a handler.
    returns_to: Option<u32>,
    stack: u32,
    lowest: u32,
    began: u64,
}

/// Which halfwords begin loops: each step of a run asks.
#[derive(Clone, Debug, Default)]
struct Heads {
    lowest: u32,
    are: Vec<bool>,
}

impl Heads {
    /// Those of loops. They are all in one memory, or nearly so.
    fn of(latches: &HashMap<u32, HashSet<u32>>) -> Self {
        let lowest = latches.keys().min().copied().unwrap_or(0);
        let highest = latches.keys().max().copied().unwrap_or(0);
        let halfwords = (highest - lowest) as usize / 2 + 1;
        if halfwords > Self::HALFWORDS_MAX {
            return Self::default();
        }
        let mut are = vec![false; halfwords];
        latches.keys().for_each(|head| are[(head - lowest) as usize / 2] = true);
        Self { lowest, are }
    }

    /// Code that is farther apart has no table.
    const HALFWORDS_MAX: usize = 1 << 22;

    /// Returns `true` if a loop may begin there.
    fn has(&self, address: u32) -> bool {
        let place = address.wrapping_sub(self.lowest) as usize / 2;
        self.are.is_empty() || self.are.get(place).copied().unwrap_or(false)
    }
}

/// Follows a run.
pub struct Recorder {
    observed: Observed,
    /// The last instructions of the blocks that lead back to each loop's head.
    latches: HashMap<u32, HashSet<u32>>,
    heads: Heads,
    rounds: HashMap<u32, u64>,
    handlers: HashMap<u16, u32>,
    /// Instructions behind which other code may go on.
    switches: HashSet<u32>,
    activations: Vec<Activation>,
    exception: u16,
    stack: u32,
    cycle: u64,
    instructions: u64,
}

impl Recorder {
    /// Before the first step.
    pub fn new(analysis: &Analysis<'_>, machine: &Machine) -> Self {
        let latches = analysis.latches();
        Self {
            observed: Observed::default(),
            heads: Heads::of(&latches),
            latches,
            rounds: HashMap::new(),
            handlers: analysis.handlers().iter().map(|one| (one.exception, one.entry)).collect(),
            switches: analysis.switches(),
            activations: Vec::new(),
            exception: 0,
            stack: machine.processor.registers.r[13],
            cycle: machine.cycle(),
            instructions: machine.instructions(),
        }
    }

    /// What the run has shown, which has ended.
    pub fn into_observed(mut self, machine: &Machine) -> Observed {
        for exception in self.handlers.keys().filter(|exception| **exception > USAGE_FAULT) {
            if let Some(priority) = priority(machine, *exception) {
                self.observed.priorities.insert(*exception, priority);
            }
        }
        self.observed
    }

    /// Looks at the machine after the step at `from`.
    pub fn look(&mut self, machine: &Machine, from: u32) {
        let registers = &machine.processor.registers;
        let (exception, stack, to) = (registers.ipsr, registers.r[13], machine.pc());
        let executed = machine.instructions() != self.instructions;
        let before = self.cycle;
        self.instructions = machine.instructions();
        self.cycle = machine.cycle();
        if exception != self.exception {
            self.change(executed, before, exception, to, stack);
            return;
        }
        if executed && self.begins_again(machine, from, to, stack) {
            self.change(executed, before, exception, to, stack);
            return;
        }
        if executed {
            self.count(from, to);
            self.follow(machine, from, to, stack);
        }
        self.stack = stack;
    }

    /// Whether the handler has returned and runs once more: it was pended again meanwhile, so that
    /// the processor goes on with the same exception.
    fn begins_again(&self, machine: &Machine, from: u32, to: u32, stack: u32) -> bool {
        let handler = self.activations.first().filter(|one| one.returns_to.is_none());
        let is_there = handler.is_some_and(|one| one.entry == to && one.stack == stack);
        is_there && operation(machine, from).is_some_and(|one| is_return(&one))
    }

    /// A handler has begun or returned, or both.
    fn change(&mut self, executed: bool, before: u64, exception: u16, to: u32, stack: u32) {
        let handler = self.activations.first().filter(|one| one.returns_to.is_none()).copied();
        if let Some(handler) = handler.filter(|_| executed) {
            let lowest = self.activations.iter().map(|one| one.lowest).min();
            let lowest = lowest.unwrap_or(handler.lowest);
            self.note(&Activation { lowest, ..handler }, before);
        }
        self.activations.clear();
        (self.exception, self.stack) = (exception, stack);
        if self.handlers.get(&exception) == Some(&to) {
            let began = self.cycle;
            let lowest = stack;
            self.activations.push(Activation { entry: to, returns_to: None, stack, lowest, began });
        }
    }

    fn count(&mut self, from: u32, to: u32) {
        if !self.heads.has(to) {
            return;
        }
        let Some(latches) = self.latches.get(&to) else { return };
        let rounds = self.rounds.entry(to).or_default();
        *rounds = if latches.contains(&from) { *rounds + 1 } else { 1 };
        let most = self.observed.rounds.entry(to).or_default();
        *most = (*most).max(*rounds);
    }

    fn follow(&mut self, machine: &Machine, from: u32, to: u32, stack: u32) {
        if stack.abs_diff(self.stack) > STACK_STEP || self.switches.contains(&from) {
            // Another stack.
            self.activations.clear();
        }
        if let Some(top) = self.activations.last_mut() {
            top.lowest = top.lowest.min(stack);
        }
        let is_sequential = to == from.wrapping_add(2) || to == from.wrapping_add(4);
        if is_sequential {
            return self.leave(to, stack);
        }
        match operation(machine, from) {
            Some(Operation::BranchLink { .. }) => self.enter(from.wrapping_add(4), to, stack),
            Some(Operation::BranchLinkExchange { .. }) => {
                self.observed.targets.entry(from).or_default().insert(to);
                self.enter(from.wrapping_add(2), to, stack);
            }
            Some(
                Operation::BranchExchange { .. } | Operation::Move { .. } | Operation::Load { .. },
            ) => {
                self.observed.targets.entry(from).or_default().insert(to);
                self.leave(to, stack);
            }
            _ => self.leave(to, stack),
        }
    }

    fn enter(&mut self, returns_to: u32, entry: u32, stack: u32) {
        let (returns_to, began, lowest) = (Some(returns_to), self.cycle, stack);
        self.activations.push(Activation { entry, returns_to, stack, lowest, began });
    }

    /// Ends the activations that have returned.
    fn leave(&mut self, to: u32, stack: u32) {
        while let Some(top) = self.activations.last().copied() {
            if top.returns_to == Some(to) && top.stack == stack {
                self.note(&top, self.cycle);
            } else if top.returns_to.is_none() || top.stack >= stack {
                break;
            }
            self.activations.pop();
            if let Some(caller) = self.activations.last_mut() {
                caller.lowest = caller.lowest.min(top.lowest);
            }
        }
    }

    fn note(&mut self, activation: &Activation, end: u64) {
        let seen = self.observed.functions.entry(activation.entry).or_default();
        seen.times += 1;
        seen.cycles = seen.cycles.max(end.saturating_sub(activation.began));
        seen.stack = seen.stack.max(activation.stack.saturating_sub(activation.lowest));
    }
}

/// The priority of an exception that has one.
fn priority(machine: &Machine, exception: u16) -> Option<u8> {
    const SHPR: u32 = 0xe000_ed14;
    const IPR: u32 = 0xe000_e3f0;
    let registers = if exception < 16 { SHPR } else { IPR };
    let address = registers + u32::from(exception);
    let word = machine.read_word(address & !3)?;
    Some((word >> (8 * (address & 3))) as u8)
}

/// An instruction that can return from an exception.
fn is_return(operation: &Operation) -> bool {
    const PC: u16 = 1 << 15;
    match operation {
        Operation::BranchExchange { rm } => *rm == Register::LR,
        Operation::LoadMultiple { registers, .. } => registers & PC != 0,
        Operation::Load { rt, .. } => *rt == Register::PC,
        _ => false,
    }
}

fn operation(machine: &Machine, address: u32) -> Option<Operation> {
    let first = machine.read_halfword(address)?;
    let second = machine.read_halfword(address.wrapping_add(2)).unwrap_or_default();
    Some(decode(first, second, Architecture::V7EM).operation)
}
