//! The steps that a machine took, for tests on the host. Firmware contains nothing of this module.
//!
//! The macro notes each step where the step happens. A machine keeps the notes only while a
//! [`Test`](super::Test) holds the machine.

use std::fmt;

/// One step that a machine took with an event.
///
/// `W` is the machine's `Within`, with a value for each state and superstate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step<W> {
    /// The handler of a state handled the event: `Handled`.
    Handled(W),
    /// The event was put off, by the handler of a state or by its `defer`.
    Deferred(W),
    /// A state put the event off, but there was no room for the event: `dispatch` reports this.
    Full(W),
    /// No state took the event.
    Ignored,
    /// The machine takes an event that was put off; with the event's text if the event is `Debug`.
    Recalled(Option<String>),
    /// The handler of the first state chose a transition to the second state. With a history, the
    /// second state is the composite whose history was asked for.
    Transition(W, W),
    /// The machine leaves a state or a superstate. This step comes just before the exit action.
    Exit(W),
    /// The machine enters a state or a superstate. This step comes just before the entry action.
    Enter(W),
    /// The action of this name runs: an action of an entry, of an exit, or of an initial
    /// transition.
    Run(&'static str),
    /// The transition's own action runs: `Transition(State::x(), |this| ..)`.
    Action,
}

impl<W: fmt::Debug> fmt::Display for Step<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handled(by) => write!(formatter, "{by:?} handles it"),
            Self::Deferred(by) => write!(formatter, "{by:?} puts it off"),
            Self::Full(by) => write!(formatter, "{by:?} puts it off, without room"),
            Self::Ignored => write!(formatter, "nobody handles it"),
            Self::Recalled(Some(event)) => write!(formatter, "recall {event}"),
            Self::Recalled(None) => write!(formatter, "recall an event"),
            Self::Transition(by, to) => write!(formatter, "{by:?} goes to {to:?}"),
            Self::Exit(state) => write!(formatter, "exit {state:?}"),
            Self::Enter(state) => write!(formatter, "enter {state:?}"),
            Self::Run(name) => write!(formatter, "run {name}"),
            Self::Action => write!(formatter, "run the transition's action"),
        }
    }
}

/// The notes of one event.
#[derive(Debug)]
pub(super) struct Notes<W> {
    /// The event, if it is `Debug`.
    pub event: Option<String>,
    pub steps: Vec<Step<W>>,
}

/// The notes of a machine, if a test asks for them.
#[doc(hidden)]
#[derive(Debug)]
pub struct Log<W>(Option<Box<Notes<W>>>);

impl<W> Log<W> {
    /// No notes.
    pub(super) const OFF: Self = Self(None);

    /// Begins to take notes.
    pub(super) fn on(&mut self) {
        self.0 = Some(Box::new(Notes { event: None, steps: Vec::new() }));
    }

    /// Returns the notes since the last call.
    pub(super) fn take(&mut self) -> Notes<W> {
        let fresh = Notes { event: None, steps: Vec::new() };
        self.0.as_deref_mut().map_or(fresh, |notes| Notes {
            event: notes.event.take(),
            steps: std::mem::take(&mut notes.steps),
        })
    }

    /// Notes that the machine is given an event, or is started or stopped.
    pub fn event(&mut self, text: impl FnOnce() -> Option<String>) {
        if let Some(notes) = &mut self.0 {
            notes.event = text();
        }
    }

    /// Notes that the machine takes an event that was put off.
    pub fn recalled(&mut self, text: impl FnOnce() -> Option<String>) {
        if let Some(notes) = &mut self.0 {
            notes.steps.push(Step::Recalled(text()));
        }
    }

    /// Notes a step.
    #[inline(never)]
    pub fn note(&mut self, step: Step<W>) {
        if let Some(notes) = &mut self.0 {
            notes.steps.push(step);
        }
    }
}

/// The type of a leaf's text.
#[doc(hidden)]
pub type Text = String;

/// A value whose text is wanted, even if its type isn't `Debug`: `(&Shown(&value)).text()` finds
/// the first of the traits below that the type has.
#[doc(hidden)]
#[derive(Debug)]
pub struct Shown<'a, T: ?Sized>(pub &'a T);

/// For types that are `Debug`.
#[doc(hidden)]
pub trait WithText {
    /// The value as `{:?}` prints it.
    fn text(&self) -> Option<String>;
}

/// For all other types.
#[doc(hidden)]
pub trait WithoutText {
    /// No text.
    fn text(&self) -> Option<String>;
}

impl<T: fmt::Debug + ?Sized> WithText for Shown<'_, T> {
    fn text(&self) -> Option<String> {
        Some(format!("{:?}", self.0))
    }
}

impl<T: ?Sized> WithoutText for &Shown<'_, T> {
    fn text(&self) -> Option<String> {
        None
    }
}
