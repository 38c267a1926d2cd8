//! Sections in which code holds interrupts off: from each instruction that raises BASEPRI, PRIMASK
//! or FAULTMASK to the one that lowers it again, on the longest way.
//!
//! A section nests: the depth counts instructions that raise and that lower. A function that always
//! returns deeper than it began holds off in its caller too, from the call on. If a function lowers
//! on one of its ways, it is taken to do so whenever it has to: this is how a critical section ends
//! that has read PRIMASK at its beginning. A value that was read before the section lowers, and a
//! value that is not known is open: it may hold off anything, for any time.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::processor::instruction::Operation;

use super::bound::{Bound, Cause, Open};
use super::graph::{Block, Exit, Function};
use super::hidden;
use super::loops;
pub use super::masks::Mask;
use super::masks::{self, Effect, Saved};
use super::path::{Ways, longest};
use super::spans::Span;
use super::values::Values;
use super::verdict::Analysis;

/// Sections that are nested deeper are not followed.
const DEPTH_MAX: i32 = 8;

/// A section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The instruction that begins it.
    pub address: u32,
    /// What it holds off.
    pub mask: Mask,
    /// The most cycles; `None` if there is no bound.
    pub cycles: Option<u64>,
    /// What is in the way.
    pub open: BTreeSet<Open>,
}

/// Code that runs in a context.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// Functions and blocks.
    blocks: BTreeSet<(u32, u32)>,
    /// Branches that may lead to other code.
    hidden: BTreeSet<Open>,
}

impl Reached {
    /// Whether a block of a function is among the code.
    pub fn has(&self, function: u32, block: u32) -> bool {
        self.blocks.contains(&(function, block))
    }

    /// Branches that may lead to code that is not known, and holds off what it likes.
    pub fn hidden(&self) -> impl Iterator<Item = &Open> {
        self.hidden.iter()
    }
}

/// Finds sections.
pub struct Finder<'a, 'b> {
    pub(super) analysis: &'b Analysis<'a>,
    /// What instructions do, by function and block.
    effects: BTreeMap<(u32, u32), Vec<(usize, Effect)>>,
    /// Functions that have such instructions, or call functions that have.
    pub(super) masking: BTreeSet<u32>,
    /// Functions that read a mask: what they restore depends on it.
    saving: BTreeSet<u32>,
    /// By how much functions change the depth, by their entries and how deep they were called: what
    /// is known already.
    changes: RefCell<BTreeMap<(u32, i32), i32>>,
    /// The parts of sections in functions, by their entries and how deep they were called.
    pub(super) spans: RefCell<BTreeMap<(u32, i32), Span>>,
}

impl Analysis<'_> {
    /// What a function and all that it calls execute.
    pub fn reached(&self, entry: u32) -> Reached {
        let mut reached = Reached::default();
        self.reach(entry, entry, &mut reached);
        reached
    }

    /// What is executed from an instruction on, in the function that it is in, and in those that
    /// this one returns to.
    pub fn reached_behind(&self, address: u32) -> Reached {
        let mut reached = Reached::default();
        let mut left: Vec<(u32, u32)> = self.block_at(address).into_iter().collect();
        let mut tops = BTreeSet::new();
        while let Some((function, start)) = left.pop() {
            self.reach(function, start, &mut reached);
            if !tops.insert(function) || !self.returning.contains(&function) {
                continue;
            }
            for caller in self.program.functions.values() {
                for block in caller.blocks.values() {
                    if let Exit::Calls { callees, then, .. } = &block.exit
                        && (callees.contains(&function) || callees.is_empty())
                    {
                        left.push((caller.entry, *then));
                    }
                }
            }
        }
        reached
    }

    /// The function and the block that an instruction is in.
    fn block_at(&self, address: u32) -> Option<(u32, u32)> {
        let has = |block: &Block| block.instructions.iter().any(|one| one.address == address);
        // Of functions that share code, the one that begins nearest in front of it.
        let mut functions = self.program.functions.values().rev();
        functions.find_map(|function| {
            let mut blocks = function.blocks.iter();
            let (start, _) = blocks.find(|(_, block)| has(block))?;
            (function.entry <= address).then_some((function.entry, *start))
        })
    }

    fn reach(&self, entry: u32, start: u32, reached: &mut Reached) {
        let mut left = vec![(entry, start)];
        let mut calls_anyone = false;
        while let Some(place) = left.pop() {
            let Some(function) = self.program.functions.get(&place.0) else { continue };
            let Some(block) = function.blocks.get(&place.1) else { continue };
            if !reached.blocks.insert(place) {
                continue;
            }
            reached.hidden.extend(self.hidden(function, place.1));
            if hidden::calls_anyone(block) && !std::mem::replace(&mut calls_anyone, true) {
                let anyone = self.addressed().into_iter().filter(|one| !self.is_panic(*one));
                left.extend(anyone.map(|callee| (callee, callee)));
            }
            left.extend(block.exit.successors().into_iter().map(|next| (place.0, next)));
            let callees = block.exit.callees().iter().filter(|one| !self.is_panic(**one));
            left.extend(callees.map(|callee| (*callee, *callee)));
        }
    }
}

