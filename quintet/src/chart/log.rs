//! What a machine did, step by step: for tests on the host. On a target there is nothing of it.
//!
//! The macro writes each step down where it happens. A machine notes them only while a
//! [`Test`](super::Test) has it.

use std::fmt;

/// One step of what a machine did with an event.
///
/// `W` is the machine's `Within`, which has a value for each state and superstate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step<W> {
    /// The handler of a state was done with the event: `Handled`.
    Handled(W),
    /// The event was put off, by the handler of a state or by its `defer`.
    Deferred(W),
    /// A state put the event off, but there was no room for it: `dispatch` says so.
    Full(W),
    /// No state took the event.
    Ignored,
    /// An event that was put off is taken now; with its text if it is `Debug`.
    Recalled(Option<String>),
    /// The handler of the first one chose a transition to the second. With a history, the second is
    /// the composite whose history is asked for.
    Transition(W, W),
    /// A state, or a superstate, is left: just before its exit action runs.
    Exit(W),
    /// A state, or a superstate, is entered: just before its entry action runs.
    Enter(W),
    /// The action of this name runs: of an entry, an exit, or an initial transition.
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

/// What has been noted of one event.
#[derive(Debug)]
pub(super) struct Notes<W> {
    /// The event, if it is `Debug`.
    pub event: Option<String>,
    pub steps: Vec<Step<W>>,
}

/// Where a machine notes what it does.
#[doc(hidden)]
#[derive(Debug)]
pub struct Log<W>(Option<Box<Notes<W>>>);

impl<W> Log<W> {
    /// Nothing is noted.
    pub(super) const OFF: Self = Self(None);

    /// From now on it is.
    pub(super) fn on(&mut self) {
        self.0 = Some(Box::new(Notes { event: None, steps: Vec::new() }));
    }

    /// What has been noted since this was called before.
    pub(super) fn take(&mut self) -> Notes<W> {
        let fresh = Notes { event: None, steps: Vec::new() };
        self.0.as_deref_mut().map_or(fresh, |notes| Notes {
            event: notes.event.take(),
            steps: std::mem::take(&mut notes.steps),
        })
    }

    /// The machine is told something.
    pub fn event(&mut self, text: impl FnOnce() -> Option<String>) {
        if let Some(notes) = &mut self.0 {
            notes.event = text();
        }
    }

    /// An event that was put off is taken.
    pub fn recalled(&mut self, text: impl FnOnce() -> Option<String>) {
        if let Some(notes) = &mut self.0 {
            notes.steps.push(Step::Recalled(text()));
        }
    }

    /// The machine did this.
    #[inline(never)]
    pub fn note(&mut self, step: Step<W>) {
        if let Some(notes) = &mut self.0 {
            notes.steps.push(step);
        }
    }
}

/// What a leaf is shown as.
#[doc(hidden)]
pub type Text = String;

/// A value whose text is wanted, whether it has one or not: `(&Shown(&value)).text()` finds the
/// first of the traits below that there is.
#[doc(hidden)]
#[derive(Debug)]
pub struct Shown<'a, T: ?Sized>(pub &'a T);

/// Of a type that is `Debug`.
#[doc(hidden)]
pub trait WithText {
    /// The value as `{:?}` prints it.
    fn text(&self) -> Option<String>;
}

/// Of any other.
#[doc(hidden)]
pub trait WithoutText {
    /// None.
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
