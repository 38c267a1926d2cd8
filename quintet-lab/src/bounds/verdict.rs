//! The bounds of each function, or what is in their way.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use anyhow::bail;
use petgraph::graphmap::DiGraphMap;
use quintet_sim::processor::Architecture;

use super::annotations::Places;
use super::bound::{Bound, Cause, Conditions, Handler, Open};
use super::cost::Timing;
use super::graph::{Block, Exit, Function, Obstacle, Program};
use super::loops::{self, Loops};
use super::path::{Ways, longest};
use super::stack::{self, Frame};
use super::states::{self, Costs, RETURN};
use super::values::Values;
use super::whole::{all_values, handlers, is_unknown, resolved, returning};
use crate::firmware::Firmware;

/// The bounds of all functions of a firmware.
pub struct Analysis<'a> {
    firmware: &'a Firmware,
    conditions: Conditions<'a>,
    program: Program,
    values: BTreeMap<(u32, u32), Values>,
    costs: Costs,
    /// The loops of each function, in the part that returns.
    loops: BTreeMap<u32, Loops>,
    frames: BTreeMap<u32, Frame>,
    handlers: Vec<Handler>,
    returning: BTreeSet<u32>,
    /// Calls whose targets a run has told.
    told: BTreeSet<u32>,
    bounds: BTreeMap<u32, Bound>,
}

impl<'a> Analysis<'a> {
    /// Finds the bounds. Fails for a processor whose timing is not modelled, and for annotations
    /// that name nothing.
    pub fn new(firmware: &'a Firmware, conditions: Conditions<'a>) -> anyhow::Result<Self> {
        let board = conditions.board;
        let architecture = board.configuration().architecture;
        let known = matches!(architecture, Architecture::V7M | Architecture::V7EM);
        if !known {
            bail!(
                "no bounds for {}: the states of its core's pipeline are not modelled. Pass a \
                 board with a Cortex-M3 or a Cortex-M4; `quintet boards` lists them",
                board.name
            );
        }
        if !board.fronts().is_empty() {
            bail!(
                "no bounds for {}: its flash has a cache or a prefetch, whose content is not \
                 followed. Bounds need a board file whose flash has fixed `wait_states` and no \
                 `front_end`",
                board.name
            );
        }
        if firmware.image.symbols.is_empty() {
            bail!(
                "no bounds for {}: it has no symbols, so where functions begin is not known. Pass \
                 the ELF file, not stripped",
                firmware.path.display()
            );
        }
        let (program, told) = resolved(firmware, &conditions, architecture)?;
        let handlers = handlers(firmware, &conditions, &program);
        let mut analysis = Self {
            firmware,
            conditions,
            values: all_values(firmware, &program),
            costs: Costs::default(),
            loops: BTreeMap::new(),
            frames: BTreeMap::new(),
            returning: returning(&program),
            program,
            handlers,
            told,
            bounds: BTreeMap::new(),
        };
        analysis.find_costs();
        analysis.find_frames();
        for functions in analysis.groups() {
            analysis.bound_group(&functions);
        }
        conditions.annotations.check(firmware, &analysis.places())?;
        Ok(analysis)
    }

    /// The bounds of all functions, by their first instructions.
    pub fn bounds(&self) -> &BTreeMap<u32, Bound> {
        &self.bounds
    }

    /// The vectors that lead to functions.
    pub fn handlers(&self) -> &[Handler] {
        &self.handlers
    }

    /// How many states of the pipeline there are.
    pub fn states(&self) -> usize {
        self.costs.states
    }

    /// The last instructions of the blocks that lead back to each loop's head.
    pub fn latches(&self) -> HashMap<u32, HashSet<u32>> {
        let mut latches: HashMap<u32, HashSet<u32>> = HashMap::new();
        for (entry, loops) in &self.loops {
            let Some(function) = self.program.functions.get(entry) else { continue };
            for one in &loops.loops {
                let blocks = one.latches.iter().filter_map(|latch| function.blocks.get(latch));
                let last = blocks.filter_map(|block| block.instructions.last());
                latches.entry(one.head).or_default().extend(last.map(|last| last.address));
            }
        }
        latches
    }

    /// The instructions that set a stack pointer to what is not known: other code may go on there.
    pub fn switches(&self) -> HashSet<u32> {
        let frames = self.frames.values().flat_map(|frame| &frame.obstacles);
        frames.map(|(address, _)| *address).collect()
    }

