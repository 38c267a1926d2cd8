//! For how long interrupts are held off from each instruction that raises a mask, on all ways to
//! the instruction that lowers it, through calls and branches to other functions.
//!
//! [`sections`](super::sections) bounds a section by whole functions: a callee that ends the
//! section counts to its return. A kernel's sections end in the callee that switches threads, so
//! here they are followed to the instruction itself:
//!
//! ```text
//!   msr BASEPRI, r3 ─ .. ─┬─ msr BASEPRI, r1                      ends here
//!                         ├─ b ready ──── .. ── msr BASEPRI, r3   ends in the callee
//!                         └─ bl helper ── .. ── bx lr ─ ..        goes on behind the call
//! ```
//!
//! A value that is not known is taken for the one that was there before the section, as kernels
//! restore what they have found. So these bounds are no proof for code that writes other values.

use std::collections::{BTreeMap, BTreeSet};

use super::bound::{Bound, Cause, Open};
use super::graph::{Block, Exit, Function, Obstacle};
use super::loops;
use super::masks::Effect;
use super::path::{Ways, longest};
use super::sections::Finder;
use super::states::{Cost, RETURN};

/// Calls within a section that are nested deeper are open.
const NESTING_MAX: usize = 16;

/// A section from where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// The instruction that raises the mask.
    pub address: u32,
    /// The most cycles from behind this instruction to behind the one that lowers the mask; `None`
    /// if there is no bound.
    pub cycles: Option<u64>,
    /// What is in the way.
    pub open: BTreeSet<Open>,
}

/// A section's part in a function and in what it calls.
#[derive(Clone, Default, Debug)]
pub(super) struct Span {
    /// The most cycles to the section's end.
    ends: Option<u64>,
    /// The most cycles to the function's return, if the section goes on there, and how deep.
    returns: Option<(u64, i32)>,
    open: BTreeSet<Open>,
}

/// The ways through a function that are being collected.
#[derive(Default)]
struct Collected {
    edges: Ways,
    /// The blocks from which the section's end is reached, and the function's return.
    ends: BTreeMap<u32, u64>,
    returns: BTreeMap<u32, u64>,
    depth: i32,
    open: BTreeSet<Open>,
    left: Vec<(u32, i32)>,
}

impl Collected {
    fn go_on(&mut self, from: u32, to: u32, cycles: u64, depth: i32) {
        self.edges.add(from, to, cycles);
        self.left.push((to, depth));
    }

    fn end(&mut self, from: u32, cycles: u64) {
        let known = self.ends.entry(from).or_default();
        *known = cycles.max(*known);
    }

    fn leave(&mut self, from: u32, cycles: u64, depth: i32) {
        let known = self.returns.entry(from).or_default();
        *known = cycles.max(*known);
        self.depth = depth.max(self.depth);
    }
}

impl Finder<'_, '_> {
    /// The sections that begin in any function of the image. The same instruction may be in several
    /// functions that share code.
    pub fn held(&self) -> Vec<Held> {
        let mut all = Vec::new();
        let given_up = self.analysis.costs.given_up.iter();
        let given_up: BTreeSet<Open> = given_up
            .map(|&function| Open { function, address: function, cause: Cause::States })
            .collect();
        for function in self.analysis.program.functions.values() {
            for (&start, block) in &function.blocks {
                for &(index, effect) in self.effects(function, start) {
                    if matches!(effect, Effect::Raises(_)) {
                        let mut held = self.held_from(function, (start, block), index);
                        held.open.extend(&given_up);
                        held.cycles = held.cycles.filter(|_| held.open.is_empty());
                        all.push(held);
                    }
                }
            }
        }
        all
    }

    fn held_from(&self, function: &Function, (start, block): (u32, &Block), index: usize) -> Held {
        let address = block.instructions.get(index).map_or(start, |one| one.address);
        let is_last = index + 1 == block.instructions.len();
        let mut span = match (&block.exit, is_last) {
            (Exit::Falls(next), true) => self.span(function, (*next, 0), 1, &mut Vec::new()),
            _ => self.span(function, (start, index + 1), 1, &mut Vec::new()),
        };
        if span.returns.is_some() || span.ends.is_none() && span.open.is_empty() {
            let cause = Cause::Masked;
            span.open.insert(Open { function: function.entry, address, cause });
        }
        let cycles = span.ends.filter(|_| span.open.is_empty());
        Held { address, cycles, open: span.open }
    }

