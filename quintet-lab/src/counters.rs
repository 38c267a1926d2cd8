//! Counters of instructions, for a run in which one counts at each step.
//!
//! The instructions of a short piece of code have their counters side by side, and the pieces that
//! were met lately are found with one comparison.

use std::collections::HashMap;

/// The instructions of a piece: halfwords.
const PIECE: usize = 32;

/// The pieces at hand.
const AT_HAND: usize = 1024;

/// A group of counters: a path of calls, or anything else that has a number.
type Group = usize;

/// Counters, by group and address.
#[derive(Clone, Debug)]
pub struct Counters {
    counts: Vec<[u64; PIECE]>,
    /// Of each piece, its group and its place among the pieces of the address space.
    pieces: Vec<(Group, u32)>,
    numbers: HashMap<(Group, u32), usize>,
    at_hand: Vec<usize>,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            counts: Vec::new(),
            pieces: Vec::new(),
            numbers: HashMap::new(),
            at_hand: vec![usize::MAX; AT_HAND],
        }
    }
}

/// The piece of an address, and the place there.
fn place(address: u32) -> (u32, usize) {
    let halfword = address >> 1;
    (halfword / PIECE as u32, halfword as usize % PIECE)
}

impl Counters {
    /// The counter of an even address, which is 0 at first.
    #[inline]
    pub fn of(&mut self, group: Group, address: u32) -> &mut u64 {
        let (piece, place) = place(address);
        let hand = (piece as usize ^ group.wrapping_mul(37)) % AT_HAND;
        let mut number = self.at_hand[hand];
        if self.pieces.get(number) != Some(&(group, piece)) {
            number = self.find(group, piece);
            self.at_hand[hand] = number;
        }
        &mut self.counts[number][place]
    }

    #[cold]
    fn find(&mut self, group: Group, piece: u32) -> usize {
        let next = self.counts.len();
        let number = *self.numbers.entry((group, piece)).or_insert(next);
        if number == next {
            self.counts.push([0; PIECE]);
            self.pieces.push((group, piece));
        }
        number
    }

    /// The count of an address.
    pub fn get(&self, group: Group, address: u32) -> u64 {
        let (piece, place) = place(address);
        self.numbers.get(&(group, piece)).map_or(0, |number| self.counts[*number][place])
    }

    /// All counts above 0: the group, the address, the count.
    pub fn all(&self) -> impl Iterator<Item = (Group, u32, u64)> + '_ {
        let counters =
            self.pieces.iter().zip(&self.counts).flat_map(|(&(group, piece), counts)| {
                let start = piece * 2 * PIECE as u32;
                let addresses = (start..=start + (2 * PIECE as u32 - 1)).step_by(2);
                addresses.zip(counts).map(move |(address, count)| (group, address, *count))
            });
        counters.filter(|(.., count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_by_group_and_address() {
        let mut counters = Counters::default();
        for (group, address, by) in
            [(0, 0x100, 1), (7, 0x100, 2), (0, 0x102, 3), (0, u32::MAX - 1, 4), (0, 0x100, 5)]
        {
            *counters.of(group, address) += by;
        }
        // The same place at hand as of address 0x100.
        *counters.of(0, 0x100 + 2 * (PIECE * AT_HAND) as u32) += 8;
        assert_eq!(counters.get(0, 0x100), 6);
        assert_eq!(counters.get(7, 0x100), 2);
        assert_eq!(counters.get(7, 0x102), 0);
        let mut all: Vec<_> = counters.all().collect();
        all.sort_unstable();
        let far = 0x100 + 2 * (PIECE * AT_HAND) as u32;
        assert_eq!(all[..3], [(0, 0x100, 6), (0, 0x102, 3), (0, far, 8)]);
        assert_eq!(all[3..], [(0, u32::MAX - 1, 4), (7, 0x100, 2)]);
    }
}
