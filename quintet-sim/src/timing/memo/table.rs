//! The states that were met, by number, and what followed in each.

use std::collections::HashMap;

use super::Inputs;
use crate::processor::quick::Micro;
use crate::timing::{Facts, Key, Pipeline};

/// No state.
pub const NOWHERE: u32 = u32::MAX;

/// When so many states are known, all are forgotten: the table stays below some 60 MB.
const MOST: usize = 1 << 16;

/// The state that follows, and the cycles to it.
pub type Next = (u32, u32);

/// What followed from some inputs.
#[derive(Clone, Copy)]
struct Way {
    inputs: Inputs,
    next: u16,
    cycles: u16,
}

/// A state in the form that is looked at for each instruction: a line of the host's cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Node {
    /// The address and the halfwords of the instruction that begins in this state. The address is
    /// odd as long as none has.
    pub address: u32,
    code: u32,
    /// What the instruction does, and the stamp of the decoded instructions for which this is true;
    /// 0 for none.
    pub micro: Micro,
    pub stamp: u64,
    /// The ways that come first; others are in a map.
    ways: [Way; 3],
}

/// The states.
#[derive(Default)]
pub struct Table {
    nodes: Vec<Node>,
    states: Vec<(Pipeline, Facts)>,
    numbers: HashMap<Key, u32>,
    others: HashMap<(u32, Inputs), Next>,
}

const NO_WAY: Way = Way { inputs: Inputs::IMPOSSIBLE, next: 0, cycles: 0 };

const _: () = assert!(size_of::<Node>() == 64);

const NEW: Node = Node { address: 1, code: 0, micro: Micro::NONE, stamp: 0, ways: [NO_WAY; 3] };

impl Table {
    /// The number of a state without a past. If the table is full, it is emptied, and this state
    /// gets none.
    pub fn number(&mut self, state: &Pipeline) -> u32 {
        let key = state.key();
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        if self.nodes.len() >= MOST {
            *self = Self::default();
            return NOWHERE;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(NEW);
        self.states.push((state.clone(), Facts::NONE));
        self.numbers.insert(key, number);
        number
    }

    /// Returns `true` if this instruction was met in this state.
    #[inline(always)]
    pub fn is_at(&self, number: u32, address: u32, code: u32) -> bool {
        let node = &self.nodes[number as usize];
        node.address == address && node.code == code
    }

    /// Notes the first instruction in this state: its address and halfwords. Returns `false` if
    /// that is another one.
    #[cold]
    #[inline(never)]
    pub fn takes(&mut self, number: u32, (address, code): (u32, u32), facts: &Facts) -> bool {
        let node = &mut self.nodes[number as usize];
        let is_first = node.address & 1 != 0;
        if is_first {
            (node.address, node.code) = (address, code);
            self.states[number as usize].1 = *facts;
        }
        is_first
    }

    /// What is looked at for each instruction in this state.
    #[inline(always)]
    pub fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.get(number as usize)
    }

    /// Notes what the instruction in this state does, if it is the one at `place`: its address and
    /// halfwords.
    pub fn equip(
        &mut self,
        number: u32,
        place: (u32, u32),
        stamp: u64,
        micro: impl FnOnce() -> Micro,
    ) -> bool {
        let Some(node) = self.nodes.get_mut(number as usize) else { return false };
        let is_met = (node.address, node.code) == place;
        if is_met {
            // The halfwords and the address say all of it.
            node.micro = if node.stamp == 0 { micro() } else { node.micro };
            node.stamp = stamp;
        }
        is_met
    }

    /// The facts of the instruction in this state.
    pub fn facts(&self, number: u32) -> &Facts {
        &self.states[number as usize].1
    }

    /// Its address.
    pub fn address(&self, number: u32) -> u32 {
        self.nodes[number as usize].address
    }

    /// The state itself.
    pub fn state(&self, number: u32) -> &Pipeline {
        &self.states[number as usize].0
    }

    /// What followed from these inputs, if that is known.
    #[inline(always)]
    pub fn find(&self, number: u32, inputs: Inputs) -> Option<Next> {
        for way in &self.nodes[number as usize].ways {
            if way.inputs == inputs {
                return Some((way.next.into(), way.cycles.into()));
            }
        }
        self.find_other(number, inputs)
    }

    #[cold]
    #[inline(never)]
    fn find_other(&self, number: u32, inputs: Inputs) -> Option<Next> {
        self.others.get(&(number, inputs)).copied()
    }

    /// Notes what followed.
    pub fn note(&mut self, number: u32, inputs: Inputs, (next, cycles): Next) {
        let ways = &mut self.nodes[number as usize].ways;
        let way = ways.iter_mut().find(|way| way.inputs == Inputs::IMPOSSIBLE);
        match (way, u16::try_from(next), u16::try_from(cycles)) {
            (Some(way), Ok(next), Ok(cycles)) => *way = Way { inputs, next, cycles },
            _ => {
                self.others.insert((number, inputs), (next, cycles));
            }
        }
    }
}
