//! What follows from how states contain each other: found once, and looked up for each transition.

use proc_macro2::Ident;

use crate::model::Machine;

/// A machine, and what is asked of its states again and again.
pub struct Tree<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Each state and what contains it, from inside out.
    chains: Vec<Vec<usize>>,
    /// The states without others inside that are in each state, or are it.
    leaves: Vec<Vec<usize>>,
    /// The variant of each state.
    variants: Vec<Ident>,
    /// The composites whose history is asked for.
    remembered: Vec<usize>,
    /// The place of each state among them.
    places: Vec<Option<usize>>,
}

impl<'a> Tree<'a> {
    /// The tree of a machine's states.
    pub fn of(machine: &'a Machine) -> Self {
        let count = machine.states.len();
        let chains: Vec<_> = (0..count).map(|state| machine.chain(state)).collect();
        let mut leaves = vec![Vec::new(); count];
        for leaf in machine.leaves() {
            chains[leaf].iter().for_each(|outer| leaves[*outer].push(leaf));
        }
        let variants = (0..count).map(|state| machine.variant(state)).collect();
        let remembered = machine.remembered();
        let mut places = vec![None; count];
        remembered.iter().enumerate().for_each(|(place, of)| places[*of] = Some(place));
        Self { machine, chains, leaves, variants, remembered, places }
    }

    /// A state and what contains it, from inside out.
    pub fn chain(&self, state: usize) -> &[usize] {
        &self.chains[state]
    }

    /// Whether a state is `outer` or inside of it.
    pub fn is_in(&self, state: usize, outer: usize) -> bool {
        self.chains[state].contains(&outer)
    }

    /// The states without others inside that are in a state, or are it.
    pub fn leaves(&self, state: usize) -> &[usize] {
        &self.leaves[state]
    }

    /// The variant of a state.
    pub fn variant(&self, state: usize) -> &Ident {
        &self.variants[state]
    }

    /// The composites whose history is asked for.
    pub fn remembered(&self) -> &[usize] {
        &self.remembered
    }

    /// The place of a composite among those.
    pub fn place(&self, composite: usize) -> Option<usize> {
        self.places[composite]
    }
}
