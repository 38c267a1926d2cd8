//! The fetch unit's part of a state without a past.

use super::{Fetch, HEAD, NEVER};
use crate::timing::state::{Numbers, Shift};

impl Fetch {
    /// The first cycle whose request is not decided.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// See [`Pipeline::forget_past`](crate::timing::Pipeline::forget_past). No instruction is
    /// decoded before `decode_free`. `folds` is `true` if the next instruction may fold.
    pub(in crate::timing) fn forget_past(&mut self, shift: Shift, decode_free: u64, folds: bool) {
        self.time = shift.exact(self.time);
        // The halfwords in the head may still leave in that very cycle, and were there before or
        // not.
        let earlier = decode_free.saturating_sub(1);
        for (index, since) in self.since.iter_mut().enumerate() {
            let is_there = usize::from(self.head) > index;
            *since = if is_there { shift.exact(*since).max(earlier) } else { NEVER };
        }
        self.second_since = if folds { shift.recent(self.second_since) } else { NEVER };
        self.leaves = shift.exact(self.leaves);
        if self.leaves == NEVER || self.branches {
            self.leaving = 0;
        }
        self.moves_on = self.undecided(shift.exact(self.moves_on));
        if self.moves_on == NEVER {
            self.length = 0;
        }
        self.speculates = self.undecided(shift.exact(self.speculates));
        self.ports.forget_last();
        self.transfers.forget_past(shift, self.time, self.head == 0 || self.branches);
    }

    /// A plan for a cycle that is decided already is dropped.
    fn undecided(&self, cycle: u64) -> u64 {
        if cycle < self.time { NEVER } else { cycle }
    }

    /// Collects the numbers that tell this state from others.
    pub(in crate::timing) fn collect(&self, numbers: &mut Numbers) {
        numbers.push(self.address);
        numbers.push(self.next);
        let [branches, paused] = [self.branches, self.paused].map(u8::from);
        numbers.bytes([self.head, self.queue, self.leaving, self.length]);
        numbers.bytes([branches, paused, 0, 0]);
        let cycles = [self.time, self.second_since, self.leaves, self.moves_on, self.speculates];
        cycles.into_iter().for_each(|cycle| numbers.cycle(cycle));
        (0..usize::from(HEAD)).for_each(|index| numbers.cycle(self.since[index]));
        self.transfers.collect(numbers);
    }

    /// Moves all addresses of code.
    pub(in crate::timing) fn move_code(&mut self, by: u32) {
        self.address = self.address.wrapping_add(by);
        self.next = self.next.wrapping_add(by);
        self.transfers.move_code(by);
    }
}