impl<'a, 'b> Finder<'a, 'b> {
    /// Looks at all instructions.
    pub fn new(analysis: &'b Analysis<'a>) -> Self {
        Self::without(analysis, |_| false)
    }

    /// Looks at all instructions. A value of BASEPRI that holds off nothing that counts is no mask,
    /// and ends one.
    pub fn without(analysis: &'b Analysis<'a>, is_no_mask: impl Fn(u8) -> bool) -> Self {
        let mut effects = BTreeMap::new();
        for function in analysis.program.functions.values() {
            for &start in function.blocks.keys() {
                let found = effects_of(analysis, function, start, &is_no_mask);
                if !found.is_empty() {
                    effects.insert((function.entry, start), found);
                }
            }
        }
        let mut masking: BTreeSet<u32> = effects.keys().map(|(entry, _)| *entry).collect();
        loop {
            let before = masking.len();
            for function in analysis.program.functions.values() {
                let callees = function.blocks.values().flat_map(|block| block.exit.callees());
                if callees.into_iter().any(|callee| masking.contains(callee)) {
                    masking.insert(function.entry);
                }
            }
            if masking.len() == before {
                let saving = analysis.program.functions.values().filter(|one| saves(one));
                let saving = saving.map(|function| function.entry).collect();
                let changes = RefCell::default();
                let spans = RefCell::default();
                return Self { analysis, effects, masking, saving, changes, spans };
            }
        }
    }

    /// The sections that begin in this code. `masked`: interrupts are held off already at this
    /// instruction.
    pub fn sections(&self, reached: &Reached, masked: Option<u32>) -> Vec<Section> {
        let mut all = Vec::new();
        for &(entry, start) in &reached.blocks {
            let Some(function) = self.analysis.program.functions.get(&entry) else { continue };
            let Some(block) = function.blocks.get(&start) else { continue };
            for (index, mask) in self.raises(function, start, block) {
                all.push(match mask {
                    Some(mask) => self.section(function, (start, index), mask),
                    None => unclear(function, block, index - 1),
                });
            }
        }
        if let Some((entry, start)) = masked.and_then(|address| self.analysis.block_at(address))
            && let Some(function) = self.analysis.program.functions.get(&entry)
            && let Some(block) = function.blocks.get(&start)
        {
            let at = block.instructions.iter().position(|one| Some(one.address) == masked);
            all.push(self.section(function, (start, at.unwrap_or(0)), Mask::All));
        }
        all
    }

    /// The instructions of a block behind which interrupts are held off, with their places, and
    /// with nothing for those that may hold anything off.
    fn raises(&self, function: &Function, start: u32, block: &Block) -> Vec<(usize, Option<Mask>)> {
        let mut found = Vec::new();
        for &(index, effect) in self.effects(function, start) {
            match effect {
                Effect::Raises(mask) => found.push((index + 1, Some(mask))),
                Effect::Unclear => found.push((index + 1, None)),
                Effect::Lowers => {}
            }
        }
        let deeper = block.exit.callees().iter().any(|callee| self.change(*callee, 0) > 0);
        if deeper && matches!(block.exit, Exit::Calls { .. }) {
            found.push((block.instructions.len(), Some(Mask::All)));
        }
        found
    }

    /// What the instructions of a block do, by their places.
    pub(super) fn effects(&self, function: &Function, start: u32) -> &[(usize, Effect)] {
        self.effects.get(&(function.entry, start)).map_or(&[], Vec::as_slice)
    }

    /// By how much a function changes the depth: more than 0 if it returns deeper, less if it may
    /// lower more than it raises. A function that reads a mask restores it where it has to, so it
    /// returns deeper only if it always does. `nesting` ends recursion.
    fn change(&self, entry: u32, nesting: i32) -> i32 {
        let Some(function) = self.analysis.program.functions.get(&entry) else { return 0 };
        if nesting > DEPTH_MAX || !self.masking.contains(&entry) {
            return 0;
        }
        let known = self.changes.borrow().get(&(entry, nesting)).copied();
        known.unwrap_or_else(|| {
            let change = self.find_change(function, nesting);
            self.changes.borrow_mut().insert((entry, nesting), change);
            change
        })
    }

