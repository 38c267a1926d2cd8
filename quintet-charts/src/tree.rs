//! The tree of states: its properties are found once, and looked up for each transition.

use proc_macro2::Ident;

use crate::model::Machine;

/// A machine, with the properties of its states that are looked up often.
pub struct Tree<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Each state and the states that contain it, from inside out.
    chains: Vec<Vec<usize>>,
    /// The leaves in each state. A leaf contains itself.
    leaves: Vec<Vec<usize>>,
    /// The variant of each state.
    variants: Vec<Ident>,
    /// The composites whose history some transition uses.
    remembered: Vec<usize>,
    /// The place of each state among the remembered composites.
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

    /// Returns a state and the states that contain it, from inside out.
    pub fn chain(&self, state: usize) -> &[usize] {
        &self.chains[state]
    }

    /// Returns `true` if a state is `outer`, or inside of `outer`.
    pub fn is_in(&self, state: usize, outer: usize) -> bool {
        self.chains[state].contains(&outer)
    }

    /// Returns the leaves in a state. A leaf contains itself.
    pub fn leaves(&self, state: usize) -> &[usize] {
        &self.leaves[state]
    }

    /// The variant of a state.
    pub fn variant(&self, state: usize) -> &Ident {
        &self.variants[state]
    }

    /// Returns the composites whose history some transition uses.
    pub fn remembered(&self) -> &[usize] {
        &self.remembered
    }

    /// Returns the place of a composite among the remembered composites.
    pub fn place(&self, composite: usize) -> Option<usize> {
        self.places[composite]
    }
}
