//! Random charts that the language allows: with every feature, and every leaf reachable.

use super::chart::{
    Action, Arm, Branch, Chart, Condition, EVENTS, Effect, Event, Guard, Initial, Kind, Outcome,
    PAYLOADS, PLAIN, Pattern, State, Style, Target, VARIABLES,
};
use super::reach::without_unreachable;
use crate::random::Random;

/// States are in each other at most this deep.
pub const DEPTH_MAX: usize = 6;
/// The most events that a machine keeps.
const DEFERRED_MAX: u32 = 4;

/// The chart with a number: about `size` states.
pub fn chart(seed: u64, index: u64, size: u32) -> Chart {
    let mut maker = Maker::new(Random::of_item(seed, index));
    maker.grow(size.max(2));
    maker.choose_storage();
    maker.set_initials();
    for state in 0..maker.chart.states.len() {
        maker.fill(state);
    }
    maker.lead_around();
    // A completion leaves its superstate, so that a machine sees less of such a chart.
    if index % 3 == 2 {
        maker.add_ends();
    }
    without_unreachable(&maker.chart)
}

/// Returns this many events for a chart.
pub fn events(seed: u64, index: u64, count: usize) -> Vec<Event> {
    let mut random = Random::of_item(seed ^ 0x0045_7645_4e54_5300, index);
    (0..count).map(|_| event(&mut random)).collect()
}

fn event(random: &mut Random) -> Event {
    let event = random.below(EVENTS as u32) as usize;
    let payload = if event < PLAIN { 0 } else { random.below(u32::from(PAYLOADS)) as u8 };
    Event { event, payload }
}

struct Maker {
    chart: Chart,
    random: Random,
    /// The last number that something logs.
    number: u16,
    /// For each composite, `true` if a transition uses its history.
    remembered: Vec<bool>,
    /// For each leaf, `true` if it has a completion.
    completes: Vec<bool>,
}

impl Maker {
    fn new(mut random: Random) -> Self {
        let chart = Chart {
            by_value: random.one_in(3),
            context: random.one_in(3),
            waits: random.one_in(4),
            unhandled: random.one_in(3).then_some(1),
            deferred: if random.one_in(2) { 1 + random.below(DEFERRED_MAX) as usize } else { 0 },
            ..Chart::default()
        };
        Self { chart, random, number: 1, remembered: Vec::new(), completes: Vec::new() }
    }

    /// Makes states: half of them in one of the last ones.
    fn grow(&mut self, size: u32) {
        for index in 0..size as usize {
            let parent = match index {
                0 => None,
                _ if self.random.one_in(8) => None,
                _ if self.random.one_in(2) => Some(index - 1 - self.below(index.min(3))),
                _ => Some(self.below(index)),
            };
            let parent = parent.filter(|parent| self.chart.path(*parent).len() < DEPTH_MAX);
            self.chart.states.push(State { parent, ..State::default() });
        }
        for state in 0..self.chart.states.len() {
            let is_composite = self.chart.is_composite(state);
            self.remembered.push(is_composite && self.random.one_in(4));
            self.completes.push(!is_composite && self.random.one_in(8));
        }
    }

    /// Gives leaves variables, but no leaf whose composite has a history. Some leaves get one, and
    /// all leaves of some composites, whose handlers use it too.
    fn choose_storage(&mut self) {
        let remembers = |maker: &Self, state: usize| {
            maker.chart.path(state).into_iter().any(|state| maker.remembered[state])
        };
        for state in 0..self.chart.states.len() {
            let of_parent = self.chart.states[state]
                .parent
                .is_some_and(|parent| self.chart.states[parent].storage);
            let chosen = self.random.one_in(7) && self.none_in(state, remembers);
            self.chart.states[state].storage = of_parent || chosen;
        }
    }

    fn none_in(&self, state: usize, is: impl Fn(&Self, usize) -> bool) -> bool {
        let all = 0..self.chart.states.len();
        !all.filter(|other| self.chart.is_in(*other, state)).any(|other| is(self, other))
    }

    fn set_initials(&mut self) {
        for state in 0..self.chart.states.len() {
            let below: Vec<_> = (state + 1..self.chart.states.len())
                .filter(|other| self.chart.is_in(*other, state))
                .collect();
            if !below.is_empty() {
                let state_in = self.random.pick(&below);
                let target = self.target(state_in);
                let action = self.sometimes_action(2);
                self.chart.states[state].initial = Some(Initial { target, action });
            }
        }
        let start = self.below(self.chart.states.len());
        self.chart.start = self.target(start);
    }

