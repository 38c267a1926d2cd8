//! The rules of UML's state machines, one by one: the interpreter with which the macro's code is
//! compared.
//!
//! Nothing is prepared. Each transition searches for the states that stay active, exits the others,
//! and enters the target. The rules:
//!
//! 1. An event goes to the active leaf, then to its superstates from the inside out, until a
//!    handler takes it. The state of this handler is the source of a transition.
//! 2. A transition exits the active states, from the inside out, up to the innermost state that
//!    stays. This is the innermost state around both source and target. For a local transition, it
//!    is the source or the target, if one contains the other.
//! 3. Then its action runs. Then the target is entered, from the outside in.
//! 4. Then a composite's initial transition is taken: its action runs, then its target is entered,
//!    and so on until a leaf is entered.
//! 5. A transition to a history is one to its composite. But if the composite was exited before,
//!    its initial transition is replaced: the child (shallow) or leaf (deep) that was active at the
//!    last exit is entered.
//! 6. Then the leaf's completion is asked, or that of the superstate which the leaf completes. It
//!    may transition in turn, from the state that it belongs to.
//! 7. An event that a state defers is kept, unless a state inside takes it. After a transition the
//!    oldest kept event that the active states don't defer is dispatched, and so on. Kept events
//!    stay in the order in which they came.
//! 8. A state's timer is armed before its entry action, and disarmed before its exit action.

use super::chart::{
    Action, Branch, Chart, Condition, Effect, Event, Kind, Outcome, Target, VARIABLES,
};

/// The mark of a value in the log. Values are below it.
pub const VALUE: u16 = 0x8000;
/// The observations after a step besides the log: the log's length before the step, and the state
/// after it.
pub const SEEN: usize = 9;

/// A machine.
pub struct Machine<'a> {
    chart: &'a Chart,
    /// The active leaf; `None` before the start.
    pub leaf: Option<usize>,
    /// The leaf's own variable.
    pub own: u8,
    /// The machine's variables.
    pub variables: [u8; VARIABLES],
    /// The context's sum.
    pub sum: u8,
    /// The deferred events, the oldest first.
    pub kept: Vec<Event>,
    /// The numbers of the actions that ran, in their order.
    pub log: Vec<u16>,
    /// For each composite, the leaf that was active at the last exit.
    left: Vec<Option<usize>>,
    transitions: u64,
}

/// The result of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A handler took the event, or no state did.
    Done,
    /// The event is kept.
    Kept,
    /// The event should be kept, but there is no room.
    Full,
}

impl<'a> Machine<'a> {
    /// A machine before its start.
    pub fn new(chart: &'a Chart) -> Self {
        Self {
            chart,
            leaf: None,
            own: 0,
            variables: [0; VARIABLES],
            sum: 0,
            kept: Vec::new(),
            log: Vec::new(),
            left: vec![None; chart.states.len()],
            transitions: 0,
        }
    }

    /// The first transition, which comes from nowhere.
    pub fn start(&mut self) {
        if self.leaf.is_none() {
            self.enter_within(self.chart.start, None);
            self.take_initials(self.chart.start.state);
            self.complete();
        }
    }

    /// Dispatches an event, and then the kept events that can be taken.
    pub fn dispatch(&mut self, event: Event) -> Taken {
        self.start();
        let before = self.transitions;
        let taken = self.handle(event);
        if self.transitions != before {
            self.recall();
        }
        taken
    }

    /// Starts, or takes an event. Returns the observations, as `observe` of `support.rs` makes
    /// them.
    pub fn observe(&mut self, step: usize, event: Option<Event>) -> Vec<u16> {
        let taken = event.map(|event| self.dispatch(event));
        self.start();
        let probe = step % self.chart.states.len();
        let mut seen = vec![self.log.len() as u16];
        seen.append(&mut self.log);
        let leaf = self.leaf.unwrap_or(0);
        let is_leaf_with = self.chart.states[leaf].storage;
        seen.extend([leaf as u16, if is_leaf_with { self.own.into() } else { 0 }]);
        seen.extend(self.variables.map(u16::from));
        let had_room = taken != Some(Taken::Full);
        let last = [self.sum, u8::from(had_room), u8::from(self.is_in(probe))];
        seen.extend(last.map(u16::from));
        seen
    }

    /// Returns `true` if a state is active.
    pub fn is_in(&self, state: usize) -> bool {
        self.leaf.is_some_and(|leaf| self.chart.is_in(leaf, state))
    }

    fn recall(&mut self) {
        let mut next = 0;
        while next < self.kept.len() {
            let event = self.kept[next];
            if self.deferring(event) {
                next += 1;
                continue;
            }
            self.kept.remove(next);
            let before = self.transitions;
            let taken = self.handle(event);
            if taken == Taken::Kept {
                let event = self.kept.pop();
                self.kept.splice(next..next, event);
                next += 1;
            }
            if self.transitions != before {
                next = 0;
            }
        }
    }

    /// Returns `true` if the active leaf defers an event before any handler sees it.
    fn deferring(&self, event: Event) -> bool {
        self.leaf.is_some_and(|leaf| self.defers(leaf, event))
    }

    fn defers(&self, state: usize, event: Event) -> bool {
        self.chart.states[state].defer.iter().any(|pattern| pattern.fits(event))
    }

