//! A part of a campaign, chosen the same way every time.

use std::ops::Range;

/// The next number of a sequence without visible order (SplitMix64, by its published constants).
fn mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut value = *state;
    value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

/// At most `count` of the items, in their order, each as likely as any other.
pub fn choose<T>(items: Vec<T>, count: u64, seed: u64) -> Vec<T> {
    let mut state = seed;
    let (mut left, mut wanted) = (items.len() as u64, count);
    let mut take = |_: &T| {
        let takes = (u128::from(mix(&mut state)) * u128::from(left)) >> 64 < u128::from(wanted);
        left -= 1;
        wanted -= u64::from(takes);
        takes
    };
    items.into_iter().filter(|item| take(item)).collect()
}

/// Every n-th of many things that are numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stride {
    /// The distance between chosen numbers.
    pub step: u64,
    offset: u64,
}

impl Stride {
    /// Chooses at most `limit` of `possible`. `step` has no factor in common with `cycle`, so that
    /// the members of groups of `cycle` are chosen equally often.
    pub fn new(possible: u64, limit: Option<u64>, cycle: u64, mut seed: u64) -> Self {
        let mut step = possible.div_ceil(limit.unwrap_or(possible).max(1)).max(1);
        while step > 1 && common_divisor(step, cycle.max(1)) > 1 {
            step += 1;
        }
        Self { step, offset: mix(&mut seed) % step }
    }

    /// Returns `true` if number `index` is chosen.
    pub fn takes(&self, index: u64) -> bool {
        index % self.step == self.offset
    }

    /// Returns how many numbers of a range are chosen.
    pub fn count(&self, range: Range<u64>) -> u64 {
        let below = |end: u64| (end + self.step - 1 - self.offset) / self.step;
        below(range.end) - below(range.start)
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_its_size_and_its_order() {
        for count in [0, 1, 10, 99, 100, 1000] {
            let chosen = choose((0..100).collect(), count, 7);
            assert_eq!(chosen.len() as u64, count.min(100));
            assert!(chosen.is_sorted());
        }
        assert_eq!(choose((0..100).collect(), 10, 7), choose((0..100).collect(), 10, 7));
        assert_ne!(choose((0..100).collect(), 10, 7), choose((0..100).collect(), 10, 8));
    }

    #[test]
    fn everything_can_be_in_a_sample() {
        let mut seen = [false; 20];
        for seed in 0..200 {
            for item in choose((0..20).collect(), 3, seed) {
                seen[item] = true;
            }
        }
        assert_eq!(seen, [true; 20]);
    }

    #[test]
    fn a_stride_keeps_the_limit_and_counts_right() {
        for (possible, limit, cycle) in [(1000, 100, 4), (1000, 999, 3), (7, 100, 2), (0, 5, 1)] {
            let stride = Stride::new(possible, Some(limit), cycle, 3);
            let taken = (0..possible).filter(|&index| stride.takes(index)).count() as u64;
            assert_eq!(taken, stride.count(0..possible));
            assert!(taken <= limit, "{taken} of {possible} with {limit}");
            assert!(taken > 0 || possible == 0);
            let middle = (10..37).filter(|&index| stride.takes(index)).count() as u64;
            assert_eq!(middle, stride.count(10..37));
        }
        let all = Stride::new(50, None, 5, 9);
        assert_eq!(all.count(0..50), 50);
    }

    #[test]
    fn all_of_a_group_come_into_their_own() {
        let stride = Stride::new(10_000, Some(1000), 5, 0);
        let mut seen = [0; 5];
        for index in (0..10_000).filter(|&index| stride.takes(index)) {
            seen[index as usize % 5] += 1;
        }
        assert!(seen.iter().all(|&count| count > 150), "{seen:?}");
    }
}
