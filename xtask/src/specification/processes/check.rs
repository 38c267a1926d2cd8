//! Whether a log of processes is one of those that the specification allows.
//!
//! As for threads, all states are followed that explain what was logged so far.

use std::collections::HashSet;
use std::fmt;
use std::hash::BuildHasherDefault;
use std::rc::Rc;

use super::model::{Entry, State, World};
use super::schedule::{INTERRUPTS, LAST, LINES, Schedule};
use crate::specification::check::Mixer;

/// States, each once.
type States = HashSet<Rc<State>, BuildHasherDefault<Mixer>>;

/// What is wrong with a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// No state explains this entry behind those before it.
    Entry {
        /// Its index.
        index: usize,
        /// What could be there instead.
        possible: Vec<Entry>,
    },
    /// Everything sleeps, but somebody should run.
    Quiet {
        /// What could be logged next.
        possible: Vec<Entry>,
    },
    /// What is left at the end can't be: this is.
    Left(Vec<Entry>),
}

/// Compares a log with the specification.
pub fn check(schedule: &Schedule, world: &World, log: &[Entry]) -> Result<(), Wrong> {
    let mut states: States = [Rc::new(State::new(world))].into_iter().collect();
    let came: [usize; LINES] = std::array::from_fn(|line| {
        log.iter().filter(|entry| entry.context == INTERRUPTS + line).count()
    });
    let end = log.iter().position(|entry| entry.context == LAST);
    let (entries, looks) = log.split_at(end.unwrap_or(log.len()));
    for (index, entry) in entries.iter().enumerate() {
        let reached = closure(schedule, world, states, Some((entry, &came)));
        states = reached
            .iter()
            .filter(|state| state.logs(schedule) == Some(*entry))
            .map(|state| Rc::new(state.logged(schedule)))
            .collect();
        if states.is_empty() {
            return Err(Wrong::Entry { index, possible: possible(schedule, &reached) });
        }
    }
    let reached = closure(schedule, world, states, None);
    let quiet: Vec<_> = reached.iter().filter(|state| state.is_quiet(schedule)).collect();
    let Some(first) = quiet.first() else {
        return Err(Wrong::Quiet { possible: possible(schedule, &reached) });
    };
    let last = |state: &State| -> Vec<Entry> {
        let looks = State::last_looks().into_iter();
        looks.filter_map(|act| Some(Entry::act(LAST, act, state.last_look(act)?))).collect()
    };
    if quiet.iter().any(|state| last(state) == looks) {
        Ok(())
    } else {
        Err(Wrong::Left(last(first)))
    }
}

/// All states that steps lead to which nobody sees. Interrupts come only where that may explain the
/// entry: it is that interrupt's own, or that of a more urgent one.
fn closure(
    schedule: &Schedule,
    world: &World,
    states: States,
    before: Option<(&Entry, &[usize; LINES])>,
) -> States {
    let mut waiting: Vec<Rc<State>> = states.iter().cloned().collect();
    let mut all = states;
    while let Some(state) = waiting.pop() {
        let mut next: Vec<_> = state.step(schedule, world).into_iter().collect();
        if let Some((entry, came)) = before
            && (INTERRUPTS..LAST).contains(&entry.context)
        {
            let lines = 0..=entry.context - INTERRUPTS;
            let lines = lines.filter(|line| state.came(*line) < came[*line]);
            next.extend(lines.filter_map(|line| state.interrupted(schedule, line)));
        }
        for state in next.into_iter().map(Rc::new) {
            if all.insert(Rc::clone(&state)) {
                waiting.push(state);
            }
        }
    }
    all
}

fn possible(schedule: &Schedule, states: &States) -> Vec<Entry> {
    let mut possible: Vec<Entry> = Vec::new();
    for entry in states.iter().filter_map(|state| state.logs(schedule)) {
        if !possible.contains(&entry) {
            possible.push(entry);
        }
    }
    possible
}

impl fmt::Display for Wrong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |possible: &[Entry], between: &str| {
            let texts: Vec<_> = possible.iter().map(Entry::to_string).collect();
            if texts.is_empty() { "nothing".to_owned() } else { texts.join(between) }
        };
        match self {
            Self::Entry { index, possible } => {
                write!(
                    formatter,
                    "entry {index} can't be there; possible: {}",
                    list(possible, ", or ")
                )
            }
            Self::Quiet { possible } => {
                write!(formatter, "everything sleeps, but to come was {}", list(possible, ", or "))
            }
            Self::Left(expected) => {
                write!(formatter, "at the end should be:\n    {}", list(expected, "\n    "))
            }
        }
    }
}