    fn find_change(&self, function: &Function, nesting: i32) -> i32 {
        let entry = function.entry;
        let mut known: BTreeMap<u32, BTreeSet<i32>> = BTreeMap::new();
        let mut left = vec![(entry, 0)];
        let mut ends = BTreeSet::new();
        while let Some((start, depth)) = left.pop() {
            let Some(block) = function.blocks.get(&start) else { continue };
            let is_new = known.entry(start).or_default().insert(depth);
            if !is_new || depth.abs() > DEPTH_MAX {
                continue;
            }
            let behind = depth + self.own_change(function, start) + self.called(block, nesting + 1);
            if matches!(block.exit, Exit::Returns { .. } | Exit::Leaves { .. }) {
                ends.insert(behind);
            }
            left.extend(block.exit.successors().into_iter().map(|next| (next, behind)));
        }
        let (least, most) = (ends.first().copied(), ends.last().copied());
        match most.filter(|most| *most > 0 && !self.saving.contains(&entry)) {
            Some(most) => most,
            None => least.unwrap_or(0),
        }
    }

    fn own_change(&self, function: &Function, start: u32) -> i32 {
        let effects = self.effects(function, start);
        let one = |effect: &Effect| if matches!(effect, Effect::Raises(_)) { 1 } else { -1 };
        effects.iter().map(|(_, effect)| one(effect)).sum()
    }

    fn called(&self, block: &Block, nesting: i32) -> i32 {
        let callees =
            block.exit.callees().iter().filter(|one| self.analysis.returning.contains(one));
        callees.map(|callee| self.change(*callee, nesting)).max().unwrap_or(0)
    }

    /// The section that begins in front of an instruction.
    fn section(&self, function: &Function, (start, from): (u32, usize), mask: Mask) -> Section {
        let address = function.blocks.get(&start).and_then(|block| {
            let before = block.instructions.get(from.saturating_sub(1));
            before.or(block.instructions.last()).map(|one| one.address)
        });
        let address = address.unwrap_or(start);
        let part = self.part(function, start, from);
        let mut bound = Bound::default();
        self.analysis.gather(function, &part.blocks, &[], &mut bound);
        let entry = function.entry;
        self.gather_ends(function, &part, &mut bound);
        // What the first block does before it.
        let is_before = |open: &Open| {
            let block = function.blocks.get(&start).filter(|_| open.function == entry);
            let before = block.map_or(&[][..], |block| &block.instructions[..from]);
            before.iter().any(|one| one.address == open.address)
        };
        // Only the ways that lead to the section's end.
        let ways = part.ways.that_return(start);
        let edges: BTreeSet<(u32, u32)> = ways.edges.keys().copied().collect();
        let view = Function { entry: start, ..function.clone() };
        let found = loops::find(
            &self.analysis.firmware.image,
            &view,
            &edges,
            &self.analysis.values_of(entry),
        );
        for one in &found.loops {
            if self.analysis.count(entry, &found, one.head).0.is_none() {
                let open = Open { function: entry, address: one.head, cause: Cause::Loop };
                bound.open_cycles.insert(open);
            }
        }
        let count = |head, is_knot| match is_knot {
            true => self.analysis.conditions.annotations.count(self.analysis.firmware, entry, head),
            false => self.analysis.count(entry, &found, head).0,
        };
        let mut open = bound.open_cycles;
        open.extend(bound.observed.into_iter().chain(bound.waits));
        let comes_back = part.ways.edges.keys().any(|(_, to)| *to == start);
        open.retain(|one| comes_back || !is_before(one));
        let cycles = longest(start, &ways, &found, count).filter(|_| open.is_empty());
        if cycles.is_none() && open.is_empty() {
            let cause = Cause::Masked;
            open.insert(Open { function: entry, address, cause });
        }
        Section { address, mask, cycles, open }
    }

    /// The blocks of a section, and the ways among them. Where ways of several depths meet, the
    /// deepest counts.
    fn part(&self, function: &Function, start: u32, from: usize) -> Part {
        let all = self.analysis.ways(function);
        let mut depths: BTreeMap<u32, i32> = BTreeMap::new();
        let mut part = Part::default();
        let mut left = Vec::new();
        let first = self.depth_behind(function, start, from, 1);
        part.go_on(self.end(function, start, first), &all, start, &mut left);
        while let Some((next, depth)) = left.pop() {
            let known = depths.get(&next).copied().unwrap_or(0);
            if depth <= known || known > DEPTH_MAX {
                continue;
            }
            depths.insert(next, depth);
            let behind = self.depth_behind(function, next, 0, depth);
            part.go_on(self.end(function, next, behind), &all, next, &mut left);
        }
        part
    }

