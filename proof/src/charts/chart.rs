//! A chart as plain data: the output of the generator, and the input of the interpreter and the
//! printer.
//!
//! A state is an index. A state comes behind its superstate. An action has a number that is unique
//! in its chart, and logs this number, so the log shows which actions ran, in their order.

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
    /// The states. A superstate comes before the states inside.
    pub states: Vec<State>,
    /// The beginning of a machine.
    pub start: Target,
    /// Handlers take the event by value, not by reference.
    pub by_value: bool,
    /// Handlers and actions may use a context.
    pub context: bool,
    /// Handlers and actions are `async`, and wait before their work.
    pub waits: bool,
    /// The function that logs events that no state handles.
    pub unhandled: Option<u16>,
    /// The number of events that the machine keeps; 0 if no state defers any.
    pub deferred: usize,
}

/// A state. It is a composite if it contains others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The superstate.
    pub parent: Option<usize>,
    /// The action at the entry.
    pub entry: Option<Action>,
    /// The action at the exit.
    pub exit: Option<Action>,
    /// The initial transition of a composite.
    pub initial: Option<Initial>,
    /// `true` if the state has a variable of its own, which lives while the state is active.
    pub storage: bool,
    /// The state's handling of events, in the order of the text.
    pub arms: Vec<Arm>,
    /// The events that the state defers.
    pub defer: Vec<Pattern>,
    /// The branches of the state's completion; empty for none.
    pub completion: Vec<Branch>,
    /// `true` if the state, a leaf, completes its superstate.
    pub completes: bool,
    /// The number that the state's timer logs.
    pub timer: Option<u16>,
}

/// The initial transition of a composite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    /// The target, inside the composite.
    pub target: Target,
    /// The action before the target's entry.
    pub action: Option<Action>,
}

/// A state that a transition leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The target state.
    pub state: usize,
    /// The first value of the target's own variable, if it has one.
    pub argument: u8,
    /// The variable whose value is used instead, as it is while the handler runs.
    pub variable: Option<usize>,
}

/// Something that is logged, and changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// The logged number.
    pub number: u16,
    /// The action's effect.
    pub effect: Effect,
}

/// The effects of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// A variable grows, and begins again at 8.
    Add {
        /// The number of the variable.
        variable: usize,
        /// By how much.
        by: u8,
    },
    /// A variable becomes the number that the event carries. The number is logged.
    Payload {
        /// The number of the variable.
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

/// A state's handling of some events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The pattern of the events.
    pub pattern: Pattern,
    /// The first branch whose guard holds is taken. The last one has no guard.
    pub branches: Vec<Branch>,
    /// The style of the source.
    pub style: Style,
}

/// The styles of an arm's branches in the source. The meaning is always the same.
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
    /// Only events that carry this number.
    pub payload: Option<u8>,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number of the event.
    pub event: usize,
    /// The number that the event carries; 0 if it carries none.
    pub payload: u8,
}

/// The effect of a branch whose guard holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The guard.
    pub guard: Option<Guard>,
    /// The action of the handler itself, before its outcome.
    pub action: Option<Action>,
    /// The outcome.
    pub outcome: Outcome,
}

/// A condition whose evaluation is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The logged number.
    pub number: u16,
    /// The condition.
    pub condition: Condition,
}

/// A condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A variable is at least so great.
    Variable {
        /// The number of the variable.
        variable: usize,
        /// The least value.
        least: u8,
    },
    /// The state's own variable is odd.
    Own,
    /// The event carries at least this.
    Payload {
        /// The least value.
        least: u8,
    },
}

/// The outcome of a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The event is done with.
    Handled,
    /// The superstate handles the event.
    Super,
    /// Later.
    Deferred,
    /// A transition.
    Transition {
        /// The kind of the transition.
        kind: Kind,
        /// The target.
        target: Target,
        /// The action between the exits and the entries.
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
    /// Returns a state and its superstates, from the inside out.
    pub fn path(&self, state: usize) -> Vec<usize> {
        std::iter::successors(Some(state), |state| self.states[*state].parent).collect()
    }

    /// Returns `true` if a state is the other one, or inside it.
    pub fn is_in(&self, state: usize, other: usize) -> bool {
        self.path(state).contains(&other)
    }

    /// Returns `true` if the state contains others.
    pub fn is_composite(&self, state: usize) -> bool {
        self.states.iter().any(|other| other.parent == Some(state))
    }

    /// The leaves in a state, or itself.
    pub fn leaves(&self, state: usize) -> Vec<usize> {
        let all = 0..self.states.len();
        all.filter(|leaf| !self.is_composite(*leaf) && self.is_in(*leaf, state)).collect()
    }

    /// Returns the end of a transition to a state, after initial transitions.
    pub fn settled(&self, state: usize) -> usize {
        match &self.states[state].initial {
            Some(initial) => self.settled(initial.target.state),
            None => state,
        }
    }

    /// Returns the state whose completion is asked when a leaf has been entered.
    pub fn completed_by(&self, leaf: usize) -> usize {
        let state = &self.states[leaf];
        state.parent.filter(|_| state.completes).unwrap_or(leaf)
    }

    /// Returns `true` if completions end, whatever guards say.
    pub fn completions_end(&self) -> bool {
        let count = self.states.len();
        (0..count).all(|leaf| self.is_composite(leaf) || self.ends(leaf, count))
    }

    /// Returns `true` if completions from a leaf on end, within so many.
    fn ends(&self, leaf: usize, within: usize) -> bool {
        let ends = |branch: &Branch| match branch.outcome {
            Outcome::Transition { target, .. } => {
                within > 0 && self.ends(self.settled(target.state), within - 1)
            }
            _ => true,
        };
        self.states[self.completed_by(leaf)].completion.iter().all(ends)
    }

    /// All branches of a state's handler and completion.
    pub fn branches(&self, state: usize) -> impl Iterator<Item = &Branch> {
        let state = &self.states[state];
        state.arms.iter().flat_map(|arm| &arm.branches).chain(&state.completion)
    }
}

impl Pattern {
    /// Returns `true` if the number that the event carries is left open.
    pub const fn binds_payload(self) -> bool {
        self.event >= PLAIN && self.payload.is_none()
    }

    /// Returns `true` if an event is among them.
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
