//! What an interruption adds to the cycles of the code that it interrupts, besides the handler.
//!
//! ```text
//!   code ──┤ entry ├── handler ──┤ exit ├── refill: the code goes on with an empty pipeline
//! ```
//!
//! The bound of a block holds for one that is not interrupted. Of a block of instructions, let `C`
//! be that bound, `F(p)` the most cycles from behind a return before the instruction `p` to its
//! end, `M(p)` the most from its beginning to `p`, and `P(p, q)` the most from behind a return
//! before `p` to `q`. With interruptions before `p1`, `p2`, .. it takes `M(p1) + P(p1, p2) + ..
//! + F(pk)`, so by induction each adds at most the largest of `M(p) + F(p) - C` and
//! `P(p, q) + F(q) - F(p)`.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::states::Cost;

/// A block in its function.
type Place = (u32, u32);

/// The most cycles of each part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Interruption {
    /// From the end of an instruction to the first instruction of a handler.
    pub entry: u64,
    /// From a handler's return instruction to that of the code that goes on.
    pub exit: u64,
    /// What the code that goes on takes longer.
    pub refill: u64,
    /// The longest instruction: an exception waits for its end.
    pub instruction: u64,
}

impl Interruption {
    /// All that a handler costs besides its own bound.
    pub fn around(&self) -> u64 {
        self.entry + self.exit + self.refill
    }

    /// For how long less urgent code holds off what arrives, even without a mask: the entry or the
    /// return of a handler has begun, and the instruction behind it.
    pub fn holds_off(&self) -> u64 {
        self.entry.max(self.exit) + self.instruction
    }
}

/// What was measured of all blocks.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The most cycles from a block's beginning to each of its instructions.
    prefixes: HashMap<Place, BTreeMap<usize, u64>>,
    /// The most cycles to each end of a block that goes on before an instruction, by its place.
    resumed: HashMap<Place, BTreeMap<usize, Cost>>,
    /// The most that one interruption adds behind another one in the same block.
    again: u64,
}

impl Parts {
    /// A block's first instructions take so long, at least.
    pub fn note_prefix(&mut self, place: Place, index: usize, cycles: u64) {
        let known = self.prefixes.entry(place).or_default().entry(index).or_default();
        *known = cycles.max(*known);
    }

    /// A block that goes on before an instruction takes so long to its ends. It takes so long to
    /// some instructions `between`, which have been noted before.
    pub fn note_resumed(
        &mut self,
        place: Place,
        index: usize,
        between: &[(usize, u64)],
        to_ends: &Cost,
    ) {
        let all = self.resumed.entry(place).or_default();
        for (next, cycles) in between {
            if let Some(behind) = all.get(next) {
                self.again = self.again.max(excess(*cycles, behind, to_ends));
            }
        }
        all.insert(index, to_ends.clone());
    }

    /// The most that an interruption adds, with the bounds of the blocks.
    pub fn refill(&self, blocks: &HashMap<Place, Cost>) -> u64 {
        let mut most = self.again;
        for (place, all) in &self.resumed {
            let Some(whole) = blocks.get(place) else { continue };
            let prefixes = self.prefixes.get(place);
            for (index, to_ends) in all {
                if let Some(before) = prefixes.and_then(|known| known.get(index)) {
                    most = most.max(excess(*before, to_ends, whole));
                }
            }
        }
        most
    }
}

/// By how much a part and what is behind it take longer than the whole, to any end.
fn excess(part: u64, behind: &Cost, whole: &Cost) -> u64 {
    let on = behind.on.zip(whole.on).map(|(behind, whole)| (part + behind).saturating_sub(whole));
    let away = behind.away.iter().filter_map(|(target, cycles)| {
        Some((part + cycles).saturating_sub(*whole.away.get(target)?))
    });
    away.chain(on).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(on: u64) -> Cost {
        Cost { on: Some(on), ..Cost::default() }
    }

    #[test]
    fn an_interruption_adds_what_the_parts_take_longer() {
        let place = (0, 0);
        let mut parts = Parts::default();
        // Five cycles to the second instruction, and seven from there: two more than the whole.
        parts.note_prefix(place, 1, 5);
        parts.note_prefix(place, 1, 3);
        parts.note_resumed(place, 1, &[], &cost(7));
        assert_eq!(parts.refill(&HashMap::from([(place, cost(10))])), 2);
        // Once more, a cycle later: four to there, and six from there, are three more than seven.
        parts.note_resumed(place, 2, &[], &cost(6));
        parts.note_resumed(place, 1, &[(2, 4)], &cost(7));
        assert_eq!(parts.refill(&HashMap::from([(place, cost(12))])), 3);
    }

    #[test]
    fn what_is_held_off_waits_for_an_entry_and_an_instruction() {
        let all = Interruption { entry: 12, exit: 10, refill: 3, instruction: 9 };
        assert_eq!((all.around(), all.holds_off()), (25, 21));
    }
}
