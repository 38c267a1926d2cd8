//! Numbers that are not known, but of which something is: that they are multiples of a word's
//! size, or that they are no higher than an index may be.

/// One of the numbers `first`, `first + step`, `first + 2 step`, .. up to `last`.
///
/// Where a sum may wrap around, only what is left by a division by a power of two stays known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steps {
    first: u32,
    /// 0 if there is one number alone.
    step: u32,
    last: u32,
}

/// All numbers.
pub const ANY: Steps = Steps { first: 0, step: 1, last: u32::MAX };

impl Steps {
    /// One number.
    pub const fn one(number: u32) -> Self {
        Self { first: number, step: 0, last: number }
    }

    /// The numbers up to one.
    pub fn up_to(last: u32) -> Self {
        Self::new(0, 1, last)
    }

    /// The numbers that leave `rest` when they are divided by `power`, a power of two.
    pub fn alike(power: u32, rest: u32) -> Self {
        let rest = rest & (power - 1);
        Self::new(rest, power, u32::MAX - (power - 1) + rest)
    }

    fn new(first: u32, step: u32, last: u32) -> Self {
        let rest = if step == 0 { last - first } else { (last - first) % step };
        let last = last - rest;
        Self { first, step: if first == last { 0 } else { step }, last }
    }

    /// The lowest and the highest one.
    pub const fn range(self) -> (u32, u32) {
        (self.first, self.last)
    }

    /// The only one.
    pub fn only(self) -> Option<u32> {
        (self.first == self.last).then_some(self.first)
    }

    /// All of them, if they are no more than so many.
    pub fn all(self, most: u32) -> Option<impl Iterator<Item = u32>> {
        let step = self.step.max(1);
        let count = (self.last - self.first) / step;
        (count < most).then(move || (0..=count).map(move |one| self.first + one * step))
    }

    /// Returns `true` if all are multiples of `size`, a power of two.
    pub const fn are_multiples(self, size: u32) -> bool {
        (self.first | self.step) & (size - 1) == 0
    }

    /// The highest power of two by which all differ. The highest of all for one number alone.
    pub fn power(self) -> u32 {
        1 << self.step.trailing_zeros().min(31)
    }

    /// One of these, or one of the others.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let (first, last) = (self.first.min(other.first), self.last.max(other.last));
        let between = self.first.abs_diff(other.first);
        Self::new(first, common(common(self.step, other.step), between), last)
    }

    /// The same without a lowest and a highest one, for what grows from round to round.
    #[must_use]
    pub fn unlimited(self) -> Self {
        Self::alike(self.power(), self.first)
    }

    /// Those of them that are in the range.
    #[must_use]
    pub fn within(self, least: u32, most: u32) -> Self {
        let step = self.step.max(1);
        let first = match least.checked_sub(self.first) {
            None => Some(self.first),
            Some(below) => {
                below.div_ceil(step).checked_mul(step).and_then(|up| self.first.checked_add(up))
            }
        };
        let last = most.min(self.last);
        match first.filter(|first| *first <= last) {
            Some(first) => Self::new(first, self.step, last),
            // No number is left: what follows is never executed.
            None => self,
        }
    }

    /// A sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let step = common(self.step, other.step);
        let first = self.first.overflowing_add(other.first);
        let last = self.last.overflowing_add(other.last);
        if first.1 == last.1 {
            return Self::new(first.0, step, last.0);
        }
        Self::new(first.0, step, first.0).like(step)
    }

    /// What is left of this when the other is taken away.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        let step = common(self.step, other.step);
        let first = self.first.overflowing_sub(other.last);
        let last = self.last.overflowing_sub(other.first);
        if first.1 == last.1 {
            return Self::new(first.0, step, last.0);
        }
        Self::new(first.0, step, first.0).like(step)
    }

    /// All numbers that differ from these by the power of two in a step.
    fn like(self, step: u32) -> Self {
        Self { step, ..self }.unlimited()
    }

    /// A product with a number.
    #[must_use]
    pub fn times(self, factor: u32) -> Self {
        if factor == 0 {
            return Self::one(0);
        }
        match (self.last.checked_mul(factor), self.step.checked_mul(factor)) {
            (Some(last), Some(step)) => Self::new(self.first * factor, step, last),
            _ => {
                let zeros = self.power().trailing_zeros() + factor.trailing_zeros();
                Self::alike(1 << zeros.min(31), self.first.wrapping_mul(factor))
            }
        }
    }

    /// Shifted to the right.
    #[must_use]
    pub fn right(self, amount: u32) -> Self {
        if amount == 0 {
            return self;
        }
        let Some(last) = self.last.checked_shr(amount) else { return Self::one(0) };
        let step = self.step >> amount;
        let is_exact = self.are_multiples(1 << amount);
        Self::new(self.first >> amount, if is_exact { step } else { 1 }, last)
    }

    /// Only the bits of a mask.
    #[must_use]
    pub fn and(self, mask: u32) -> Self {
        if let Some(number) = self.only() {
            return Self::one(number & mask);
        }
        let is_low = mask & mask.wrapping_add(1) == 0;
        if is_low && self.last <= mask {
            return self;
        }
        if mask == 0 {
            return Self::one(0);
        }
        // Bits below the step are those of the first; those below the mask are 0.
        let power = self.power();
        let lowest = 1 << mask.trailing_zeros();
        let first = if power > lowest { self.first & mask & (power - 1) } else { 0 };
        Self::new(first, power.max(lowest), mask.min(self.last).max(first))
    }

    /// With the bits of a number.
    #[must_use]
    pub fn with(self, bits: u32) -> Self {
        if let Some(number) = self.only() {
            return Self::one(number | bits);
        }
        let all = u32::MAX.checked_shr((self.last | bits).leading_zeros()).unwrap_or(0);
        let power = self.power();
        let first = (self.first | bits) & (power - 1);
        Self::new(first, power, all.max(first))
    }
}

