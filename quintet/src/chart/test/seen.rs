//! The steps that a machine took with one event, and comparisons of these steps.

use std::fmt;

use super::report::{Told, beside, head, tail};
use crate::chart::{Chart, Machine, Step};

/// The steps that a machine took when a test started the machine, sent an event, or stopped the
/// machine.
///
/// Each comparison returns the `Seen` again, so that you can write several comparisons in a line. A
/// comparison that fails panics at the line of your test.
pub struct Seen<'t, M: Chart, F = <M as Chart>::Form> {
    machine: &'t Machine<M, F>,
    told: &'t [Told],
    steps: Vec<Step<M::Within>>,
}

impl<'t, M: Chart, F> Seen<'t, M, F> {
    pub(super) const fn new(
        machine: &'t Machine<M, F>,
        told: &'t [Told],
        steps: Vec<Step<M::Within>>,
    ) -> Self {
        Self { machine, told, steps }
    }

    /// Returns all steps, in their order.
    #[must_use]
    pub fn steps(&self) -> &[Step<M::Within>] {
        &self.steps
    }

    /// Asserts that exactly these steps were taken, in this order.
    ///
    /// # Panics
    /// If other steps were taken.
    #[track_caller]
    pub fn does(&self, expected: impl IntoIterator<Item = Step<M::Within>>) -> &Self {
        let expected: Vec<_> = expected.into_iter().collect();
        self.compare("the steps differ", &expected, &self.steps)
    }

    /// Asserts that exactly these states were left, in this order: from the active one outwards.
    /// `[]` asserts that no state was left.
    ///
    /// # Panics
    /// If other states were left.
    #[track_caller]
    pub fn exits(&self, expected: impl IntoIterator<Item = M::Within>) -> &Self {
        let is_one = |step: &Step<_>| matches!(step, Step::Exit(_));
        let expected: Vec<_> = expected.into_iter().map(Step::Exit).collect();
        self.compare("other states were left", &expected, &self.only(is_one))
    }

    /// Asserts that exactly these states were entered, in this order: from outside in. `[]` asserts
    /// that no state was entered.
    ///
    /// # Panics
    /// If other states were entered.
    #[track_caller]
    pub fn enters(&self, expected: impl IntoIterator<Item = M::Within>) -> &Self {
        let is_one = |step: &Step<_>| matches!(step, Step::Enter(_));
        let expected: Vec<_> = expected.into_iter().map(Step::Enter).collect();
        self.compare("other states were entered", &expected, &self.only(is_one))
    }

    /// Asserts that exactly the actions of these names ran, in this order. Only actions that
    /// attributes name count. `[]` asserts that no action ran.
    ///
    /// # Panics
    /// If other actions ran.
    #[track_caller]
    pub fn runs(&self, expected: impl IntoIterator<Item = &'static str>) -> &Self {
        let is_one = |step: &Step<_>| matches!(step, Step::Run(_));
        let expected: Vec<_> = expected.into_iter().map(Step::Run).collect();
        self.compare("other actions ran", &expected, &self.only(is_one))
    }

    /// Asserts that the first transition was chosen by the handler of `by`, and led to `to`. (Other
    /// transitions may have followed: of completions, or of events that were put off before.)
    ///
    /// # Panics
    /// If the first transition was another one, or there was none.
    #[track_caller]
    pub fn takes(&self, by: M::Within, to: M::Within) -> &Self {
        let is_one = |step: &Step<_>| matches!(step, Step::Transition(..));
        let first: Vec<_> = self.only(is_one).into_iter().take(1).collect();
        self.compare("another transition was taken", &[Step::Transition(by, to)], &first)
    }

    /// Asserts that no state was left or entered.
    ///
    /// # Panics
    /// If a state was left or entered.
    #[track_caller]
    pub fn stays(&self) -> &Self {
        let moves = self.only(|step| matches!(step, Step::Exit(_) | Step::Enter(_)));
        self.compare("the machine moved", &[], &moves)
    }

    /// Asserts that a state took the event: the state handled the event, or chose a transition.
    ///
    /// # Panics
    /// If no state took the event.
    #[track_caller]
    pub fn is_handled(&self) -> &Self {
        let is_one = matches!(self.steps.iter().find(is_verdict), Some(step)
            if matches!(step, Step::Handled(_) | Step::Transition(..)));
        self.check(is_one, "a state handles it")
    }

