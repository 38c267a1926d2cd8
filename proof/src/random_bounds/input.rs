//! The inputs of a function: its arguments, and the memory that it reads.

use super::program::{DATA, STATE};
use crate::random::Random;

/// A run's input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    pub numbers: [u32; 2],
    /// Of the pointers.
    pub offsets: [u32; 2],
    /// The interrupts that are enabled from now on, and the priorities that may be set.
    pub interrupts: [u32; 2],
    pub state: Vec<u32>,
    pub data: Vec<u8>,
}

impl Input {
    /// One at random. Some are of small numbers, in which loops are short, or of large ones, in
    /// which divisions are long.
    pub fn new(random: &mut Random) -> Self {
        let mode = random.below(4);
        let value = |random: &mut Random| match mode {
            0 => random.below(12),
            1 => random.word() | 0x8000_0000,
            _ => random.value(),
        };
        let numbers = [value(random), value(random)];
        let offsets = [random.below(24), 4 * random.below(6)];
        // Some interrupts are enabled late: with another input.
        let enabled = if random.one_in(8) { random.below(0xff) } else { 0xff };
        let interrupts = [enabled, random.word() & 0xe0e0_e0e0];
        let state = (0..STATE).map(|_| value(random)).collect();
        let words: Vec<u32> = (0..DATA / 4).map(|_| value(random)).collect();
        let data = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Self { numbers, offsets, interrupts, state, data }
    }
}
