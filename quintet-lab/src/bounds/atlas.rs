//! All states of the pipeline that the code can meet, and the states behind each step.
//!
//! A state is a number here, and so is a [`Step`]: an instruction's [class](super::class) with one
//! of its ways. The pipeline finds the states behind a step once. From then on they are known for
//! all code of this class.

use std::ops::Range;

use quintet_sim::timing::{Key, NOW, Pipeline};
use rustc_hash::FxHashMap;

use super::class::Class;
use super::cost::Timing;

/// The number of a state.
pub type State = u32;

/// The number of a step.
pub type StepNumber = u32;

/// States at one place, each with the most cycles that led there.
pub type Frontier = Vec<(State, u64)>;

/// An instruction of a class, executed, with the way on which execution goes on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The class of the instruction.
    pub class: Class,
    /// `true` if execution goes elsewhere.
    pub away: bool,
    /// The address at which execution goes on while the instruction is at home, and the home of
    /// that code.
    pub to: (u32, u32),
}

/// All states and steps.
pub struct Atlas<'a> {
    timing: &'a Timing,
    numbers: FxHashMap<Key, State>,
    states: Vec<Pipeline>,
    step_numbers: FxHashMap<Step, StepNumber>,
    steps: Vec<Step>,
    /// For each step and state, the states behind: a range of `behind`.
    known: Vec<FxHashMap<State, (u32, u32)>>,
    behind: Frontier,
    resumed: FxHashMap<u32, Vec<State>>,
    marks: Marks,
    /// The longest instruction that was met.
    pub longest: u64,
    /// The longest return of a handler.
    pub exit: u64,
}

/// The place of each state in a frontier.
#[derive(Default)]
struct Marks {
    frontier: u32,
    places: Vec<(u32, u32)>,
}

impl<'a> Atlas<'a> {
    /// Makes an atlas without states.
    pub fn new(timing: &'a Timing) -> Self {
        Self {
            timing,
            numbers: FxHashMap::default(),
            states: Vec::new(),
            step_numbers: FxHashMap::default(),
            steps: Vec::new(),
            known: Vec::new(),
            behind: Frontier::new(),
            resumed: FxHashMap::default(),
            marks: Marks::default(),
            longest: 0,
            exit: 0,
        }
    }

    /// Returns the number of different states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns a state by its number.
    pub fn state(&self, number: State) -> &Pipeline {
        &self.states[number as usize]
    }

    /// Returns the number of a state, which loses its past.
    pub fn number(&mut self, mut state: Pipeline) -> State {
        state.forget_past();
        let key = state.key();
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        let number = self.states.len() as State;
        self.states.push(state);
        self.marks.places.push((0, 0));
        self.numbers.insert(key, number);
        number
    }

    /// Returns the number of a step.
    pub fn step(&mut self, step: Step) -> StepNumber {
        if let Some(known) = self.step_numbers.get(&step) {
            return *known;
        }
        let number = self.steps.len() as StepNumber;
        self.steps.push(step.clone());
        self.known.push(FxHashMap::default());
        self.step_numbers.insert(step, number);
        number
    }

    /// Returns the states in which code goes on at an address when a handler has returned.
    pub fn resumed(&mut self, address: u32) -> Vec<State> {
        let home = self.timing.home(address);
        if let Some(known) = self.resumed.get(&home) {
            return known.clone();
        }
        self.exit = self.exit.max(self.timing.exit(home));
        let states = self.timing.resumed(home);
        let states: Vec<State> = states.into_iter().map(|state| self.number(state)).collect();
        self.resumed.insert(home, states.clone());
        states
    }

    /// Returns the states behind a step, each with the most cycles that led there.
    pub fn advance(&mut self, frontier: &[(State, u64)], step: StepNumber) -> Frontier {
        let mut next = Frontier::new();
        self.marks.frontier += 1;
        for &(state, cost) in frontier {
            for place in self.follow(step, state) {
                let (behind, cycles) = self.behind[place];
                self.marks.add(&mut next, behind, cost + cycles);
            }
        }
        next
    }

    /// Returns the range in `behind` of the states behind a step.
    fn follow(&mut self, step: StepNumber, state: State) -> Range<usize> {
        if let Some(&(from, to)) = self.known[step as usize].get(&state) {
            return from as usize..to as usize;
        }
        let found = self.found(step, state);
        let from = self.behind.len();
        self.behind.extend(found);
        let range = (from as u32, self.behind.len() as u32);
        self.known[step as usize].insert(state, range);
        from..self.behind.len()
    }

    fn found(&mut self, step: StepNumber, state: State) -> Frontier {
        let timing = self.timing;
        let (before, step) = (&self.states[state as usize], &self.steps[step as usize]);
        let (at, home) = step.to;
        // A sleep holds nothing off.
        let counts = step.away || !step.class.sleeps();
        let states = if step.away {
            let away = timing.away(before, &step.class).into_iter();
            away.map(|one| Timing::go(one, at)).collect()
        } else {
            timing.on(before, &step.class)
        };
        let mut found = Frontier::new();
        for mut state in states {
            let cycles = state.now().saturating_sub(NOW);
            if counts {
                self.longest = self.longest.max(cycles);
            }
            state.move_code(at, home);
            let number = self.number(state);
            match found.iter_mut().find(|(known, _)| *known == number) {
                Some((_, known)) => *known = cycles.max(*known),
                None => found.push((number, cycles)),
            }
        }
        found
    }
}

impl Marks {
    fn add(&mut self, frontier: &mut Frontier, state: State, cost: u64) {
        let place = &mut self.places[state as usize];
        if place.0 == self.frontier {
            let known = &mut frontier[place.1 as usize].1;
            *known = cost.max(*known);
        } else {
            *place = (self.frontier, frontier.len() as u32);
            frontier.push((state, cost));
        }
    }
}

/// Returns the most cycles that led to any of the states.
pub fn most(frontier: &[(State, u64)]) -> Option<u64> {
    frontier.iter().map(|(_, cost)| *cost).max()
}