    /// Gives a state its arms and actions.
    fn fill(&mut self, state: usize) {
        let is_leaf = !self.chart.is_composite(state);
        let entry = (!self.random.one_in(4)).then(|| self.action(is_leaf.then_some(state), None));
        let exit = (!self.random.one_in(4)).then(|| self.action(is_leaf.then_some(state), None));
        let mut events: Vec<usize> = (0..EVENTS).collect();
        let most = if is_leaf { 5 } else { 3 };
        for _ in 0..self.below(most) + 1 {
            let event = events.swap_remove(self.below(events.len()));
            if self.chart.deferred > 0 && self.random.one_in(8) {
                let pattern = self.pattern(event);
                self.chart.states[state].defer.push(pattern);
                continue;
            }
            if event >= PLAIN && self.random.one_in(3) {
                let pattern = self.pattern(event);
                self.add_arm(state, pattern);
                if pattern.payload.is_none() {
                    continue;
                }
            }
            self.add_arm(state, Pattern { event, payload: None });
        }
        let completion = if self.completes[state] { self.completion(state) } else { Vec::new() };
        let state = &mut self.chart.states[state];
        state.entry = entry;
        state.exit = exit;
        state.completion = completion;
    }

    fn pattern(&mut self, event: usize) -> Pattern {
        let payload = (event >= PLAIN && self.random.one_in(2))
            .then(|| self.random.below(u32::from(PAYLOADS)) as u8);
        Pattern { event, payload }
    }

    fn add_arm(&mut self, state: usize, pattern: Pattern) {
        let count = 1 + self.below(3);
        let mut branches = Vec::new();
        for index in 0..count {
            let guard = (index + 1 < count).then(|| self.guard(Some(state), Some(pattern)));
            let action = self.random.one_in(2).then(|| self.action(Some(state), Some(pattern)));
            let outcome = self.outcome(state);
            branches.push(Branch { guard, action, outcome });
        }
        let style = self.random.pick(&[Style::Guards, Style::Ifs, Style::Returns]);
        self.chart.states[state].arms.push(Arm { pattern, branches, style });
    }

    fn outcome(&mut self, state: usize) -> Outcome {
        match self.random.below(20) {
            0..3 => Outcome::Handled,
            3..6 => Outcome::Super,
            6 if self.chart.deferred > 0 => Outcome::Deferred,
            7..10 => match self.some_remembered() {
                Some(target) => {
                    let kind = self.random.pick(&[Kind::History, Kind::DeepHistory]);
                    self.transition(kind, target)
                }
                None => Outcome::Handled,
            },
            10..14 => {
                // Here a local transition differs from an external one.
                let path = self.chart.path(state);
                let around = self.random.pick(&path);
                let all = 0..self.chart.states.len();
                let near: Vec<_> = all.filter(|other| self.chart.is_in(*other, around)).collect();
                let target = self.random.pick(&near);
                let is_leaf = target == state && !self.chart.is_composite(state);
                let kind = if is_leaf { Kind::External } else { Kind::Local };
                self.transition(kind, target)
            }
            14 => self.transition(Kind::External, state),
            15 => {
                let path = self.chart.path(state);
                let target = self.random.pick(&path);
                self.transition(Kind::External, target)
            }
            _ => {
                let target = self.below(self.chart.states.len());
                self.transition(Kind::External, target)
            }
        }
    }

    fn some_remembered(&mut self) -> Option<usize> {
        let all = 0..self.chart.states.len();
        let some: Vec<_> = all.filter(|state| self.remembered[*state]).collect();
        (!some.is_empty()).then(|| self.random.pick(&some))
    }

    fn transition(&mut self, kind: Kind, state: usize) -> Outcome {
        let target = match kind {
            Kind::External | Kind::Local => {
                let variable = self.random.one_in(3).then(|| self.below(VARIABLES));
                Target { variable, ..self.target(state) }
            }
            Kind::History | Kind::DeepHistory => Target { state, ..Target::default() },
        };
        Outcome::Transition { kind, target, action: self.sometimes_action(3) }
    }

    /// Transitions that lead to leaves without completions, or to ones behind this.
    fn completion(&mut self, state: usize) -> Vec<Branch> {
        let ends = |other: &usize| {
            let leaf = self.chart.settled(*other);
            leaf > state || !self.completes[leaf]
        };
        let all = 0..self.chart.states.len();
        let targets: Vec<_> = all.filter(ends).collect();
        if targets.is_empty() {
            return Vec::new();
        }
        let target = self.random.pick(&targets);
        let guard = (!self.random.one_in(3)).then(|| self.guard(None, None));
        let action = self.random.one_in(2).then(|| self.action(None, None));
        let outcome = self.transition(Kind::External, target);
        let mut branches = vec![Branch { guard, action, outcome }];
        if guard.is_some() {
            let outcome = Outcome::Handled;
            branches.push(Branch { guard: None, action: None, outcome });
        }
        branches
    }