    /// How a section leaves a block.
    fn end(&self, function: &Function, start: u32, behind: Result<i32, usize>) -> End {
        match behind {
            Ok(depth) if depth > 0 => End::GoesOn(depth),
            // A callee has ended it.
            Ok(_) => End::Called,
            Err(index) => {
                let cost = self.analysis.costs.blocks.get(&(function.entry, start));
                let ways = cost.map(|cost| cost.away.values().copied().chain(cost.on));
                End::At(index, ways.and_then(Iterator::max).unwrap_or(0))
            }
        }
    }

    /// What is in the way in the blocks in which a section ends, up to there.
    fn gather_ends(&self, function: &Function, part: &Part, bound: &mut Bound) {
        for (start, index) in &part.ends {
            let mut whole = Bound::default();
            self.analysis.gather(function, &BTreeSet::from([*start]), &[], &mut whole);
            let Some(block) = function.blocks.get(start) else { continue };
            let within = block.instructions.iter().take(index + 1);
            let within: BTreeSet<u32> = within.map(|one| one.address).collect();
            let is_within =
                |open: &Open| open.function == function.entry && within.contains(&open.address);
            bound.open_cycles.extend(whole.open_cycles.into_iter().filter(is_within));
            bound.waits.extend(whole.waits.into_iter().filter(is_within));
        }
    }

    /// The depth at the end of a block, or the instruction of it with which the section ends.
    fn depth_behind(
        &self,
        function: &Function,
        start: u32,
        from: usize,
        depth: i32,
    ) -> Result<i32, usize> {
        let Some(block) = function.blocks.get(&start) else { return Ok(depth) };
        let mut depth = depth;
        for &(index, effect) in self.effects(function, start) {
            if index < from {
                continue;
            }
            depth += if matches!(effect, Effect::Raises(_)) { 1 } else { -1 };
            if depth <= 0 {
                return Err(index);
            }
        }
        if from < block.instructions.len() {
            depth += self.called(block, 0);
        }
        Ok(depth)
    }
}

fn effects_of(
    analysis: &Analysis<'_>,
    function: &Function,
    start: u32,
    is_no_mask: &impl Fn(u8) -> bool,
) -> Vec<(usize, Effect)> {
    let values = analysis.values.get(&(function.entry, start)).cloned();
    let Some(block) = function.blocks.get(&start) else { return Vec::new() };
    let mut values = values.unwrap_or_else(Values::unknown);
    let mut found = Vec::new();
    for (index, instruction) in block.instructions.iter().enumerate() {
        let effect = masks::effect(instruction, &values).map(|(_, effect)| effect);
        let effect = match effect {
            Some(Effect::Raises(Mask::Basepri(value))) if is_no_mask(value) => {
                masks::sets(instruction).then_some(Effect::Lowers)
            }
            effect => effect,
        };
        found.extend(effect.map(|effect| (index, effect)));
        values.step(&analysis.firmware.image, instruction);
    }
    found
}

/// Whether a function reads a mask.
fn saves(function: &Function) -> bool {
    let mut all = function.blocks.values().flat_map(|block| &block.instructions);
    all.any(|one| {
        matches!(one.operation(), Operation::MoveFromSpecial { special, .. }
            if Saved::read(special).is_some())
    })
}

/// A section that begins with a value which is not known.
fn unclear(function: &Function, block: &Block, index: usize) -> Section {
    let address = block.instructions.get(index).map_or(function.entry, |one| one.address);
    let open = Open { function: function.entry, address, cause: Cause::Unclear };
    Section { address, mask: Mask::All, cycles: None, open: BTreeSet::from([open]) }
}

/// How a section leaves a block.
#[derive(Clone, Copy)]
enum End {
    /// In this depth.
    GoesOn(i32),
    /// Not: what the block calls has ended it.
    Called,
    /// Not: it ends with an instruction of a block that takes so many cycles without callees.
    At(usize, u64),
}

/// A part of a function.
#[derive(Default)]
struct Part {
    /// The blocks that are left within the section.
    blocks: BTreeSet<u32>,
    /// Those in which it ends, with the last instruction.
    ends: Vec<(u32, usize)>,
    ways: Ways,
}

impl Part {
    /// Behind a block.
    fn go_on(&mut self, end: End, all: &Ways, from: u32, left: &mut Vec<(u32, i32)>) {
        if let End::At(index, cycles) = end {
            self.ends.push((from, index));
            return self.ways.add_return(from, cycles);
        }
        self.blocks.insert(from);
        let edges = all.edges.range((from, 0)..=(from, u32::MAX));
        for (&(_, to), &cycles) in edges {
            match end {
                End::GoesOn(depth) => {
                    self.ways.add(from, to, cycles);
                    left.push((to, depth));
                }
                _ => self.ways.add_return(from, cycles),
            }
        }
        if let Some(cycles) = all.returns.get(&from) {
            self.ways.add_return(from, *cycles);
        }
    }
}
