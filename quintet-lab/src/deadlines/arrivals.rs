//! How often jobs of a task arrive, at the most.
//!
//! `within(t)` is the most arrivals in any `t` cycles in a row, and `span(n)` the fewest cycles
//! from the first to the last of any `n` arrivals. Both say the same:
//!
//! ```text
//! within(t) = the largest n with span(n) < t
//! ```

/// So many arrivals in a row are compared with each other. Beyond that, spans are added up.
const SPANS_MAX: usize = 64;

/// The arrivals of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arrivals {
    /// At least `period` apart, but for the jitter: `n` arrivals take `(n - 1) period - jitter`.
    Sporadic {
        /// The declared distance in cycles, at least 1.
        period: u64,
        /// By how many cycles some came too early.
        jitter: u64,
    },
    /// As in the run: the place `n - 1` has the shortest span of `n` arrivals. The first is 0.
    Observed(Vec<u64>),
}

impl Arrivals {
    /// Of a task that declares its period, and arrived at these times, which are in order.
    pub fn declared(period: u64, times: &[u64]) -> Self {
        Self::Sporadic { period: period.max(1), jitter: jitter(period, times) }
    }

    /// Of a task that declares nothing: as these times, which are in order, in a run of so many
    /// cycles.
    pub fn observed(times: &[u64], run: u64) -> Self {
        let shortest = |count: usize| {
            times.windows(count).map(|all| all[count - 1] - all[0]).min().unwrap_or(0)
        };
        let mut spans: Vec<u64> = (1..=times.len().clamp(1, SPANS_MAX)).map(shortest).collect();
        if times.len() < SPANS_MAX {
            // One more did not come in all of the run.
            spans.push(run.max(spans[spans.len() - 1]).max(1));
        }
        Self::Observed(spans)
    }

    /// The most arrivals in any so many cycles in a row.
    pub fn within(&self, cycles: u64) -> u64 {
        let Some(last) = cycles.checked_sub(1) else { return 0 };
        match self {
            Self::Sporadic { period, jitter } => last.saturating_add(*jitter) / period + 1,
            Self::Observed(spans) => {
                let Some((longest, others)) = spans.split_last() else { return 0 };
                if *longest == 0 {
                    return u64::MAX;
                }
                let rest = others.partition_point(|span| *span <= last % longest) as u64;
                (last / longest).saturating_mul(others.len() as u64) + rest
            }
        }
    }

    /// The fewest cycles from the first to the last of so many arrivals.
    pub fn span(&self, count: u64) -> u64 {
        let Some(behind) = count.checked_sub(1) else { return 0 };
        match self {
            Self::Sporadic { period, jitter } => {
                behind.saturating_mul(*period).saturating_sub(*jitter)
            }
            Self::Observed(spans) => {
                let Some((longest, others)) = spans.split_last() else { return 0 };
                let parts = others.len().max(1) as u64;
                let rest = others.get((behind % parts) as usize).copied().unwrap_or(0);
                (behind / parts).saturating_mul(*longest).saturating_add(rest)
            }
        }
    }

    /// How many arrivals there are for ever, at the most, as a part of a cycle.
    pub fn rate(&self) -> f64 {
        match self {
            Self::Sporadic { period, .. } => 1.0 / *period as f64,
            Self::Observed(spans) => match spans.split_last() {
                Some((longest, others)) => others.len() as f64 / (*longest).max(1) as f64,
                None => 0.0,
            },
        }
    }
}

/// By how many cycles arrivals come earlier than a period behind each other, added up: the least
/// `j` for which any `n` take at least `(n - 1) period - j`.
fn jitter(period: u64, times: &[u64]) -> u64 {
    let mut latest: Option<i128> = None;
    let mut jitter = 0;
    for (number, time) in times.iter().enumerate() {
        let beyond = i128::from(*time) - number as i128 * i128::from(period);
        let before = latest.unwrap_or(beyond).max(beyond);
        latest = Some(before);
        jitter = jitter.max(before - beyond);
    }
    u64::try_from(jitter).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_gives_one_more_arrival_than_fits() {
        let each = Arrivals::declared(10, &[0, 10, 25]);
        assert_eq!(each, Arrivals::Sporadic { period: 10, jitter: 0 });
        let within = [0, 1, 10, 11, 20, 21].map(|cycles| each.within(cycles));
        assert_eq!(within, [0, 1, 1, 2, 2, 3]);
        assert_eq!([1, 2, 3].map(|count| each.span(count)), [0, 10, 20]);
    }

    #[test]
    fn jitter_is_what_arrivals_come_too_early() {
        assert_eq!(jitter(10, &[0, 9, 19, 30]), 1);
        assert_eq!(jitter(10, &[3, 10, 20]), 3);
        assert_eq!(jitter(10, &[0, 8, 16]), 4, "it adds up");
        assert_eq!(jitter(10, &[0, 50, 58]), 2, "a pause saves nothing up");
        let each = Arrivals::declared(10, &[0, 9]);
        assert_eq!((each.within(9), each.within(10), each.span(2)), (1, 2, 9));
    }

    #[test]
    fn what_was_observed_is_the_densest_of_the_run() {
        // Two in a row, every 100.
        let each = Arrivals::observed(&[0, 5, 100, 105, 200, 205], 300);
        assert_eq!(each, Arrivals::Observed(vec![0, 5, 100, 105, 200, 205, 300]));
        assert_eq!((each.within(5), each.within(6), each.within(101)), (1, 2, 3));
        assert_eq!((each.within(301), each.span(7), each.span(8)), (7, 300, 305));
        assert!((each.rate() - 6.0 / 300.0).abs() < 1e-9);
        let once = Arrivals::observed(&[7], 1000);
        assert_eq!((once.within(1000), once.within(1001)), (1, 2));
    }

    #[test]
    fn within_and_span_say_the_same() {
        let all = [
            Arrivals::declared(7, &[0, 5, 13]),
            Arrivals::observed(&[0, 0, 3, 9, 40], 50),
            Arrivals::observed(&(0..200).map(|one| one * one).collect::<Vec<_>>(), 50_000),
        ];
        for one in all {
            for cycles in 0..300 {
                let count = one.within(cycles);
                assert!(count == 0 || one.span(count) < cycles, "{one:?} {cycles}");
                assert!(one.span(count + 1) >= cycles, "{one:?} {cycles}");
            }
        }
    }
}