    /// Gives each leaf a way to another one, so that all of them form a circle: a machine stays
    /// nowhere for ever, and comes everywhere.
    fn lead_around(&mut self) {
        let all = 0..self.chart.states.len();
        let mut leaves: Vec<_> = all.filter(|state| !self.chart.is_composite(*state)).collect();
        for place in (1..leaves.len()).rev() {
            let other = self.below(place + 1);
            leaves.swap(place, other);
        }
        for (place, leaf) in leaves.iter().enumerate() {
            let next = leaves[(place + 1) % leaves.len()];
            let Some(event) = self.free_event(*leaf) else { continue };
            let outcome = self.transition(Kind::External, next);
            let branch = Branch { guard: None, action: None, outcome };
            let pattern = Pattern { event, payload: None };
            let arm = Arm { pattern, branches: vec![branch], style: Style::Ifs };
            self.chart.states[*leaf].arms.push(arm);
        }
    }

    /// Lets leaves complete their superstates, and gives states timers. Last, so that it changes
    /// nothing else of a chart.
    fn add_ends(&mut self) {
        for state in 0..self.chart.states.len() {
            if self.random.one_in(6) {
                self.chart.states[state].timer = Some(self.next_number());
            }
            if self.chart.is_composite(state) && self.random.one_in(4) {
                self.complete(state);
            }
        }
    }

    /// Lets a leaf complete a composite, unless completions would go round then.
    fn complete(&mut self, composite: usize) {
        let is_free = |leaf: &usize| {
            let state = &self.chart.states[*leaf];
            let is_inside = state.parent == Some(composite) && !self.chart.is_composite(*leaf);
            is_inside && state.completion.is_empty()
        };
        let leaves: Vec<_> = (0..self.chart.states.len()).filter(is_free).collect();
        if leaves.is_empty() {
            return;
        }
        let (leaf, before) = (self.random.pick(&leaves), self.chart.clone());
        // Where it goes to another part of the composite, the source of the transition matters.
        let is_part =
            |state: &usize| *state != leaf && self.chart.states[*state].parent == Some(composite);
        let parts: Vec<_> = (0..self.chart.states.len()).filter(is_part).collect();
        let target = match parts.is_empty() || self.random.one_in(2) {
            true => self.below(self.chart.states.len()),
            false => self.random.pick(&parts),
        };
        let guard = self.random.one_in(2).then(|| self.guard(None, None));
        let outcome = self.transition(Kind::External, target);
        let mut branches = vec![Branch { guard, action: self.sometimes_action(2), outcome }];
        if guard.is_some() {
            branches.push(Branch { guard: None, action: None, outcome: Outcome::Handled });
        }
        self.chart.states[leaf].completes = true;
        self.chart.states[composite].completion = branches;
        if !self.chart.completions_end() {
            self.chart = before;
        }
    }

    /// An event that a state says nothing about.
    fn free_event(&mut self, state: usize) -> Option<usize> {
        let State { arms, defer, .. } = &self.chart.states[state];
        let says = |event: usize| {
            let mut said = arms.iter().map(|arm| arm.pattern).chain(defer.iter().copied());
            said.any(|pattern| pattern.event == event)
        };
        let free: Vec<_> = (0..EVENTS).filter(|event| !says(*event)).collect();
        (!free.is_empty()).then(|| self.random.pick(&free))
    }

    fn target(&mut self, state: usize) -> Target {
        Target { state, argument: self.random.below(8) as u8, variable: None }
    }

    fn sometimes_action(&mut self, times: u32) -> Option<Action> {
        self.random.one_in(times).then(|| {
            let effect = self.plain_effect();
            Action { number: self.next_number(), effect }
        })
    }

    /// An action that may change the own variable of a state, and knows an event.
    fn action(&mut self, state: Option<usize>, event: Option<Pattern>) -> Action {
        let number = self.next_number();
        let has_payload = event.is_some_and(Pattern::binds_payload);
        let effect = match self.random.below(4) {
            0 if state.is_some_and(|state| self.chart.states[state].storage) => {
                Effect::Own { by: 1 + self.below(5) as u8 }
            }
            1 if has_payload => Effect::Payload { variable: self.below(VARIABLES) },
            _ => self.plain_effect(),
        };
        Action { number, effect }
    }

    fn plain_effect(&mut self) -> Effect {
        let by = 1 + self.below(5) as u8;
        match self.random.below(4) {
            0 => Effect::None,
            1 if self.chart.context => Effect::Context { by },
            _ => Effect::Add { variable: self.below(VARIABLES), by },
        }
    }

    /// A guard that may look at the same.
    fn guard(&mut self, state: Option<usize>, event: Option<Pattern>) -> Guard {
        let number = self.next_number();
        let has_payload = event.is_some_and(Pattern::binds_payload);
        let condition = match self.random.below(4) {
            0 if state.is_some_and(|state| self.chart.states[state].storage) => Condition::Own,
            1 if has_payload => Condition::Payload { least: 1 + self.below(3) as u8 },
            _ => Condition::Variable {
                variable: self.below(VARIABLES),
                least: 1 + self.below(7) as u8,
            },
        };
        Guard { number, condition }
    }

    fn next_number(&mut self) -> u16 {
        self.number += 1;
        self.number
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit as u32) as usize
    }
}