    /// What annotations can be about.
    fn places(&self) -> Places {
        let loops = self
            .loops
            .iter()
            .flat_map(|(entry, loops)| loops.loops.iter().map(|one| (*entry, one.head)));
        let calls = self.program.functions.values().flat_map(|function| {
            let ends = |block: &&Block| {
                matches!(block.exit, Exit::Calls { .. } | Exit::Leaves { .. } | Exit::Jumps { .. })
            };
            let calls = function.blocks.values().filter(ends);
            let last = calls.filter_map(|block| block.instructions.last());
            last.map(|last| (function.entry, last.address))
        });
        let functions = self.program.functions.keys().copied().collect();
        Places { loops: loops.collect(), calls: calls.collect(), functions }
    }

    /// What the bounds depend on.
    pub(super) fn conditions(&self) -> &Conditions<'a> {
        &self.conditions
    }

    /// The functions of a recursion that a function is in.
    pub fn recursion(&self, entry: u32) -> Vec<u32> {
        self.groups().into_iter().find(|group| group.contains(&entry)).unwrap_or_default()
    }

    fn find_costs(&mut self) {
        let timing = Timing::new(self.conditions.board, self.conditions.unaligned);
        let table = self.conditions.vector_table;
        let vectors = self
            .handlers
            .iter()
            .map(|handler| (handler.entry, table.wrapping_add(4 * u32::from(handler.exception))));
        let vectors = vectors.collect();
        let image = &self.firmware.image;
        self.costs = states::costs(image, &self.program, &self.values, &timing, &vectors);
    }

    fn find_frames(&mut self) {
        let image = &self.firmware.image;
        for function in self.program.functions.values() {
            let values = self.values_of(function.entry);
            self.frames.insert(function.entry, stack::frame(image, function, &values));
        }
    }

    fn values_of(&self, entry: u32) -> BTreeMap<u32, Values> {
        let range = self.values.range((entry, 0)..=(entry, u32::MAX));
        range.map(|((_, block), values)| (*block, values.clone())).collect()
    }

    /// The functions that call each other, callees before their callers.
    fn groups(&self) -> Vec<Vec<u32>> {
        let mut graph = DiGraphMap::<u32, ()>::new();
        for function in self.program.functions.values() {
            graph.add_node(function.entry);
            for callee in function.blocks.values().flat_map(|block| block.exit.callees()) {
                if self.is_counted(function.entry, *callee) {
                    graph.add_edge(function.entry, *callee, ());
                }
            }
        }
        petgraph::algo::tarjan_scc(&graph)
    }

    /// Returns `true` if a call is one of the paths that count: a panic isn't, nor what a function
    /// that returns never comes back from.
    fn is_counted(&self, caller: u32, callee: u32) -> bool {
        let ends = !self.returning.contains(&callee);
        !ends || !self.returning.contains(&caller) && !self.is_panic(callee)
    }

    /// Returns `true` if the function, which does not return, is one of Rust's core library: a
    /// panic.
    fn is_panic(&self, entry: u32) -> bool {
        let name = self.firmware.function(entry).unwrap_or_default();
        name.starts_with("core::") || name.contains("rust_begin_unwind")
    }

    fn bound_group(&mut self, functions: &[u32]) {
        let calls_itself = |entry: u32| {
            let function = self.program.functions.get(&entry);
            let blocks = function.into_iter().flat_map(|function| function.blocks.values());
            blocks.flat_map(|block| block.exit.callees()).any(|callee| *callee == entry)
        };
        let is_recursive = functions.len() > 1 || functions.iter().any(|one| calls_itself(*one));
        for &entry in functions {
            if let Some(function) = self.program.functions.get(&entry).cloned() {
                let bound = self.bound(&function, if is_recursive { functions } else { &[] });
                self.bounds.insert(entry, bound);
            }
        }
        if is_recursive {
            self.bound_recursion(functions);
        }
    }

    /// The bounds of a function whose callees have theirs, but for those in a recursion with it.
    fn bound(&mut self, function: &Function, recursion: &[u32]) -> Bound {
        let entry = function.entry;
        let mut bound =
            Bound { entry, returns: self.returning.contains(&entry), ..Bound::default() };
        let all = self.ways(function);
        let ways = all.that_return(entry);
        let counted: BTreeSet<u32> = if bound.returns {
            let edges = ways.edges.keys().flat_map(|(from, to)| [*from, *to]);
            edges.chain(ways.returns.keys().copied()).collect()
        } else {
            all.reached(entry, |_| true)
        };
        self.gather(function, &counted, recursion, &mut bound);
        self.find_loops(function, &ways, &mut bound);
        // States that were not followed are missing wherever they would have led.
        for &given_up in &self.costs.given_up {
            let open = Open { function: given_up, address: given_up, cause: Cause::States };
            bound.open_cycles.insert(open);
        }
        if bound.returns && bound.open_cycles.is_empty() {
            let loops = self.loops.get(&entry).cloned().unwrap_or_default();
            bound.cycles = longest(entry, &ways, &loops, |head| self.count(entry, &loops, head).0);
        }
        if bound.open_stack.is_empty() {
            bound.stack = Some(self.stack(function, &counted, recursion));
        }
        bound
    }

    /// What the blocks that count leave open, and their callees.
    fn gather(
        &self,
        function: &Function,
        counted: &BTreeSet<u32>,
        recursion: &[u32],
        bound: &mut Bound,
    ) {
        let entry = function.entry;
        let frame = self.frames.get(&entry);
        let here = |address: u32| {
            let block = function.blocks.range(..=address).next_back();
            block.is_some_and(|(start, _)| counted.contains(start))
        };
        let own =
            function.obstacles.iter().chain(frame.into_iter().flat_map(|frame| &frame.obstacles));
        for &(address, obstacle) in own.filter(|(address, _)| here(*address)) {
            let open = Open { function: entry, address, cause: Cause::Obstacle(obstacle) };
            let is_breakpoint = matches!(obstacle, Obstacle::Semihosting | Obstacle::Breakpoint);
            let is_free = is_breakpoint && self.conditions.breakpoints_are_free;
            if !is_free {
                bound.open_cycles.insert(open);
            }
            if obstacle.hides_stack() {
                bound.open_stack.insert(open);
            }
        }
        for (start, block) in function.blocks.iter().filter(|(start, _)| counted.contains(start)) {
            let last = block.instructions.last().map_or(*start, |last| last.address);
            if self.told.contains(&last) {
                let cause = Cause::Obstacle(Obstacle::IndirectCall);
                bound.observed.insert(Open { function: entry, address: last, cause });
            }
            for callee in self.counted_callees(entry, block) {
                if recursion.contains(&callee) {
                    let open = Open { function: entry, address: last, cause: Cause::Recursion };
                    bound.open_cycles.insert(open);
                    continue;
                }
                if let Some(callee) = self.bounds.get(&callee) {
                    bound.open_cycles.extend(&callee.open_cycles);
                    bound.open_stack.extend(&callee.open_stack);
                    bound.observed.extend(&callee.observed);
                }
            }
        }
    }

    fn counted_callees(&self, entry: u32, block: &Block) -> Vec<u32> {
        let callees = block.exit.callees().iter().copied();
        callees.filter(|callee| self.is_counted(entry, *callee)).collect()
    }

    /// Finds the loops among the ways that return, and which of them have no count.
    fn find_loops(&mut self, function: &Function, ways: &Ways, bound: &mut Bound) {
        let entry = function.entry;
        let edges: BTreeSet<(u32, u32)> = ways.edges.keys().copied().collect();
        let values = self.values_of(entry);
        let loops = loops::find(&self.firmware.image, function, &edges, &values);
        for &address in loops.irreducible.iter().take(1) {
            let cause = Cause::Irreducible;
            bound.open_cycles.insert(Open { function: entry, address, cause });
        }
        for one in &loops.loops {
            let open = Open { function: entry, address: one.head, cause: Cause::Loop };
            match self.count(entry, &loops, one.head) {
                (None, _) => {
                    bound.open_cycles.insert(open);
                }
                (Some(_), true) => {
                    bound.observed.insert(open);
                }
                _ => {}
            }
        }
        self.loops.insert(entry, loops);
    }

    /// The count of a loop, and whether only a run has told it.
    fn count(&self, entry: u32, loops: &Loops, head: u32) -> (Option<u64>, bool) {
        let found = loops.loops.iter().find(|one| one.head == head).and_then(|one| one.count);
        let said = self.conditions.annotations.count(self.firmware, entry, head);
        match (found, said) {
            (Some(found), Some(said)) => (Some(found.min(said)), false),
            (Some(count), None) | (None, Some(count)) => (Some(count), false),
            (None, None) => {
                let seen = self.conditions.observed.and_then(|seen| seen.rounds.get(&head));
                (seen.copied(), seen.is_some())
            }
        }
    }

    /// The ways through a function, with its callees' cycles as far as these are known.
    fn ways(&self, function: &Function) -> Ways {
        let mut ways = Ways::default();
        let entry = function.entry;
        let callee =
            |callee: &u32| self.bounds.get(callee).and_then(|bound| bound.cycles).unwrap_or(0);
        let returns = |callee: &&u32| self.returning.contains(callee);
        for (&start, block) in &function.blocks {
            let cost = self.costs.blocks.get(&(entry, start)).cloned().unwrap_or_default();
            let on = cost.on.unwrap_or(0);
            let away = |target: u32| cost.away.get(&target).copied().unwrap_or(0);
            match &block.exit {
                Exit::Falls(next) => ways.add(start, *next, on),
                Exit::Jumps { to, falls } => {
                    if to.is_empty() {
                        ways.add_return(start, 0);
                    }
                    to.iter().for_each(|target| ways.add(start, *target, away(*target)));
                    falls.iter().for_each(|next| ways.add(start, *next, on));
                }
                Exit::Calls { callees, then, falls } => {
                    for one in callees.iter().filter(returns) {
                        ways.add(start, *then, away(*one) + callee(one));
                    }
                    if callees.is_empty() {
                        ways.add(start, *then, away(RETURN));
                    }
                    if *falls {
                        ways.add(start, *then, on);
                    }
                }
                Exit::Leaves { callees, falls } => {
                    for one in callees.iter().filter(returns) {
                        ways.add_return(start, away(*one) + callee(one));
                    }
                    if callees.is_empty() {
                        ways.add_return(start, away(RETURN));
                    }
                    falls.iter().for_each(|next| ways.add(start, *next, on));
                }
                Exit::FallsInto(next) => {
                    if returns(&next) {
                        ways.add_return(start, on + callee(next));
                    }
                }
                Exit::Returns { falls } => {
                    ways.add_return(start, away(RETURN));
                    falls.iter().for_each(|next| ways.add(start, *next, on));
                }
                Exit::Stops if is_unknown(function, block) => ways.add_return(start, 0),
                Exit::Stops => {}
            }
        }
        ways
    }

    /// The stack of a function with its callees', but for those in a recursion with it.
    fn stack(&self, function: &Function, counted: &BTreeSet<u32>, recursion: &[u32]) -> u32 {
        let Some(frame) = self.frames.get(&function.entry) else { return 0 };
        let mut deepest = frame.deepest;
        for (_, block) in function.blocks.iter().filter(|(start, _)| counted.contains(start)) {
            let Some(last) = block.instructions.last() else { continue };
            let here = frame.at_calls.get(&last.address).copied().unwrap_or(0);
            for callee in self.counted_callees(function.entry, block) {
                let known = self.bounds.get(&callee).filter(|_| !recursion.contains(&callee));
                let below = known.and_then(|bound| bound.stack).unwrap_or(0);
                deepest = deepest.max(here.saturating_add(below));
            }
        }
        deepest
    }

    /// The stacks of functions that call each other: where all their depths are said, as many
    /// frames of each as that.
    fn bound_recursion(&mut self, functions: &[u32]) {
        let depths: Option<Vec<u32>> = functions
            .iter()
            .map(|entry| self.conditions.annotations.depth(self.firmware, *entry))
            .collect();
        let own = functions.iter().map(|entry| self.bounds.get(entry).and_then(|one| one.stack));
        let own: Option<Vec<u32>> = own.collect();
        let all = depths.zip(own).map(|(depths, own)| {
            depths
                .iter()
                .zip(own)
                .fold(0_u32, |sum, (depth, one)| sum.saturating_add(depth.saturating_mul(one)))
        });
        let mut open_stack = BTreeSet::new();
        let mut open_cycles = BTreeSet::new();
        let mut observed = BTreeSet::new();
        for entry in functions {
            let Some(bound) = self.bounds.get(entry) else { continue };
            open_stack.extend(bound.open_stack.iter().copied());
            open_cycles.extend(bound.open_cycles.iter().copied());
            observed.extend(bound.observed.iter().copied());
        }
        if all.is_none() && open_stack.is_empty() {
            let calls = open_cycles.iter().filter(|open| open.cause == Cause::Recursion);
            open_stack.extend(calls.copied());
        }
        for entry in functions {
            let Some(bound) = self.bounds.get_mut(entry) else { continue };
            bound.cycles = None;
            bound.stack = all.filter(|_| open_stack.is_empty());
            bound.open_stack.clone_from(&open_stack);
            bound.open_cycles.clone_from(&open_cycles);
            bound.observed.clone_from(&observed);
        }
    }
}