    /// Asserts that no state took the event.
    ///
    /// # Panics
    /// If a state took the event.
    #[track_caller]
    pub fn is_ignored(&self) -> &Self {
        let first = self.steps.iter().find(is_verdict);
        self.check(matches!(first, Some(Step::Ignored)), "nobody handles it")
    }

    /// Asserts that the event was put off.
    ///
    /// # Panics
    /// If the event was not put off.
    #[track_caller]
    pub fn is_deferred(&self) -> &Self {
        let first = self.steps.iter().find(is_verdict);
        self.check(matches!(first, Some(Step::Deferred(_))), "a state puts it off")
    }

    /// Asserts that a state wanted to put the event off, but there was no room.
    ///
    /// # Panics
    /// If the event was not refused in this way.
    #[track_caller]
    pub fn is_refused(&self) -> &Self {
        let first = self.steps.iter().find(is_verdict);
        self.check(matches!(first, Some(Step::Full(_))), "a state puts it off, without room")
    }

    /// Asserts that a state or a superstate is active now.
    ///
    /// # Panics
    /// If the state is not active.
    #[track_caller]
    pub fn is_in(&self, within: M::Within) -> &Self {
        if self.machine.is_in(within) {
            return self;
        }
        self.fail("the machine is elsewhere", &[format!("in {within:?}")], &[self.now()])
    }

    /// Asserts that a state or a superstate is not active now.
    ///
    /// # Panics
    /// If the state is active.
    #[track_caller]
    pub fn is_not_in(&self, within: M::Within) -> &Self {
        if !self.machine.is_in(within) {
            return self;
        }
        let expected = format!("not in {within:?}");
        self.fail("the machine is where it should not be", &[expected], &[self.now()])
    }

    /// Asserts that this leaf is active now, with these values of its variables.
    ///
    /// # Panics
    /// If another leaf is active, or the values differ.
    #[track_caller]
    pub fn state(&self, expected: &M::State) -> &Self
    where
        M::State: PartialEq + fmt::Debug,
    {
        if self.machine.is_started() && self.machine.state() == expected {
            return self;
        }
        self.fail("the state differs", &[format!("in {expected:?}")], &[self.now()])
    }

    /// Returns the steps of one kind.
    fn only(&self, is_one: impl Fn(&Step<M::Within>) -> bool) -> Vec<Step<M::Within>> {
        self.steps.iter().filter(|step| is_one(step)).cloned().collect()
    }

    /// Checks the fate of the event.
    #[track_caller]
    fn check(&self, holds: bool, expected: &str) -> &Self {
        if holds {
            return self;
        }
        let seen = self.steps.iter().find(is_verdict).map(ToString::to_string);
        let seen: Vec<_> = seen.into_iter().collect();
        self.fail("the event was taken otherwise", &[expected.to_owned()], &seen)
    }

    #[track_caller]
    fn compare(&self, what: &str, expected: &[Step<M::Within>], seen: &[Step<M::Within>]) -> &Self {
        if expected == seen {
            return self;
        }
        let lines = |steps: &[Step<_>]| steps.iter().map(ToString::to_string).collect::<Vec<_>>();
        self.fail(what, &lines(expected), &lines(seen))
    }

    #[track_caller]
    fn fail(&self, what: &str, expected: &[String], seen: &[String]) -> ! {
        let steps: Vec<_> = self.steps.iter().map(ToString::to_string).collect();
        panic!("{}{}{}", head(what, self.told), beside(expected, seen), tail(&steps, self.told));
    }

    fn now(&self) -> String {
        self.machine
            .state_text()
            .map_or_else(|| "not started".to_owned(), |now| format!("in {now}"))
    }
}

/// Returns `true` if the step tells the fate of the event.
const fn is_verdict<W>(step: &&Step<W>) -> bool {
    matches!(
        step,
        Step::Handled(_) | Step::Transition(..) | Step::Deferred(_) | Step::Full(_) | Step::Ignored
    )
}

impl<M: Chart, F> fmt::Debug for Seen<'_, M, F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Seen")
            .field("steps", &self.steps)
            .field("state", &self.machine.state_text())
            .finish()
    }
}