    /// Follows a section from an instruction of a block, through `callers` that have called each
    /// other.
    fn span(
        &self,
        function: &Function,
        (start, from): (u32, usize),
        depth: i32,
        callers: &mut Vec<u32>,
    ) -> Span {
        let entry = function.entry;
        let mut collected = Collected::default();
        if callers.len() > NESTING_MAX {
            let cause = Cause::Recursion;
            return Span {
                open: BTreeSet::from([Open { function: entry, address: start, cause }]),
                ..Span::default()
            };
        }
        callers.push(entry);
        let mut depths: BTreeMap<u32, i32> = BTreeMap::new();
        collected.left.push((start, depth));
        while let Some((next, depth)) = collected.left.pop() {
            let known = depths.get(&next).copied().unwrap_or(0);
            let Some(block) = function.blocks.get(&next).filter(|_| depth > known) else {
                continue;
            };
            depths.insert(next, depth);
            let from = if next == start && known == 0 { from } else { 0 };
            self.through(function, (next, block, from), depth, callers, &mut collected);
        }
        callers.pop();
        self.finish(function, start, collected)
    }

    /// Follows a section through a block.
    fn through(
        &self,
        function: &Function,
        (start, block, from): (u32, &Block, usize),
        depth: i32,
        callers: &mut Vec<u32>,
        collected: &mut Collected,
    ) {
        let cost = self.analysis.costs.blocks.get(&(function.entry, start));
        let cost = cost.cloned().unwrap_or_default();
        let mut depth = depth;
        for &(index, effect) in self.effects(function, start).iter().filter(|one| one.0 >= from) {
            depth += if matches!(effect, Effect::Raises(_)) { 1 } else { -1 };
            if depth <= 0 {
                let cycles = cost.away.values().copied().chain(cost.on).max().unwrap_or(0);
                collected.end(start, cycles);
                return self.look(function, block, (from, index), collected);
            }
        }
        self.look(function, block, (from, block.instructions.len()), collected);
        self.leave_block(function, (start, block, &cost), depth, callers, collected);
    }

    /// Collects what is in the way between two instructions of a block.
    fn look(
        &self,
        function: &Function,
        block: &Block,
        (from, to): (usize, usize),
        collected: &mut Collected,
    ) {
        let (entry, conditions) = (function.entry, self.analysis.conditions());
        for one in block.instructions.iter().skip(from).take(to - from) {
            let obstacles = function.obstacles.range((one.address, Obstacle::IndirectCall)..);
            for &(address, obstacle) in obstacles.take_while(|(at, _)| *at == one.address) {
                let is_open = match obstacle {
                    Obstacle::Semihosting | Obstacle::Breakpoint => {
                        !conditions.breakpoints_are_free
                    }
                    Obstacle::Float => !conditions.board.configuration().has_floating_point(),
                    _ => true,
                };
                if is_open {
                    let cause = Cause::Obstacle(obstacle);
                    collected.open.insert(Open { function: entry, address, cause });
                }
            }
        }
    }

    /// Follows a section to where a block leads.
    fn leave_block(
        &self,
        function: &Function,
        (start, block, cost): (u32, &Block, &Cost),
        depth: i32,
        callers: &mut Vec<u32>,
        collected: &mut Collected,
    ) {
        let on = cost.on.unwrap_or(0);
        let away = |target: u32| cost.away.get(&target).copied().unwrap_or(0);
        match &block.exit {
            Exit::Falls(next) => collected.go_on(start, *next, on, depth),
            Exit::Jumps { to, falls } => {
                to.iter().for_each(|next| collected.go_on(start, *next, away(*next), depth));
                falls.iter().for_each(|next| collected.go_on(start, *next, on, depth));
            }
            Exit::Calls { callees, then, falls } => {
                for callee in callees {
                    let span = self.span_of_call(*callee, depth, callers, &mut collected.open);
                    if let Some(cycles) = span.ends {
                        collected.end(start, away(*callee) + cycles);
                    }
                    if let Some((cycles, depth)) = span.returns {
                        collected.go_on(start, *then, away(*callee) + cycles, depth);
                    }
                }
                if *falls {
                    collected.go_on(start, *then, on, depth);
                }
            }
            Exit::Leaves { callees, falls } => {
                for callee in callees {
                    let span = self.span_of_call(*callee, depth, callers, &mut collected.open);
                    collected.join(start, away(*callee), &span);
                }
                falls.iter().for_each(|next| collected.go_on(start, *next, on, depth));
            }
            Exit::FallsInto(callee) => {
                let span = self.span_of_call(*callee, depth, callers, &mut collected.open);
                collected.join(start, on, &span);
            }
            Exit::Traps { then, .. } => {
                // The kernel's sections have none.
                let cause = Cause::Obstacle(Obstacle::SupervisorCall);
                let open = Open { function: function.entry, address: start, cause };
                collected.open.insert(open);
                collected.go_on(start, *then, on, depth);
            }
            Exit::Returns { falls } => {
                collected.leave(start, away(RETURN), depth);
                falls.iter().for_each(|next| collected.go_on(start, *next, on, depth));
            }
            Exit::Stops => {}
        }
    }