/// The greatest common divisor; of 0 and a number, the number.
fn common(one: u32, other: u32) -> u32 {
    if other == 0 { one } else { common(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    fn has(steps: Steps, number: u32) -> bool {
        let (first, last) = steps.range();
        let step = steps.step.max(1);
        (first..=last).contains(&number) && (number - first) % step == 0
    }

    fn any(random: &mut Rng) -> Steps {
        match random.u32(..6) {
            0 => ANY,
            1 => Steps::one(random.u32(..)),
            2 => Steps::alike(1 << random.u32(..32), random.u32(..)),
            3 => Steps::up_to(random.u32(..) >> random.u32(..32)),
            _ => {
                let first = random.u32(..) >> random.u32(..32);
                let last = random.u32(first..);
                Steps::new(first, 1 + (random.u32(..) >> random.u32(..32)) / 2, last)
            }
        }
    }

    fn member(steps: Steps, random: &mut Rng) -> u32 {
        let step = steps.step.max(1);
        steps.first + random.u32(0..=(steps.last - steps.first) / step) * step
    }

    /// Whatever numbers are calculated with, the result is among those that are known.
    #[test]
    fn no_result_is_forgotten() {
        let mut random = Rng::with_seed(5);
        for _ in 0..200_000 {
            let (a, b) = (any(&mut random), any(&mut random));
            let (x, y) = (member(a, &mut random), member(b, &mut random));
            let (number, amount) = (random.u32(..) >> random.u32(..32), random.u32(..33));
            let results = [
                (a.or(b), x),
                (a.or(b), y),
                (a.unlimited(), x),
                (a.plus(b), x.wrapping_add(y)),
                (a.minus(b), x.wrapping_sub(y)),
                (a.times(number), x.wrapping_mul(number)),
                (a.right(amount), x.checked_shr(amount).unwrap_or(0)),
                (a.and(number), x & number),
                (a.with(number), x | number),
                (a.within(y.min(x), y.max(x)), x),
            ];
            for (place, (known, result)) in results.into_iter().enumerate() {
                assert!(has(known, result), "{place}: {a:?} {b:?} {x} {y} {number} {amount}");
            }
        }
    }

    #[test]
    fn what_is_needed_stays_known() {
        let index = ANY.and(3);
        assert_eq!(index, Steps::up_to(3));
        let places = index.times(4).plus(Steps::one(0x100));
        assert_eq!(places.all(8).unwrap().collect::<Vec<_>>(), [0x100, 0x104, 0x108, 0x10c]);
        assert!(places.all(3).is_none() && places.are_multiples(4));
        let words = Steps::one(0x2000_0000).or(Steps::one(0x2000_0014));
        assert!(words.are_multiples(4) && words.unlimited().are_multiples(4));
        assert!(ANY.times(4).plus(Steps::one(8)).are_multiples(4));
        assert!(!ANY.times(2).are_multiples(4) && !ANY.are_multiples(2));
        assert!(ANY.and(!3).are_multiples(4));
        assert_eq!(ANY.within(0, 5), Steps::up_to(5));
    }
}
