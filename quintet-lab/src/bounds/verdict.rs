//! The bounds of each function, or the obstacles to these.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use anyhow::bail;
use petgraph::graphmap::DiGraphMap;
use quintet_sim::processor::Architecture;

use super::aliases;
use super::annotations::Places;
use super::bound::{Bound, Cause, Conditions, Handler, Open};
use super::cost::Timing;
use super::graph::{Block, Exit, Function, Obstacle, Program};
use super::interruption::Interruption;
use super::loops::{self, Loops};
use super::path::{Ways, longest, round};
use super::stack::{self, Frame};
use super::states::{self, Costs};
use super::system;
use super::values::Values;
use super::vectors::Vectors;
use super::whole::{Whole, resolved, returning};
use crate::firmware::Firmware;

/// The bounds of all functions of a firmware.
pub struct Analysis<'a> {
    pub(super) firmware: &'a Firmware,
    pub(super) conditions: Conditions<'a>,
    pub(super) program: Program,
    pub(super) values: BTreeMap<(u32, u32), Values>,
    pub(super) costs: Costs,
    /// The loops of each function, in the part that returns.
    pub(super) loops: BTreeMap<u32, Loops>,
    pub(super) frames: BTreeMap<u32, Frame>,
    pub(super) handlers: Vec<Handler>,
    pub(super) vectors: Vectors,
    pub(super) returning: BTreeSet<u32>,
    /// Calls whose targets a run has told.
    pub(super) told: BTreeSet<u32>,
    pub(super) bounds: BTreeMap<u32, Bound>,
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
        if firmware.image.symbols.is_empty() {
            bail!(
                "no bounds for {}: it has no symbols, so where functions begin is not known. Pass \
                 the ELF file, not stripped",
                firmware.path.display()
            );
        }
        let Whole { program, values, vectors, told } =
            resolved(firmware, &conditions, architecture)?;
        let handlers = vectors.handlers.iter().map(|(handler, _)| *handler).collect();
        let mut analysis = Self {
            firmware,
            conditions,
            values,
            vectors,
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
        analysis.add_retries();
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

    /// Why there may be other handlers than these.
    pub fn open_vectors(&self) -> &BTreeSet<Open> {
        &self.vectors.open
    }

    /// The stores to the registers of the core that decide which handler runs, and when.
    pub fn system_writes(&self) -> Vec<system::Write> {
        system::writes(&self.firmware.image, &self.program, &self.values)
    }

    /// How many states of the pipeline there are.
    pub fn states(&self) -> usize {
        self.costs.states
    }

    /// The cycles that an interruption adds to the interrupted code.
    pub fn interruption(&self) -> Interruption {
        self.costs.interruption
    }

    /// Whether code has supervisor calls.
    pub fn has_supervisor_calls(&self) -> bool {
        let mut blocks = self.program.functions.values().flat_map(|one| one.blocks.values());
        blocks.any(|block| matches!(block.exit, Exit::Traps { .. }))
    }

    /// The bytes of an exception's frame, with the word that aligns it.
    pub fn frame_bytes(&self) -> u32 {
        let has_floats = self.conditions.board.configuration().has_floating_point();
        if has_floats { 36 + 72 } else { 36 }
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

    /// The instructions that set a stack pointer to an unknown value: other code may go on there.
    pub fn switches(&self) -> HashSet<u32> {
        let frames = self.frames.values().flat_map(|frame| &frame.obstacles);
        frames.map(|(address, _)| *address).collect()
    }

    /// The places that annotations can name.
    fn places(&self) -> Places {
        let loops =
            self.loops.iter().flat_map(|(entry, loops)| loops.heads().map(|head| (*entry, head)));
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

    /// The conditions of the bounds.
    pub(super) fn conditions(&self) -> &Conditions<'a> {
        &self.conditions
    }

    /// The functions of a recursion that a function is in.
    pub fn recursion(&self, entry: u32) -> Vec<u32> {
        self.groups().into_iter().find(|group| group.contains(&entry)).unwrap_or_default()
    }

    fn find_costs(&mut self) {
        let Conditions { board, wait_states, .. } = self.conditions;
        let timing = Timing::new(board, wait_states);
        let has_aliases = aliases::are_used(&self.firmware.image, &self.program);
        let timing = if has_aliases { timing } else { timing.without_bits() };
        let vectors = self.vectors.by_entry();
        let image = &self.firmware.image;
        self.costs = states::costs(image, &self.program, &self.values, &timing, &vectors);
    }

    /// An interruption costs the round of a loop whose store-exclusive it lets fail.
    fn add_retries(&mut self) {
        let functions = self.program.functions.values();
        let rounds = functions.flat_map(|function| {
            let loops = self.loops.get(&function.entry).into_iter().flat_map(|all| &all.loops);
            let retried: Vec<_> = loops.filter(|one| one.retries).collect();
            let ways = if retried.is_empty() { Ways::default() } else { self.ways(function) };
            retried.into_iter().map(move |one| round(&ways, one))
        });
        self.costs.interruption.refill += rounds.max().unwrap_or(0);
    }

    fn find_frames(&mut self) {
        let image = &self.firmware.image;
        for function in self.program.functions.values() {
            let values = self.values_of(function.entry);
            self.frames.insert(function.entry, stack::frame(image, function, &values));
        }
    }

    pub(super) fn values_of(&self, entry: u32) -> BTreeMap<u32, Values> {
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
    pub(super) fn is_counted(&self, caller: u32, callee: u32) -> bool {
        // What is said of a function stands for what it calls.
        let whole = self.conditions.annotations.whole(self.firmware, caller);
        if whole.is_some_and(|whole| whole.cycles.is_some() && whole.stack.is_some()) {
            return false;
        }
        let ends = !self.returning.contains(&callee);
        !ends || !self.returning.contains(&caller) && !self.is_panic(callee)
    }

    /// Returns `true` if the function, which does not return, is one of Rust's core library: a
    /// panic.
    pub(super) fn is_panic(&self, entry: u32) -> bool {
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
        functions.iter().for_each(|entry| self.apply_whole(*entry));
    }

    /// An annotation of a function as a whole takes the place of the bounds from its code.
    fn apply_whole(&mut self, entry: u32) {
        let whole = self.conditions.annotations.whole(self.firmware, entry);
        let (Some(whole), Some(bound)) = (whole, self.bounds.get_mut(&entry)) else { return };
        if let Some(cycles) = whole.cycles {
            bound.cycles = Some(cycles).filter(|_| bound.returns);
            bound.open_cycles.clear();
        }
        if let Some(stack) = whole.stack {
            bound.stack = Some(stack);
            bound.open_stack.clear();
        }
        if whole.cycles.is_some() && whole.stack.is_some() {
            bound.observed.clear();
            bound.waits.clear();
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
            let count = |head, is_knot| match is_knot {
                true => self.conditions.annotations.count(self.firmware, entry, head),
                false => self.count(entry, &loops, head).0,
            };
            bound.cycles = longest(entry, &ways, &loops, count);
            if bound.cycles.is_none() {
                // A circle that not all of its heads are on.
                let open = Open { function: entry, address: entry, cause: Cause::Tangled };
                bound.open_cycles.insert(open);
            }
        }
        if bound.open_stack.is_empty() {
            bound.stack = Some(self.stack(function, &counted, recursion));
        }
        bound
    }

    /// Collects the obstacles in the blocks that count, and in their callees.
    pub(super) fn gather(
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
            let is_open = match obstacle {
                Obstacle::Semihosting | Obstacle::Breakpoint => {
                    !self.conditions.breakpoints_are_free
                }
                Obstacle::Float => !self.conditions.board.configuration().has_floating_point(),
                Obstacle::Waits => {
                    bound.waits.insert(open);
                    false
                }
                _ => true,
            };
            if is_open {
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
                    bound.waits.extend(&callee.waits);
                }
            }
        }
    }

    pub(super) fn counted_callees(&self, entry: u32, block: &Block) -> Vec<u32> {
        let callees = block.exit.callees().iter().copied();
        callees.filter(|callee| self.is_counted(entry, *callee)).collect()
    }

    /// Finds the loops among the ways that return, and which of them have no count.
    fn find_loops(&mut self, function: &Function, ways: &Ways, bound: &mut Bound) {
        let entry = function.entry;
        let edges: BTreeSet<(u32, u32)> = ways.edges.keys().copied().collect();
        let values = self.values_of(entry);
        let loops = loops::find(&self.firmware.image, function, &edges, &values);
        for &address in loops.knots.iter().flat_map(|knot| &knot.heads) {
            if self.conditions.annotations.count(self.firmware, entry, address).is_none() {
                let cause = Cause::Irreducible;
                bound.open_cycles.insert(Open { function: entry, address, cause });
            }
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
    pub(super) fn count(&self, entry: u32, loops: &Loops, head: u32) -> (Option<u64>, bool) {
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

    /// The stack of a function with its callees', but for those in a recursion with it.
    fn stack(&self, function: &Function, counted: &BTreeSet<u32>, recursion: &[u32]) -> u32 {
        let Some(frame) = self.frames.get(&function.entry) else { return 0 };
        let mut deepest = frame.deepest;
        for (_, block) in function.blocks.iter().filter(|(start, _)| counted.contains(start)) {
            let Some(last) = block.instructions.last() else { continue };
            let here = frame.at_calls.get(&last.address).copied().unwrap_or(0);
            let is_trap = matches!(block.exit, Exit::Traps { .. });
            let here = here + if is_trap { self.frame_bytes() } else { 0 };
            deepest = deepest.max(here);
            for callee in self.counted_callees(function.entry, block) {
                let known = self.bounds.get(&callee).filter(|_| !recursion.contains(&callee));
                let below = known.and_then(|bound| bound.stack).unwrap_or(0);
                deepest = deepest.max(here.saturating_add(below));
            }
        }
        deepest
    }
}