    /// Follows a section through a call.
    fn span_of_call(
        &self,
        callee: u32,
        depth: i32,
        callers: &mut Vec<u32>,
        open: &mut BTreeSet<Open>,
    ) -> Span {
        let bound = self.analysis.bounds.get(&callee);
        let is_open = bound.is_some_and(|bound| bound.returns && bound.cycles.is_none());
        if (is_open || self.masking.contains(&callee))
            && let Some(function) = self.analysis.program.functions.get(&callee)
        {
            let known = self.spans.borrow().get(&(callee, depth)).cloned();
            let span = known.unwrap_or_else(|| {
                let span = self.span(function, (callee, 0), depth, callers);
                self.spans.borrow_mut().insert((callee, depth), span.clone());
                span
            });
            open.extend(&span.open);
            return span;
        }
        let Some(bound) = bound.filter(|bound| bound.returns) else { return Span::default() };
        let Bound { cycles, open_cycles, observed, waits, .. } = bound;
        open.extend(open_cycles.iter().chain(observed).chain(waits));
        Span { returns: Some((cycles.unwrap_or(0), depth)), ..Span::default() }
    }

    /// The longest ways among those that were collected.
    fn finish(&self, function: &Function, start: u32, collected: Collected) -> Span {
        let Collected { edges, ends, returns, depth, mut open, .. } = collected;
        let entry = function.entry;
        // Where the stack pointer is set, a return goes elsewhere.
        let returning = Ways { returns: returns.clone(), ..edges.clone() }.returning();
        let frame = self.analysis.frames.get(&entry);
        for &(address, obstacle) in frame.into_iter().flat_map(|frame| &frame.obstacles) {
            let block = function.blocks.range(..=address).next_back();
            if block.is_some_and(|(block, _)| returning.contains(block)) {
                open.insert(Open { function: entry, address, cause: Cause::Obstacle(obstacle) });
            }
        }
        let mut most = |returns: BTreeMap<u32, u64>| {
            let ways = Ways { returns, ..edges.clone() }.that_return(start);
            let edges: BTreeSet<(u32, u32)> = ways.edges.keys().copied().collect();
            let view = Function { entry: start, ..function.clone() };
            let image = &self.analysis.firmware.image;
            let found = loops::find(image, &view, &edges, &self.analysis.values_of(entry));
            // Only a context that is not held off lets an exclusive access go round again.
            let is_exclusive = |head: u32| {
                let one = found.loops.iter().find(|one| one.head == head);
                one.is_some_and(|one| loops::has_exclusive_load(function, one))
            };
            let count_of = |head: u32| {
                self.analysis.count(entry, &found, head).0.or(is_exclusive(head).then_some(1))
            };
            for one in &found.loops {
                if count_of(one.head).is_none() {
                    open.insert(Open { function: entry, address: one.head, cause: Cause::Loop });
                }
            }
            let annotations = self.analysis.conditions().annotations;
            let count = |head, is_knot| match is_knot {
                true => annotations.count(self.analysis.firmware, entry, head),
                false => count_of(head),
            };
            let most = longest(start, &ways, &found, count);
            if most.is_none() && !ways.returns.is_empty() && open.is_empty() {
                open.insert(Open { function: entry, address: start, cause: Cause::Tangled });
            }
            most
        };
        let ends = most(ends);
        let returns = (!returns.is_empty()).then(|| (most(returns).unwrap_or(0), depth));
        Span { ends, returns, open }
    }
}

impl Collected {
    /// Behind a branch to another function, whose return is this one's.
    fn join(&mut self, from: u32, cycles: u64, span: &Span) {
        if let Some(more) = span.ends {
            self.end(from, cycles + more);
        }
        if let Some((more, depth)) = span.returns {
            self.leave(from, cycles + more, depth);
        }
    }
}
