//! Checks that a log of processes is one of those that the specification allows.

use super::model::{Entry, State, World};
use super::schedule::{INTERRUPTS, LAST, Schedule};
use crate::specification::follow::{Model, Wrong, follow};

/// A schedule, and the images that run it.
struct Given<'a> {
    schedule: &'a Schedule,
    world: &'a World,
}

/// Compares a log with the specification.
pub fn check(schedule: &Schedule, world: &World, log: &[Entry]) -> Result<(), Wrong<Entry>> {
    let end = log.iter().position(|entry| entry.context == LAST);
    let (entries, looks) = log.split_at(end.unwrap_or(log.len()));
    let quiet = follow(&Given { schedule, world }, State::new(world), entries)?;
    let last = |state: &State| -> Vec<Entry> {
        let looks = State::last_looks().into_iter();
        looks.filter_map(|act| Some(Entry::act(LAST, act, state.last_look(act)?))).collect()
    };
    if quiet.iter().any(|state| last(state) == looks) {
        return Ok(());
    }
    let expected = quiet.first().map(|state| last(state)).unwrap_or_default();
    let expected: Vec<_> = expected.iter().map(Entry::to_string).collect();
    Err(Wrong::Left(format!("at the end should be:\n    {}", expected.join("\n    "))))
}

impl Model for Given<'_> {
    type State = State;
    type Entry = Entry;

    fn line(&self, entry: &Entry) -> Option<usize> {
        (INTERRUPTS..LAST).contains(&entry.context).then(|| entry.context - INTERRUPTS)
    }

    fn came(&self, state: &State, line: usize) -> usize {
        state.came(line)
    }

    fn steps(&self, state: &State) -> Vec<State> {
        state.step(self.schedule, self.world).into_iter().collect()
    }

    fn interrupted(&self, state: &State, line: usize) -> Vec<State> {
        state.interrupted(self.schedule, line).into_iter().collect()
    }

    fn logs(&self, state: &State) -> Option<Entry> {
        state.logs(self.schedule)
    }

    fn logged(&self, state: &State) -> State {
        state.logged(self.schedule)
    }

    fn is_quiet(&self, state: &State) -> bool {
        state.is_quiet(self.schedule)
    }
}
