//! Whether a log is one of those that the specification allows.
//!
//! Where an interrupt came is known by what was logged before and behind it, but not whether the
//! operation that it interrupted had its effect already. So all states are followed that explain
//! what has been logged so far; there must always be one.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use super::model::{Entry, State};
use super::operation::Operation;
use super::schedule::{INTERRUPTS, LAST, LINES, QUEUES, SEMAPHORES, Schedule, THREADS, name};

/// The log of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Log {
    /// What was logged, in its order.
    pub entries: Vec<Entry>,
}

/// States, each once.
type States = HashSet<Rc<State>, BuildHasherDefault<Mixer>>;

/// Hashes states, which are many and long: a multiplication for each field.
#[derive(Default)]
pub(super) struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.mix(u64::from(*byte)));
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    fn write_u16(&mut self, value: u16) {
        self.mix(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.mix(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

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
    /// What is left at the end can't be.
    Left,
}

/// What the last interrupt looks at.
pub fn last_looks() -> Vec<Operation> {
    let semaphores = (0..SEMAPHORES as u8).map(Operation::Available);
    let threads = (0..THREADS as u8).map(Operation::State);
    let own = (0..THREADS as u8).map(|thread| Operation::ClearOwn { thread, flags: 0 });
    let queues = (0..QUEUES.len() as u8).map(Operation::Fill);
    semaphores.chain(threads).chain([Operation::GetFlags]).chain(own).chain(queues).collect()
}

/// Compares a log with the specification.
pub fn check(schedule: &Schedule, log: &Log) -> Result<(), Wrong> {
    let mut states: States = [Rc::new(State::new(schedule))].into_iter().collect();
    let came: Vec<usize> = (0..LINES.len())
        .map(|line| log.entries.iter().filter(|entry| entry.context == INTERRUPTS + line).count())
        .collect();
    let end = log.entries.iter().position(|entry| entry.context == LAST);
    let (entries, looks) = log.entries.split_at(end.unwrap_or(log.entries.len()));
    for (index, entry) in entries.iter().enumerate() {
        let reached = closure(schedule, states, Some((entry, &came)));
        states = reached
            .iter()
            .filter(|state| state.logs(schedule) == Some(*entry))
            .map(|state| Rc::new(state.logged(schedule)))
            .collect();
        if states.is_empty() {
            return Err(Wrong::Entry { index, possible: possible(schedule, &reached) });
        }
    }
    let reached = closure(schedule, states, None);
    let mut quiet = reached.iter().filter(|state| state.is_quiet(schedule)).peekable();
    if quiet.peek().is_none() {
        return Err(Wrong::Quiet { possible: possible(schedule, &reached) });
    }
    let operations = last_looks();
    let explains = |state: &Rc<State>| {
        looks.len() == operations.len()
            && looks.iter().zip(&operations).all(|(entry, look)| {
                entry.result == state.look(*look) && entry.priorities == state.priorities()
            })
    };
    if quiet.any(explains) { Ok(()) } else { Err(Wrong::Left) }
}

/// All states that steps lead to which nobody sees. Interrupts come only where that may explain the
/// entry: it is that interrupt's own, or that of a more urgent one.
fn closure(schedule: &Schedule, states: States, before: Option<(&Entry, &[usize])>) -> States {
    let mut waiting: Vec<Rc<State>> = states.iter().cloned().collect();
    let mut all = states;
    while let Some(state) = waiting.pop() {
        let mut next = state.steps(schedule);
        if let Some((entry, came)) = before
            && (INTERRUPTS..LAST).contains(&entry.context)
        {
            let lines = 0..=entry.context - INTERRUPTS;
            let lines = lines.filter(|line| state.came(*line) < came[*line]);
            next.extend(lines.flat_map(|line| state.interrupted(schedule, line)));
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

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { context, operation, result, priorities } = self;
        write!(formatter, "{}: operation {operation} came to {result}, ", name(*context))?;
        write!(formatter, "priorities {priorities:05x}")
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |possible: &[Entry]| {
            let texts: Vec<_> = possible.iter().map(Entry::to_string).collect();
            if texts.is_empty() { "nothing".to_owned() } else { texts.join(", or ") }
        };
        match self {
            Self::Entry { index, possible } => {
                write!(formatter, "entry {index} can't be there; possible: {}", list(possible))
            }
            Self::Quiet { possible } => {
                write!(formatter, "everything sleeps, but to come was {}", list(possible))
            }
            Self::Left => {
                formatter.write_str("permits, flags, priorities or threads are left otherwise")
            }
        }
    }
}