    /// One event.
    fn handle(&mut self, event: Event) -> Taken {
        let Some(leaf) = self.leaf else { return Taken::Done };
        for source in self.chart.path(leaf) {
            if self.defers(source, event) {
                return self.keep(event);
            }
            let arms = &self.chart.states[source].arms;
            let Some(arm) = arms.iter().find(|arm| arm.pattern.fits(event)) else { continue };
            match self.choose(&arm.branches, event) {
                Some(Outcome::Handled) => return Taken::Done,
                Some(Outcome::Deferred) => return self.keep(event),
                Some(Outcome::Transition { kind, target, action }) => {
                    self.transition(source, *kind, *target, *action);
                    self.complete();
                    return Taken::Done;
                }
                Some(Outcome::Super) | None => {}
            }
        }
        self.log.extend(self.chart.unhandled);
        Taken::Done
    }

    fn keep(&mut self, event: Event) -> Taken {
        if self.kept.len() == self.chart.deferred {
            return Taken::Full;
        }
        self.kept.push(event);
        Taken::Kept
    }

    /// The first branch whose guard holds.
    fn choose(&mut self, branches: &'a [Branch], event: Event) -> Option<&'a Outcome> {
        for branch in branches {
            if let Some(guard) = branch.guard {
                self.log.push(guard.number);
                let holds = match guard.condition {
                    Condition::Variable { variable, least } => self.variables[variable] >= least,
                    Condition::Own => self.own % 2 == 1,
                    Condition::Payload { least } => event.payload >= least,
                };
                if !holds {
                    continue;
                }
            }
            self.act(branch.action, event.payload);
            return Some(&branch.outcome);
        }
        None
    }

    /// Runs the completion of the new leaf.
    fn complete(&mut self) {
        let nothing = Event { event: 0, payload: 0 };
        while let Some(leaf) = self.leaf {
            let source = self.chart.completed_by(leaf);
            let outcome = self.choose(&self.chart.states[source].completion, nothing);
            let Some(Outcome::Transition { kind, target, action }) = outcome else { return };
            self.transition(source, *kind, *target, *action);
        }
    }

    fn transition(&mut self, source: usize, kind: Kind, to: Target, action: Option<Action>) {
        self.transitions += 1;
        let argument = to.variable.map_or(to.argument, |variable| self.variables[variable]);
        let target = Target { argument, ..to };
        let stays = self.stays(source, kind, target.state);
        self.exit_up_to(stays);
        self.act(action, 0);
        self.enter_within(target, stays);
        let last = match kind {
            Kind::History | Kind::DeepHistory => self.left[target.state],
            Kind::External | Kind::Local => None,
        };
        let Some(leaf) = last else { return self.take_initials(target.state) };
        let path = self.chart.path(leaf);
        let child = path.iter().find(|s| self.chart.states[**s].parent == Some(target.state));
        let state = if kind == Kind::History { *child.unwrap_or(&leaf) } else { leaf };
        self.enter_within(Target { state, ..Target::default() }, Some(target.state));
        self.take_initials(state);
    }

    /// Returns the innermost state that is neither exited nor entered.
    fn stays(&self, source: usize, kind: Kind, target: usize) -> Option<usize> {
        if kind == Kind::Local {
            if self.chart.is_in(target, source) {
                return Some(source);
            }
            if self.chart.is_in(source, target) {
                return Some(target);
            }
        }
        let around = |state: usize| self.chart.path(state).into_iter().skip(1);
        around(source).find(|state| around(target).any(|other| other == *state))
    }

    /// Exits the active states up to `stays`.
    fn exit_up_to(&mut self, stays: Option<usize>) {
        let Some(leaf) = self.leaf else { return };
        for state in self.chart.path(leaf) {
            if Some(state) == stays {
                return;
            }
            self.log.extend(self.chart.states[state].timer);
            self.act(self.chart.states[state].exit, 0);
            self.left[state] = Some(leaf);
        }
    }

    /// Enters a state, and its superstates inside `stays`.
    fn enter_within(&mut self, target: Target, stays: Option<usize>) {
        let path = self.chart.path(target.state);
        let entered: Vec<_> = path.into_iter().take_while(|state| Some(*state) != stays).collect();
        if self.chart.states[target.state].storage && !self.chart.is_composite(target.state) {
            self.own = target.argument;
        }
        for state in entered.into_iter().rev() {
            if let Some(number) = self.chart.states[state].timer {
                self.log.extend([number, VALUE + state as u16]);
            }
            self.act(self.chart.states[state].entry, 0);
        }
        self.leaf = Some(target.state);
    }

    /// Takes the initial transitions of a state.
    fn take_initials(&mut self, mut state: usize) {
        while let Some(initial) = &self.chart.states[state].initial {
            self.act(initial.action, 0);
            self.enter_within(initial.target, Some(state));
            state = initial.target.state;
        }
    }

    fn act(&mut self, action: Option<Action>, payload: u8) {
        let Some(Action { number, effect }) = action else { return };
        self.log.push(number);
        let value = match effect {
            Effect::None => return,
            Effect::Add { variable, by } => {
                self.variables[variable] = (self.variables[variable] + by) % 8;
                return;
            }
            Effect::Payload { variable } => {
                self.variables[variable] = payload;
                payload
            }
            Effect::Own { by } => {
                self.own = self.own.wrapping_add(by);
                self.own
            }
            Effect::Context { by } => {
                self.sum = self.sum.wrapping_add(by);
                self.sum
            }
        };
        self.log.push(VALUE + u16::from(value));
    }
}
