//! Follows all states of a model that explain a log, for every model.
//!
//! The entries before and behind an interrupt tell when it came, but not whether the interrupted
//! operation had its effect already. So the search follows all states that explain the log so far.
//! There must always be one.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::rc::Rc;

/// A model, with its states.
pub trait Model {
    /// A state of everything.
    type State: Hash + Eq;
    /// An entry of the log.
    type Entry: Clone + PartialEq + fmt::Display;

    /// Returns the interrupt of an entry, if the entry belongs to one.
    fn line(&self, entry: &Self::Entry) -> Option<usize>;
    /// Returns how often an interrupt has come.
    fn came(&self, state: &Self::State, line: usize) -> usize;
    /// Returns the states after a step that no entry shows.
    fn steps(&self, state: &Self::State) -> Vec<Self::State>;
    /// The states that an interrupt leads to.
    fn interrupted(&self, state: &Self::State, line: usize) -> Vec<Self::State>;
    /// Returns the entry of the next step, if the step makes one.
    fn logs(&self, state: &Self::State) -> Option<Self::Entry>;
    /// The state behind that.
    fn logged(&self, state: &Self::State) -> Self::State;
    /// Returns `true` if everything sleeps.
    fn is_quiet(&self, state: &Self::State) -> bool;
}

/// States, each once.
type States<S> = HashSet<Rc<S>, BuildHasherDefault<Mixer>>;

/// Hashes states, which are many and long: a multiplication for each field.
#[derive(Default)]
struct Mixer(u64);

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

/// The error of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong<E> {
    /// No state explains this entry behind the entries before.
    Entry {
        /// The entry's index.
        index: usize,
        /// The entries that could be there instead.
        possible: Vec<E>,
    },
    /// Everything sleeps, but somebody should run.
    Quiet {
        /// The entries that could follow.
        possible: Vec<E>,
    },
    /// The state at the end is not possible, with the reason.
    Left(String),
}

/// Returns the states in which everything sleeps, behind these entries. There is at least one.
///
/// # Errors
/// [`Wrong`], if no state explains an entry, or no last state sleeps.
pub fn follow<M: Model>(
    model: &M,
    first: M::State,
    entries: &[M::Entry],
) -> Result<Vec<Rc<M::State>>, Wrong<M::Entry>> {
    let lines: Vec<_> = entries.iter().filter_map(|entry| model.line(entry)).collect();
    let came = |line: usize| lines.iter().filter(|came| **came == line).count();
    let mut states: States<M::State> = [Rc::new(first)].into_iter().collect();
    for (index, entry) in entries.iter().enumerate() {
        // Interrupts come only where they may explain the entry: the entry belongs to that
        // interrupt, or to a more urgent one.
        let may_come: Vec<usize> =
            model.line(entry).map_or_else(Vec::new, |line| (0..=line).map(came).collect());
        let reached = closure(model, states, &may_come);
        states = reached
            .iter()
            .filter(|state| model.logs(state).as_ref() == Some(entry))
            .map(|state| Rc::new(model.logged(state)))
            .collect();
        if states.is_empty() {
            return Err(Wrong::Entry { index, possible: possible(model, &reached) });
        }
    }
    let reached = closure(model, states, &[]);
    let quiet: Vec<_> = reached.iter().filter(|state| model.is_quiet(state)).cloned().collect();
    if quiet.is_empty() {
        return Err(Wrong::Quiet { possible: possible(model, &reached) });
    }
    Ok(quiet)
}

/// Returns all states after steps that no entry shows, and after interrupts. Interrupts from 0 on
/// come as often as `may_come` says.
fn closure<M: Model>(model: &M, states: States<M::State>, may_come: &[usize]) -> States<M::State> {
    let mut waiting: Vec<Rc<M::State>> = states.iter().cloned().collect();
    let mut all = states;
    while let Some(state) = waiting.pop() {
        let mut next = model.steps(&state);
        for (line, times) in may_come.iter().enumerate() {
            if model.came(&state, line) < *times {
                next.extend(model.interrupted(&state, line));
            }
        }
        for state in next.into_iter().map(Rc::new) {
            if all.insert(Rc::clone(&state)) {
                waiting.push(state);
            }
        }
    }
    all
}

fn possible<M: Model>(model: &M, states: &States<M::State>) -> Vec<M::Entry> {
    let mut possible: Vec<M::Entry> = Vec::new();
    for entry in states.iter().filter_map(|state| model.logs(state)) {
        if !possible.contains(&entry) {
            possible.push(entry);
        }
    }
    possible
}

impl<E: fmt::Display> fmt::Display for Wrong<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |possible: &[E]| {
            let texts: Vec<_> = possible.iter().map(E::to_string).collect();
            if texts.is_empty() { "nothing".to_owned() } else { texts.join(", or ") }
        };
        match self {
            Self::Entry { index, possible } => {
                write!(formatter, "entry {index} can't be there; possible: {}", list(possible))
            }
            Self::Quiet { possible } => {
                write!(formatter, "everything sleeps, but to come was {}", list(possible))
            }
            Self::Left(why) => formatter.write_str(why),
        }
    }
}
