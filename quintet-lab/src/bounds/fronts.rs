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

#[cfg(test)]
mod tests {
    use quintet_sim::board::Board;
    use quintet_sim::processor::Architecture;
    use quintet_sim::processor::decode::decode;
    use quintet_sim::timing::Facts;

    use super::super::atlas::Step;
    use super::super::cost::Timing;
    use super::super::graph::Instruction;
    use super::super::values::Values;
    use super::*;

    /// Loads and stores anywhere, a division and sums, in the flash of the board.
    const CODE: [(u16, u16); 5] =
        [(0x6808, 0), (0xfbb0, 0xf2f3), (0x601a, 0), (0x3001, 0), (0x6859, 0)];

    fn steps(timing: &Timing, atlas: &mut Atlas<'_>) -> Vec<(u32, StepNumber)> {
        let mut address = 0x400;
        let repeated = CODE.iter().cycle().take(4 * CODE.len());
        let steps = repeated.map(|&(first, second)| {
            let decoded = decode(first, second, Architecture::V7M);
            let facts = Facts::of(&decoded);
            let instruction = Instruction { address, decoded, facts, conditional: false };
            let class = timing.class(&instruction, &Values::unknown());
            let to = (class.behind(), timing.home(instruction.behind()));
            let step = atlas.step(Step { class, away: false, to });
            let at = address;
            address = instruction.behind();
            (at, step)
        });
        steps.collect()
    }

    #[test]
    fn numbered_frontiers_have_the_states_and_cycles_of_followed_ones() {
        let timing = Timing::new(&Board::named("lm3s6965").unwrap(), None);
        let mut atlas = Atlas::new(&timing);
        let steps = steps(&timing, &mut atlas);
        let mut fronts = Fronts::default();
        let mut known = 0;
        for from in 0..steps.len() {
            let states = atlas.resumed(steps[from].0);
            let mut followed: Frontier = states.iter().map(|state| (*state, 0)).collect();
            let (mut front, mut cycles) = (fronts.begin(&states), 0);
            for (_, step) in &steps[from..] {
                followed = atlas.advance(&followed, *step);
                let (next, later, is_new) = fronts.advance(&mut atlas, front, *step);
                (front, cycles) = (next, cycles + later);
                known += usize::from(!is_new);
                let mut expected = followed.clone();
                expected.sort_unstable();
                let numbered = fronts.states(front);
                let numbered = numbered.iter().map(|(state, cost)| (*state, cost + cycles));
                assert_eq!(numbered.collect::<Frontier>(), expected);
            }
        }
        // Nearly all of the 210 steps are taken from a frontier that others have met.
        assert!(known > 150, "{known}");
    }
}
