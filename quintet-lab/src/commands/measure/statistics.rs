//! The statistics of many measurements: extremes, mean, histogram.

use crate::report::table::grouped;
use serde::Serialize;
use std::collections::BTreeMap;

/// Up to this number, each value has a class of its own. More values share this many classes.
const CLASSES_MAX: usize = 12;

/// The width of the longest bar.
const BAR_WIDTH: u64 = 40;

/// The summary of some counts of cycles.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct Summary {
    /// The number of values.
    pub count: u64,
    /// The smallest.
    pub min: u64,
    /// Their mean.
    pub mean: f64,
    /// The largest.
    pub max: u64,
    /// The count of each value, or of each range of values.
    pub histogram: Vec<Class>,
}

/// The values from `from` to `to`, both included.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// The first value.
    pub from: u64,
    /// The last value.
    pub to: u64,
    /// The number of values in the class.
    pub count: u64,
}

impl Summary {
    /// The summary, `None` of nothing.
    pub fn of(values: impl IntoIterator<Item = u64>) -> Option<Self> {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for value in values {
            *counts.entry(value).or_default() += 1;
        }
        let (min, max) = (*counts.keys().next()?, *counts.keys().next_back()?);
        let count: u64 = counts.values().sum();
        let sum: u128 = counts.iter().map(|(value, n)| u128::from(*value) * u128::from(*n)).sum();
        let mean = sum as f64 / count as f64;
        Some(Self { count, min, mean, max, histogram: classes(&counts, min, max) })
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{} occurrences: min {}, mean {:.1}, max {} cycles\n\n",
            grouped(self.count),
            grouped(self.min),
            self.mean,
            grouped(self.max)
        );
        let most = self.histogram.iter().map(|class| class.count).max().unwrap_or(1).max(1);
        for class in &self.histogram {
            let range = if class.from == class.to {
                grouped(class.from)
            } else {
                format!("{} to {}", grouped(class.from), grouped(class.to))
            };
            let length = (class.count * BAR_WIDTH).div_ceil(most) as usize;
            let bar = "#".repeat(length);
            text.push_str(&format!("  {range:>24}  {bar} {}\n", class.count));
        }
        text.push('\n');
        text
    }
}

fn classes(counts: &BTreeMap<u64, u64>, min: u64, max: u64) -> Vec<Class> {
    if counts.len() <= CLASSES_MAX {
        let single = |(&value, &count)| Class { from: value, to: value, count };
        return counts.iter().map(single).collect();
    }
    let width = (max - min) / CLASSES_MAX as u64 + 1;
    let mut classes = Vec::new();
    for index in 0..CLASSES_MAX as u64 {
        let from = min.saturating_add(index.saturating_mul(width));
        if from > max {
            break;
        }
        let to = from.saturating_add(width - 1).min(max);
        let count = counts.range(from..=to).map(|(_, n)| n).sum();
        classes.push(Class { from, to, count });
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_shown_each_for_itself() {
        let summary = Summary::of([5, 3, 5, 9]).unwrap();
        assert_eq!((summary.count, summary.min, summary.max), (4, 3, 9));
        assert!((summary.mean - 5.5).abs() < 1e-9);
        let counts: Vec<_> = summary.histogram.iter().map(|c| (c.from, c.to, c.count)).collect();
        assert_eq!(counts, [(3, 3, 1), (5, 5, 2), (9, 9, 1)]);
        assert!(summary.text().contains(&"#".repeat(40)));
    }

    #[test]
    fn many_values_share_classes_that_cover_all() {
        for last in [100u64, 101, 13, 1000] {
            let summary = Summary::of(1..=last).unwrap();
            assert!(summary.histogram.len() <= CLASSES_MAX);
            assert_eq!(summary.histogram.iter().map(|class| class.count).sum::<u64>(), last);
            assert_eq!(summary.histogram.last().unwrap().to, last);
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        let summary = Summary::of([0, u64::MAX]).unwrap();
        assert!(summary.mean > 9e18);
        assert!(Summary::of((0..20).map(|n| u64::MAX - n * 7)).is_some());
        assert_eq!(Summary::of([]), None);
    }
}
