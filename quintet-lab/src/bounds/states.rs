//! Every state of the pipeline that the code of an image can meet, and with it the most cycles that
//! each way through a block takes.
//!
//! States flow along the control flow, into functions and back behind their calls, until nothing
//! new comes. A function that no call names, and what is called through a register, gets the states
//! of every call. An exception may come before each instruction, so the states behind its handler
//! flow from there as well.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use quintet_sim::image::Image;
use quintet_sim::processor::instruction::Operation;
use quintet_sim::timing::{Key, NOW, Pipeline};

use super::cost::{Timing, Way};
use super::graph::{Block, Exit, Function, Instruction, Program};
use super::interruption::{Interruption, Parts, Resumed};
use super::values::Values;

/// A block is given up when it meets more states.
const STATES_MAX: usize = 4096;

/// A word behind a branch that is fetched in vain is at most so many bytes behind it.
const NEAR: u32 = 16;

/// A block in its function.
type Place = (u32, u32);

/// The most cycles of the ways through a block: from the cycle in which its first instruction can
/// begin to the one in which the next one can.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// On to the instruction behind it.
    pub on: Option<u64>,
    /// To each target of its last instruction; to [`RETURN`] for a return, and for a call of a
    /// function that is not known.
    pub away: BTreeMap<u32, u64>,
}

/// In place of the target of a return.
pub const RETURN: u32 = u32::MAX;

/// The costs of all blocks.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// By function and block.
    pub blocks: HashMap<Place, Cost>,
    /// Functions with a block that meets too many states.
    pub given_up: BTreeSet<u32>,
    /// How many states there are in all.
    pub states: usize,
    /// What an interruption adds.
    pub interruption: Interruption,
}

impl Cost {
    /// The more of each way.
    fn join(&mut self, other: &Self) {
        self.on = self.on.max(other.on);
        for (&target, &cycles) in &other.away {
            let known = self.away.entry(target).or_default();
            *known = cycles.max(*known);
        }
    }
}

/// Where states go.
struct Flow<'a> {
    timing: &'a Timing,
    image: &'a Image,
    program: &'a Program,
    values: &'a BTreeMap<Place, Values>,
    /// The blocks behind calls of each function.
    sites: HashMap<u32, BTreeSet<Place>>,
    /// The blocks behind calls of functions that are not known.
    open_sites: BTreeSet<Place>,
    seen: HashMap<Place, HashSet<Key>>,
    new: HashMap<Place, Vec<Pipeline>>,
    left: VecDeque<Place>,
    costs: Costs,
    /// States that went to all functions, and behind all open calls, by the first of the places.
    to_anyone: HashSet<(u32, Key)>,
    to_open: HashSet<(u32, Key)>,
    /// Handlers with their vectors, one of each kind of place.
    handlers: Vec<(u32, u32)>,
    parts: Parts,
    /// States go nowhere: they have been followed.
    only_measures: bool,
}

/// The most cycles of all blocks of a program. `handlers`: functions that vectors name, with the
/// addresses of these.
pub fn costs(
    image: &Image,
    program: &Program,
    values: &BTreeMap<Place, Values>,
    timing: &Timing,
    handlers: &BTreeMap<u32, u32>,
) -> Costs {
    let mut flow = Flow {
        timing,
        image,
        program,
        values,
        sites: HashMap::new(),
        open_sites: BTreeSet::new(),
        seen: HashMap::new(),
        new: HashMap::new(),
        left: VecDeque::new(),
        costs: Costs::default(),
        to_anyone: HashSet::new(),
        to_open: HashSet::new(),
        handlers: timing.kinds_of_handlers(handlers),
        parts: Parts::default(),
        only_measures: false,
    };
    flow.find_sites();
    let vector = handlers.values().next().copied().unwrap_or(0);
    for function in program.functions.values() {
        flow.begin(function, vector);
    }
    while let Some(place) = flow.left.pop_front() {
        flow.process(place);
    }
    flow.costs.states = flow.seen.values().map(HashSet::len).sum();
    flow.costs.interruption.refill = flow.parts.refill(&flow.costs.blocks);
    flow.costs
}

