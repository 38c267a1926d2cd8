//! Frontiers by number, so that each step is taken once from frontiers that differ by a constant.
//!
//! The code that goes on behind a handler begins with the same few states wherever it is. After a
//! few instructions the states and the differences of their cycles are the same as well, whichever
//! instruction the handler came before. From there on only a constant tells such ways apart.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::atlas::{Atlas, Frontier, State, StepNumber};

/// The number of a frontier of which one state at least took no cycles.
pub type Front = u32;

/// Frontiers, and the steps between them.
#[derive(Default)]
pub struct Fronts {
    numbers: FxHashMap<Rc<Frontier>, Front>,
    all: Vec<Rc<Frontier>>,
    /// The frontier behind a step, and the cycles by which each of its states is later.
    known: FxHashMap<(Front, StepNumber), (Front, u64)>,
}

impl Fronts {
    /// Returns the frontier of some states that took no cycles.
    pub fn begin(&mut self, states: &[State]) -> Front {
        self.number(states.iter().map(|state| (*state, 0)).collect()).0
    }

    /// Returns the states and the cycles of a frontier.
    pub fn states(&self, front: Front) -> Rc<Frontier> {
        self.all[front as usize].clone()
    }

    /// Returns the frontier behind a step, the cycles by which it is later, and whether it is new.
    pub fn advance(
        &mut self,
        atlas: &mut Atlas<'_>,
        front: Front,
        step: StepNumber,
    ) -> (Front, u64, bool) {
        if let Some(&(next, later)) = self.known.get(&(front, step)) {
            return (next, later, false);
        }
        let count = self.all.len();
        let next = atlas.advance(&self.states(front), step);
        let (next, later) = self.number(next);
        self.known.insert((front, step), (next, later));
        (next, later, self.all.len() > count)
    }

    /// Returns the number of a frontier without the cycles that all its states took.
    fn number(&mut self, mut frontier: Frontier) -> (Front, u64) {
        frontier.sort_unstable();
        frontier.dedup();
        let least = frontier.iter().map(|(_, cycles)| *cycles).min().unwrap_or(0);
        frontier.iter_mut().for_each(|(_, cycles)| *cycles -= least);
        if let Some(known) = self.numbers.get(&frontier) {
            return (*known, least);
        }
        let (number, frontier) = (self.all.len() as Front, Rc::new(frontier));
        self.all.push(frontier.clone());
        self.numbers.insert(frontier, number);
        (number, least)
    }
}
