//! Every state of the pipeline that the code of an image can meet. From these follow the most
//! cycles of each way through a block.
//!
//! States flow along the control flow, into functions and back behind their calls, until nothing
//! new comes. A call through a register may go to any function, so its states flow to all
//! functions. An exception may come before each instruction, so the states behind its handler flow
//! from there as well.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use quintet_sim::image::Image;
use rustc_hash::FxHashMap;

use super::atlas::{Atlas, Frontier, State, most};
use super::cost::Timing;
use super::fronts::{Front, Fronts};
use super::graph::Program;
use super::interruption::{Interruption, Parts};
use super::routes::{Pool, Route, routes};
use super::values::Values;

/// A block that meets more states is given up.
const STATES_MAX: usize = 4096;

/// A block in its function.
pub type Place = (u32, u32);

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
    /// The cycles that an interruption adds.
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

    /// The same ways if they began with `cycles` in place of the `known` ones.
    fn later(&self, cycles: u64, known: u64) -> Self {
        let later = |cost: u64| cost + cycles - known;
        let away = self.away.iter().map(|(target, cost)| (*target, later(*cost)));
        Self { on: self.on.map(later), away: away.collect() }
    }
}

/// Where states go.
struct Flow<'a> {
    timing: &'a Timing,
    atlas: Atlas<'a>,
    fronts: Fronts,
    /// All blocks, and the steps through each.
    places: Vec<Place>,
    routes: Vec<Route>,
    met: Vec<Met>,
    left: VecDeque<usize>,
    costs: Costs,
    /// States that went to all places of a pool, by the home of these places.
    to_all: HashMap<(Pool, u32), HashSet<State>>,
    /// Handlers with their vectors, one of each kind of place.
    handlers: Vec<(u32, u32)>,
    /// The states of which the time of a handler's entry has been noted.
    entered: Vec<bool>,
    parts: Parts,
}

/// The states that have come to a block.
#[derive(Default)]
struct Met {
    /// A bit for each state.
    seen: Vec<u64>,
    count: usize,
    /// Those that have not been followed.
    new: Frontier,
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
    let mut atlas = Atlas::new(timing);
    let all = routes(image, program, values, timing, &mut atlas);
    let (places, routes): (Vec<Place>, Vec<Route>) = all.into_iter().unzip();
    let mut flow = Flow {
        timing,
        atlas,
        fronts: Fronts::default(),
        met: routes.iter().map(|_| Met::default()).collect(),
        places,
        routes,
        left: VecDeque::new(),
        costs: Costs::default(),
        to_all: HashMap::new(),
        handlers: timing.kinds_of_handlers(handlers),
        entered: Vec::new(),
        parts: Parts::default(),
    };
    let vector = handlers.values().next().copied().unwrap_or(0);
    for block in 0..flow.routes.len() {
        flow.begin(block, vector);
    }
    while let Some(block) = flow.left.pop_front() {
        flow.process(block);
    }
    flow.finished()
}

