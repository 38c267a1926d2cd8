//! A chart as plain data: what the generator makes, the interpreter runs and the printer prints.
//!
//! A state is an index; a state comes behind its superstate. An action has a number that nothing
//! else of its chart has, and logs it, so a log says what ran, and in which order.

use std::fmt;

/// Variables of a machine that guards look at.
pub const VARIABLES: usize = 3;
/// Events without a payload.
pub const PLAIN: usize = 6;
/// Events in all; those behind the plain ones carry a number.
pub const EVENTS: usize = 9;
/// The number that an event carries is below this.
pub const PAYLOADS: u8 = 4;
/// The names of events.
pub const NAMES: [&str; EVENTS] = ["A", "B", "C", "D", "E", "F", "G", "H", "I"];

/// A chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chart {
    /// The states, superstates before what is in them.
    pub states: Vec<State>,
    /// Where a machine begins.
    pub start: Target,
    /// Handlers take the event by value, not by reference.
    pub by_value: bool,
    /// Handlers and actions may use a context.
    pub context: bool,
    /// Handlers and actions are `async`, and wait before they do anything.
    pub waits: bool,
    /// What logs events that nobody handles.
    pub unhandled: Option<u16>,
    /// How many events the machine keeps; 0 if no state defers any.
    pub deferred: usize,
}

/// A state: a composite if others are in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Its superstate.
    pub parent: Option<usize>,
    /// What is done when it is entered.
    pub entry: Option<Action>,
    /// What is done when it is exited.
    pub exit: Option<Action>,
    /// What is entered with it, of a composite.
    pub initial: Option<Initial>,
    /// Whether it has a variable of its own, which lives while it is active.
    pub storage: bool,
    /// What it does with events, in the order of the text.
    pub arms: Vec<Arm>,
    /// What it puts off.
    pub defer: Vec<Pattern>,
    /// What it does when it has been entered: nothing, if there are none.
    pub completion: Vec<Branch>,
}

/// The initial transition of a composite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    /// Somewhere in it.
    pub target: Target,
    /// What is done before that is entered.
    pub action: Option<Action>,
}

/// A state that a transition leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Which.
    pub state: usize,
    /// The first value of its own variable, if it has one.
    pub argument: u8,
    /// In place of that the value which this variable has while the handler runs.
    pub variable: Option<usize>,
}

/// Something that is logged, and changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// What is logged.
    pub number: u16,
    /// What changes.
    pub effect: Effect,
}

/// What an action changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// A variable grows, and begins again at 8.
    Add {
        /// Which.
        variable: usize,
        /// By how much.
        by: u8,
    },
    /// A variable becomes the number that the event carries, which is logged.
    Payload {
        /// Which.
        variable: usize,
    },
    /// The state's own variable grows, and is logged.
    Own {
        /// By how much.
        by: u8,
    },
    /// The context's sum grows, and is logged.
    Context {
        /// By how much.
        by: u8,
    },
}

/// What a state does with some events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Which.
    pub pattern: Pattern,
    /// The first whose guard holds is taken. The last one has none.
    pub branches: Vec<Branch>,
    /// How it is written.
    pub style: Style,
}

/// How the branches of an arm are written: always the same is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// An arm of the handler's `match` for each, with a guard.
    Guards,
    /// `if`, `else if`, `else`.
    Ifs,
    /// `if` with `return`.
    Returns,
}

/// Some events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// An event's index.
    pub event: usize,
    /// Only those that carry this number.
    pub payload: Option<u8>,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Which.
    pub event: usize,
    /// The number that it carries; 0 if it carries none.
    pub payload: u8,
}

/// What happens if a guard holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The guard.
    pub guard: Option<Guard>,
    /// What the handler does by itself, before its outcome.
    pub action: Option<Action>,
    /// The outcome.
    pub outcome: Outcome,
}

/// A condition whose evaluation is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// What is logged.
    pub number: u16,
    /// The condition.
    pub condition: Condition,
}

/// A condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A variable is at least so great.
    Variable {
        /// Which.
        variable: usize,
        /// How great.
        least: u8,
    },
    /// The state's own variable is odd.
    Own,
    /// The event carries at least this.
    Payload {
        /// How great.
        least: u8,
    },
}

/// What a handler says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The event is done with.
    Handled,
    /// The superstate shall have it.
    Super,
    /// Later.
    Deferred,
    /// A transition.
    Transition {
        /// Of which kind.
        kind: Kind,
        /// Where to.
        target: Target,
        /// What is done between the exits and the entries.
        action: Option<Action>,
    },
}

/// The kinds of transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Exits and enters a composite that contains the other one.
    External,
    /// Leaves a composite alone that contains the other one.
    Local,
    /// To the child that was active last.
    History,
    /// To the leaf that was active last.
    DeepHistory,
}

impl Chart {
    /// A state and what it is in, from the inside out.
    pub fn path(&self, state: usize) -> Vec<usize> {
        std::iter::successors(Some(state), |state| self.states[*state].parent).collect()
    }

    /// Whether a state is the other one, or in it.
    pub fn is_in(&self, state: usize, other: usize) -> bool {
        self.path(state).contains(&other)
    }

    /// Whether others are in it.
    pub fn is_composite(&self, state: usize) -> bool {
        self.states.iter().any(|other| other.parent == Some(state))
    }

    /// The leaves in a state, or itself.
    pub fn leaves(&self, state: usize) -> Vec<usize> {
        let all = 0..self.states.len();
        all.filter(|leaf| !self.is_composite(*leaf) && self.is_in(*leaf, state)).collect()
    }

    /// Where a transition ends that leads to a state, by initial transitions.
    pub fn settled(&self, state: usize) -> usize {
        match &self.states[state].initial {
            Some(initial) => self.settled(initial.target.state),
            None => state,
        }
    }

    /// All branches of a state's handler and completion.
    pub fn branches(&self, state: usize) -> impl Iterator<Item = &Branch> {
        let state = &self.states[state];
        state.arms.iter().flat_map(|arm| &arm.branches).chain(&state.completion)
    }
}

impl Pattern {
    /// Whether the number that the event carries is left open.
    pub const fn binds_payload(self) -> bool {
        self.event >= PLAIN && self.payload.is_none()
    }

    /// Whether an event is among them.
    pub fn fits(&self, event: Event) -> bool {
        self.event == event.event && self.payload.is_none_or(|payload| payload == event.payload)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES[self.event];
        if self.event < PLAIN {
            return formatter.write_str(name);
        }
        write!(formatter, "{name}({})", self.payload)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES[self.event];
        match self.payload {
            Some(payload) => write!(formatter, "Event::{name}({payload})"),
            None if self.event < PLAIN => write!(formatter, "Event::{name}"),
            None => write!(formatter, "Event::{name}(_)"),
        }
    }
}
