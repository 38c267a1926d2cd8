//! A small seeded random number generator.
//!
//! The same seed gives the same cases on every machine and in every version of this program. No
//! library promises this. The generator is the SplitMix64 recurrence.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The stream of item `index` of a run with `seed`: independent of how the run is cut into
    /// batches.
    pub fn of_item(seed: u64, index: u64) -> Self {
        let mut stream = Self(seed ^ index.wrapping_mul(0xD134_2543_DE82_EF95));
        stream.next();
        stream
    }

    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "a stream without an end is no iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// 32 bits.
    pub fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// One of `choices`, which is not empty.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// A value for a register: often one at which arithmetic behaves in another way.
    pub fn value(&mut self) -> u32 {
        match self.below(9) {
            0 => self.below(40),
            8 => 0,
            1 => self.below(40).wrapping_neg(),
            2 => 0x8000_0000u32.wrapping_add(self.below(4)).wrapping_sub(2),
            3 => 1 << self.below(32),
            4 => self.word() & self.word() & self.word(),
            5 => self.word() >> self.below(32),
            _ => self.word(),
        }
    }
}