impl Flow<'_> {
    fn finished(mut self) -> Costs {
        self.costs.states = self.met.iter().map(|met| met.count).sum();
        let interruption = &mut self.costs.interruption;
        (interruption.exit, interruption.instruction) = (self.atlas.exit, self.atlas.longest);
        interruption.refill = self.parts.refill(&self.costs.blocks);
        self.costs
    }

    /// The states that need no call: in the beginning, and behind a handler that came in between.
    fn begin(&mut self, block: usize, vector: u32) {
        let (entry, start) = self.places[block];
        if entry == start {
            let home = self.timing.home(entry);
            let entered = self.timing.entered(home, vector);
            let entered: Vec<State> =
                entered.into_iter().map(|one| self.atlas.number(one)).collect();
            self.meet(block, &entered);
        }
        let resumed = self.atlas.resumed(start);
        self.meet(block, &resumed);
        if self.routes[block].on.is_some() {
            self.costs.blocks.entry(self.places[block]).or_default();
        }
        self.resume(block);
    }

    /// The states behind handlers that come within a block, and the cycles from there on.
    fn resume(&mut self, block: usize) {
        let length = self.routes[block].body.len();
        // From the last instruction to the first: where a way meets one from behind it, only a
        // constant tells them apart.
        let mut met: FxHashMap<(usize, Front), (u64, usize)> = FxHashMap::default();
        let mut all: Vec<Cost> = vec![Cost::default(); length + 1];
        for from in (1..=length).rev() {
            let resumed = self.atlas.resumed(self.routes[block].behind[from - 1]);
            let (mut front, mut cycles) = (self.fronts.begin(&resumed), 0);
            let mut between = Vec::new();
            let mut index = from;
            all[from] = loop {
                if let Some((known, other)) = met.get(&(index, front)) {
                    break all[*other].later(cycles, *known);
                }
                met.insert((index, front), (cycles, from));
                if index == length {
                    let frontier = self.fronts.states(front);
                    let frontier = frontier.iter().map(|(state, cost)| (*state, cost + cycles));
                    break self.leave(block, &frontier.collect());
                }
                let step = self.routes[block].body[index];
                let (next, later, is_new) = self.fronts.advance(&mut self.atlas, front, step);
                (front, cycles, index) = (next, cycles + later, index + 1);
                let states = self.fronts.states(front);
                if is_new {
                    self.note_entries(&states);
                }
                between.extend(most(&states).map(|most| (index, cycles + most)));
            };
            self.parts.note_resumed(self.places[block], from, &between, &all[from]);
        }
    }

    fn process(&mut self, block: usize) {
        let mut frontier = std::mem::take(&mut self.met[block].new);
        self.note_entries(&frontier);
        for index in 0..self.routes[block].body.len() {
            frontier = self.advance(block, index, &frontier);
            if let Some(most) = most(&frontier) {
                self.parts.note_prefix(self.places[block], index + 1, most);
            }
        }
        self.leave(block, &frontier);
    }

    /// One of the instructions before the last one.
    fn advance(&mut self, block: usize, index: usize, frontier: &Frontier) -> Frontier {
        let next = self.atlas.advance(frontier, self.routes[block].body[index]);
        self.note_entries(&next);
        next
    }

    /// A handler of each kind may begin in a state.
    fn note_entries(&mut self, frontier: &Frontier) {
        self.entered.resize(self.atlas.len(), false);
        for &(state, _) in frontier {
            if !std::mem::replace(&mut self.entered[state as usize], true) {
                let before = self.atlas.state(state);
                let all = self.handlers.iter().map(|one| self.timing.entry(before, *one));
                let entry = &mut self.costs.interruption.entry;
                *entry = (*entry).max(all.max().unwrap_or(0));
            }
        }
    }

    /// States come to a block.
    fn meet(&mut self, block: usize, states: &[State]) {
        let function = self.places[block].0;
        if self.costs.given_up.contains(&function) {
            return;
        }
        let met = &mut self.met[block];
        let was_empty = met.new.is_empty();
        for &state in states {
            if met.see(state) {
                met.new.push((state, 0));
            }
        }
        if met.count > STATES_MAX {
            self.costs.given_up.insert(function);
        }
        if was_empty && !met.new.is_empty() {
            self.left.push_back(block);
        }
    }

    /// The last instruction of a block: states go on from there. The most cycles of each way.
    fn leave(&mut self, block: usize, frontier: &Frontier) -> Cost {
        let mut left = Cost::default();
        let Some(on) = self.routes[block].on else { return left };
        let behind = self.atlas.advance(frontier, on);
        left.on = most(&behind);
        if let Some(next) = self.routes[block].next {
            let states: Vec<State> = behind.iter().map(|(state, _)| *state).collect();
            self.meet(next, &states);
        }
        for index in 0..self.routes[block].away.len() {
            let (step, counted) = {
                let departure = &self.routes[block].away[index];
                (departure.step, departure.counted)
            };
            let gone = self.atlas.advance(frontier, step);
            if let Some(cost) = most(&gone) {
                let known = left.away.entry(counted).or_default();
                *known = cost.max(*known);
            }
            self.go(block, index, &gone);
        }
        self.costs.blocks.entry(self.places[block]).or_default().join(&left);
        left
    }

    /// States go elsewhere.
    fn go(&mut self, block: usize, index: usize, gone: &Frontier) {
        let departure = self.routes[block].away[index].clone();
        let mut states: Vec<State> = gone.iter().map(|(state, _)| *state).collect();
        // What has gone to all of them before need not go again.
        if let Some(pool) = departure.pool {
            let known = self.to_all.entry(pool).or_default();
            states.retain(|state| known.insert(*state));
        }
        if !states.is_empty() {
            departure.to.iter().for_each(|place| self.meet(*place, &states));
        }
    }
}

impl Met {
    /// Returns `true` if the state has not come before.
    fn see(&mut self, state: State) -> bool {
        let (word, bit) = (state as usize / 64, 1 << (state % 64));
        if self.seen.len() <= word {
            self.seen.resize(word + 1, 0);
        }
        let is_new = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        self.count += usize::from(is_new);
        is_new
    }
}
