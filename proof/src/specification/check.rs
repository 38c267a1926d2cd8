//! Checks that a log is one of those that the specification allows.

use std::fmt;

use super::follow::{Model, Wrong, follow};
use super::model::{Entry, State};
use super::operation::Operation;
use super::schedule::{INTERRUPTS, LAST, QUEUES, SEMAPHORES, Schedule, THREADS, name};

/// The operations of the last interrupt, which looks at the objects.
pub fn last_looks() -> Vec<Operation> {
    let semaphores = (0..SEMAPHORES as u8).map(Operation::Available);
    let threads = (0..THREADS as u8).map(Operation::State);
    let own = (0..THREADS as u8).map(|thread| Operation::ClearOwn { thread, flags: 0 });
    let queues = (0..QUEUES.len() as u8).map(Operation::Fill);
    semaphores.chain(threads).chain([Operation::GetFlags]).chain(own).chain(queues).collect()
}

/// Compares a log with the specification.
pub fn check(schedule: &Schedule, log: &[Entry]) -> Result<(), Wrong<Entry>> {
    let end = log.iter().position(|entry| entry.context == LAST);
    let (entries, looks) = log.split_at(end.unwrap_or(log.len()));
    let quiet = follow(schedule, State::new(schedule), entries)?;
    let operations = last_looks();
    let explains = |state: &State| {
        looks.len() == operations.len()
            && looks.iter().zip(&operations).all(|(entry, look)| {
                entry.result == state.look(*look) && entry.priorities == state.priorities()
            })
    };
    if quiet.iter().any(|state| explains(state)) {
        return Ok(());
    }
    Err(Wrong::Left("permits, flags, priorities or threads are left otherwise".to_owned()))
}

impl Model for Schedule {
    type State = State;
    type Entry = Entry;

    fn line(&self, entry: &Entry) -> Option<usize> {
        (INTERRUPTS..LAST).contains(&entry.context).then(|| entry.context - INTERRUPTS)
    }

    fn came(&self, state: &State, line: usize) -> usize {
        state.came(line)
    }

    fn steps(&self, state: &State) -> Vec<State> {
        state.steps(self)
    }

    fn interrupted(&self, state: &State, line: usize) -> Vec<State> {
        state.interrupted(self, line)
    }

    fn logs(&self, state: &State) -> Option<Entry> {
        state.logs(self)
    }

    fn logged(&self, state: &State) -> State {
        state.logged(self)
    }

    fn is_quiet(&self, state: &State) -> bool {
        state.is_quiet(self)
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { context, operation, result, priorities } = self;
        write!(formatter, "{}: operation {operation} came to {result}, ", name(*context))?;
        write!(formatter, "priorities {priorities:05x}")
    }
}