impl Flow<'_> {
    fn find_sites(&mut self) {
        for function in self.program.functions.values() {
            for block in function.blocks.values() {
                if let Exit::Calls { callees, then, .. } = &block.exit {
                    let site = (function.entry, *then);
                    for callee in callees {
                        self.sites.entry(*callee).or_default().insert(site);
                    }
                    if callees.is_empty() {
                        self.open_sites.insert(site);
                    }
                }
            }
        }
        // The return of a function that another one ends in is that one's return.
        loop {
            let mut more = Vec::new();
            for function in self.program.functions.values() {
                let Some(sites) = self.sites.get(&function.entry) else { continue };
                for callee in function.blocks.values().filter_map(|block| match &block.exit {
                    Exit::Leaves { callees, .. } => Some(callees.as_slice()),
                    Exit::FallsInto(callee) => Some(std::slice::from_ref(callee)),
                    _ => None,
                }) {
                    more.extend(callee.iter().map(|callee| (*callee, sites.clone())));
                }
            }
            let mut grown = false;
            for (callee, sites) in more {
                let known = self.sites.entry(callee).or_default();
                let before = known.len();
                known.extend(sites);
                grown |= known.len() > before;
            }
            if !grown {
                break;
            }
        }
    }

    /// The states that need no call: in the beginning, and behind a handler that came in between.
    fn begin(&mut self, function: &Function, vector: u32) {
        let entry = (function.entry, function.entry);
        self.meet(entry, self.timing.entered(function.entry, vector));
        for (&start, block) in &function.blocks {
            let place = (function.entry, start);
            self.meet(place, self.timing.resumed(start));
            self.note_exit(start);
            let Some(values) = self.values.get(&place).cloned() else { continue };
            self.flow_on(place, block, values.clone());
            self.measure(place, block, values);
        }
    }

    /// The states behind handlers that come within a block.
    fn flow_on(&mut self, place: Place, block: &Block, mut values: Values) {
        let mut middle = Frontier::default();
        let Some((_, body)) = block.instructions.split_last() else { return };
        for instruction in body {
            middle = self.advance(&middle, instruction, &values);
            values.step(self.image, instruction);
            for state in self.timing.resumed(instruction.behind()) {
                middle.add(state, 0);
            }
        }
        self.leave(place, block, &middle, &values);
    }

    /// What a block takes from each of its instructions on, behind a handler.
    fn measure(&mut self, place: Place, block: &Block, mut values: Values) {
        let Some((_, body)) = block.instructions.split_last() else { return };
        self.only_measures = true;
        for (index, instruction) in body.iter().enumerate() {
            values.step(self.image, instruction);
            let resumed = self.timing.resumed(instruction.behind());
            self.note_exit(instruction.behind());
            let parts = self.resume(place, block, (index + 1, resumed), values.clone());
            self.parts.resumed.entry(place).or_default().insert(index + 1, parts);
        }
        self.only_measures = false;
    }

    /// A handler of each kind may begin in a state.
    fn note_entry(&mut self, state: &Pipeline) {
        let handlers = self.handlers.iter();
        let entry = handlers.map(|one| self.timing.entry(state, *one)).max().unwrap_or(0);
        let known = &mut self.costs.interruption.entry;
        *known = entry.max(*known);
    }

    fn note_exit(&mut self, target: u32) {
        let exit = &mut self.costs.interruption.exit;
        *exit = (*exit).max(self.timing.exit(target));
    }

    /// A block goes on before one of its instructions.
    fn resume(
        &mut self,
        place: Place,
        block: &Block,
        (from, states): (usize, Vec<Pipeline>),
        mut values: Values,
    ) -> Resumed {
        let mut frontier = Frontier::default();
        states.into_iter().for_each(|state| frontier.add(state, 0));
        let mut between = BTreeMap::new();
        let last = block.instructions.len() - 1;
        for (index, instruction) in block.instructions.iter().enumerate().take(last).skip(from) {
            frontier = self.advance(&frontier, instruction, &values);
            values.step(self.image, instruction);
            between.extend(frontier.most().map(|most| (index + 1, most)));
        }
        Resumed { between, to_ends: self.leave(place, block, &frontier, &values) }
    }

    /// States come to a block.
    fn meet(&mut self, place: Place, states: impl IntoIterator<Item = Pipeline>) {
        let Some(function) = self.program.functions.get(&place.0) else { return };
        let is_given_up = self.costs.given_up.contains(&place.0);
        if self.only_measures || is_given_up || !function.blocks.contains_key(&place.1) {
            return;
        }
        let seen = self.seen.entry(place).or_default();
        let new = self.new.entry(place).or_default();
        let was_empty = new.is_empty();
        for mut state in states {
            state.forget_past();
            if seen.insert(state.key()) {
                new.push(state);
            }
        }
        if seen.len() > STATES_MAX {
            self.costs.given_up.insert(place.0);
        }
        if was_empty && !new.is_empty() {
            self.left.push_back(place);
        }
    }

    fn process(&mut self, place: Place) {
        let states = self.new.remove(&place).unwrap_or_default();
        let program = self.program;
        let Some(block) = program.functions.get(&place.0).and_then(|one| one.blocks.get(&place.1))
        else {
            return;
        };
        let Some(mut values) = self.values.get(&place).cloned() else { return };
        let mut frontier = Frontier::default();
        for state in states {
            self.note_entry(&state);
            frontier.add(state, 0);
        }
        let (_, body) = block.instructions.split_last().unwrap_or((&block.instructions[0], &[]));
        for (index, instruction) in body.iter().enumerate() {
            frontier = self.advance(&frontier, instruction, &values);
            values.step(self.image, instruction);
            if let Some(most) = frontier.most() {
                self.parts.note_prefix(place, index + 1, most);
            }
        }
        self.leave(place, block, &frontier, &values);
    }

    fn advance(
        &mut self,
        frontier: &Frontier,
        instruction: &Instruction,
        values: &Values,
    ) -> Frontier {
        let mut next = Frontier::default();
        for (state, cost) in frontier.0.values() {
            for (behind, way) in self.timing.step(state, instruction, values) {
                // What goes elsewhere ends a block.
                if way == Way::On {
                    self.note_instruction(instruction, &behind);
                    next.add(behind, *cost);
                }
            }
        }
        // When it only measures, these states have been here.
        if !self.only_measures {
            next.0.values().for_each(|(state, _)| self.note_entry(state));
        }
        next
    }

    /// The state behind an instruction, before which the cycle was [`NOW`]. A sleep holds nothing
    /// off.
    fn note_instruction(&mut self, instruction: &Instruction, behind: &Pipeline) {
        let operation = instruction.operation();
        if matches!(operation, Operation::WaitForInterrupt | Operation::WaitForEvent) {
            return;
        }
        let known = &mut self.costs.interruption.instruction;
        *known = behind.now().saturating_sub(NOW).max(*known);
    }

    /// The last instruction of a block. The most cycles of each way.
    fn leave(&mut self, place: Place, block: &Block, frontier: &Frontier, values: &Values) -> Cost {
        let mut left = Cost::default();
        let Some(last) = block.instructions.last() else { return left };
        let (mut on, mut away) = (Frontier::default(), Vec::new());
        for (state, cost) in frontier.0.values() {
            for (behind, way) in self.timing.step(state, last, values) {
                match way {
                    Way::On => {
                        self.note_instruction(last, &behind);
                        on.add(behind, *cost);
                    }
                    Way::Away => away.push((behind, *cost)),
                }
            }
        }
        left.on = on.most();
        self.go_on(place, block, &on);
        match &block.exit {
            Exit::Jumps { to, .. } => {
                for &target in to {
                    let states = self.go(&mut left, &away, target, target);
                    self.meet((place.0, target), states);
                }
            }
            Exit::Calls { callees, .. } | Exit::Leaves { callees, .. } if !callees.is_empty() => {
                for &callee in callees {
                    let states = self.go(&mut left, &away, callee, callee);
                    self.meet((callee, callee), states);
                }
            }
            Exit::Calls { .. } | Exit::Leaves { .. } => {
                self.go_anywhere(&mut left, last.address, &away);
            }
            Exit::Returns { .. } => self.go_back(place, &mut left, last.address, &away),
            _ => {}
        }
        self.costs.blocks.entry(place).or_default().join(&left);
        left
    }

    fn go_on(&mut self, place: Place, block: &Block, on: &Frontier) {
        let target = match &block.exit {
            Exit::Falls(next) => Some((place.0, *next)),
            Exit::FallsInto(function) => Some((*function, *function)),
            Exit::Calls { then, falls, .. } => falls.then_some((place.0, *then)),
            Exit::Jumps { falls, .. } | Exit::Leaves { falls, .. } | Exit::Returns { falls } => {
                falls.map(|next| (place.0, next))
            }
            // Behind a handler, states are those of its return.
            Exit::Stops | Exit::Traps { .. } => None,
        };
        if let Some(target) = target {
            self.meet(target, on.0.values().map(|(state, _)| state.clone()));
        }
    }

    /// The last instruction goes to a target; its cost counts for `counted`.
    fn go(
        &mut self,
        left: &mut Cost,
        away: &[(Pipeline, u64)],
        target: u32,
        counted: u32,
    ) -> Vec<Pipeline> {
        let mut gone = Frontier::default();
        for (state, cost) in away {
            let behind = Timing::go(state.clone(), target);
            let longest = &mut self.costs.interruption.instruction;
            *longest = behind.now().saturating_sub(NOW).max(*longest);
            gone.add(behind, *cost);
        }
        if let Some(cost) = gone.most() {
            let known = left.away.entry(counted).or_default();
            *known = cost.max(*known);
        }
        gone.0.into_values().map(|(state, _)| state).collect()
    }

    /// To any function.
    fn go_anywhere(&mut self, left: &mut Cost, from: u32, away: &[(Pipeline, u64)]) {
        let functions: BTreeSet<Place> =
            self.program.functions.keys().map(|&entry| (entry, entry)).collect();
        self.go_to_all((left, from), away, &functions, Pool::Anyone);
    }

    /// Back to whoever has called.
    fn go_back(&mut self, place: Place, left: &mut Cost, from: u32, away: &[(Pipeline, u64)]) {
        let sites = self.sites.get(&place.0).cloned().unwrap_or_default();
        self.go_to_all((left, from), away, &sites, Pool::None);
        let open = self.open_sites.clone();
        self.go_to_all((left, from), away, &open, Pool::Open);
        if sites.is_empty() && open.is_empty() {
            // Nobody is known that it returns to: the cost is that of a return to itself.
            self.go(left, away, place.0, RETURN);
        }
    }

    /// Each word that is fetched in vain behind the branch at `from` may be one of a place nearby.
    /// Of places far away, those in the same memory and at the same place of a word are alike.
    fn go_to_all(
        &mut self,
        (left, from): (&mut Cost, u32),
        away: &[(Pipeline, u64)],
        targets: &BTreeSet<Place>,
        pool: Pool,
    ) {
        let mut kinds: BTreeMap<(u32, u32), Vec<Place>> = BTreeMap::new();
        for &target in targets {
            if target.1.wrapping_sub(from) <= NEAR {
                let states = self.go(left, away, target.1, RETURN);
                self.meet(target, states);
                continue;
            }
            let region = self.timing.region(target.1).map_or(0, |region| region.start);
            kinds.entry((region, target.1 & 2)).or_default().push(target);
        }
        for alike in kinds.into_values() {
            let Some(&(_, first)) = alike.first() else { continue };
            let mut states = self.go(left, away, first, RETURN);
            if self.only_measures {
                continue;
            }
            // What has gone to all of them before need not go again.
            match pool {
                Pool::None => {}
                Pool::Anyone => states.retain(|state| self.to_anyone.insert((first, state.key()))),
                Pool::Open => states.retain(|state| self.to_open.insert((first, state.key()))),
            }
            for target in alike {
                let moved = states.iter().cloned().map(|mut state| {
                    state.move_code(first, target.1);
                    state
                });
                self.meet(target, moved);
            }
        }
    }
}

/// What goes to the same places from everywhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pool {
    /// Nothing does.
    None,
    /// The states of calls of functions that are not known.
    Anyone,
    /// The states of returns to behind such calls.
    Open,
}

/// States at one place, each with the most cycles that led there.
#[derive(Default)]
struct Frontier(HashMap<Key, (Pipeline, u64)>);

impl Frontier {
    /// A state, with the cycles until the instruction before it.
    fn add(&mut self, mut state: Pipeline, before: u64) {
        let cost = before + state.now().saturating_sub(NOW);
        state.forget_past();
        let known = self.0.entry(state.key()).or_insert_with(|| (state, cost));
        known.1 = known.1.max(cost);
    }

    fn most(&self) -> Option<u64> {
        self.0.values().map(|(_, cost)| *cost).max()
    }
}
