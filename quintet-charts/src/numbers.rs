//! The states as numbers, for code that looks ways up in a table while the machine runs.
//!
//! A leaf has its place among the leaves. Superstates follow, each behind all states inside of it.
//! So the parent of a state always has a greater number, and the number of states stands for the
//! outside of all.

use std::cmp::Reverse;

use crate::tree::Tree;

/// The numbers of a machine's states.
pub struct Numbers {
    /// The number of each state.
    numbers: Vec<usize>,
    /// The states, in the order of their numbers.
    states: Vec<usize>,
}

impl Numbers {
    /// The numbers of the states of a tree.
    pub fn of(tree: &Tree<'_>) -> Self {
        let mut states: Vec<_> = tree.machine.leaves().collect();
        let all = 0..tree.machine.states.len();
        let mut composites: Vec<_> =
            all.filter(|state| tree.machine.states[*state].is_composite).collect();
        composites.sort_by_key(|state| Reverse(tree.chain(*state).len()));
        states.append(&mut composites);
        let mut numbers = vec![0; states.len()];
        states.iter().enumerate().for_each(|(number, state)| numbers[*state] = number);
        Self { numbers, states }
    }

    /// Returns the number of a state, or that of the outside.
    pub fn number(&self, state: Option<usize>) -> usize {
        state.map_or(self.states.len(), |state| self.numbers[state])
    }

    /// Returns the states, in the order of their numbers.
    pub fn states(&self) -> &[usize] {
        &self.states
    }
}
