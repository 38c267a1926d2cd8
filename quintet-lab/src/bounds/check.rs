//! Whether bounds hold in a run: no function takes longer, and no stack is deeper.

use serde::Serialize;

use super::observe::Observed;
use super::verdict::Analysis;
use crate::firmware::Firmware;
use crate::report::table::{self, grouped, table};

/// A function with its bounds and its figures of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Compared {
    /// Its name.
    pub function: String,
    /// Its first instruction.
    pub entry: u32,
    /// How many activations without interruption there were.
    pub times: u64,
    /// The bound of its cycles.
    pub cycles: Option<u64>,
    /// The most cycles of an activation.
    pub observed_cycles: u64,
    /// The bound of its stack.
    pub stack: Option<u32>,
    /// The most bytes of an activation.
    pub observed_stack: u32,
}

impl Compared {
    /// Returns `true` if a bound is below what was observed.
    pub fn is_broken(&self) -> bool {
        self.cycles.is_some_and(|cycles| cycles < self.observed_cycles)
            || self.stack.is_some_and(|stack| stack < self.observed_stack)
    }

    /// The bound of the cycles as a multiple of what was observed.
    pub fn ratio(&self) -> Option<f64> {
        let observed = (self.observed_cycles > 0).then_some(self.observed_cycles as f64)?;
        self.cycles.map(|cycles| cycles as f64 / observed)
    }
}

/// All functions that a run has shown and that have a bound.
pub fn compare(firmware: &Firmware, analysis: &Analysis<'_>, observed: &Observed) -> Vec<Compared> {
    let seen = observed.functions.iter().filter_map(|(entry, seen)| {
        let bound = analysis.bounds().get(entry)?;
        let has_bound = bound.cycles.is_some() || bound.stack.is_some();
        has_bound.then(|| Compared {
            function: firmware.describe(*entry),
            entry: *entry,
            times: seen.times,
            // Time asleep is no part of it.
            cycles: bound.cycles.filter(|_| bound.waits.is_empty()),
            observed_cycles: seen.cycles,
            stack: bound.stack,
            observed_stack: seen.stack,
        })
    });
    seen.collect()
}

/// The first line of an answer that a run contradicts; `None` if no bound is broken.
pub fn headline(all: &[Compared]) -> Option<String> {
    let broken: Vec<&Compared> = all.iter().filter(|one| one.is_broken()).collect();
    let first = broken.first()?;
    let more = match broken.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let number = |number: Option<u64>| number.map_or("none".into(), grouped);
    Some(format!(
        "BROKEN: this run was above its bounds. {} took {} cycles and {} bytes of stack; its \
         bounds are {} and {}{more}.",
        first.function,
        grouped(first.observed_cycles),
        grouped(first.observed_stack.into()),
        number(first.cycles),
        number(first.stack.map(u64::from)),
    ))
}

/// The mean of the ratios, as of factors.
pub fn mean_ratio(all: &[Compared]) -> Option<f64> {
    let ratios: Vec<f64> = all.iter().filter_map(Compared::ratio).collect();
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

/// The comparison as a table, the loosest bounds last.
pub fn text(all: &[Compared]) -> String {
    let columns =
        ["function", ">times", ">cycles", ">observed", ">ratio", ">stack", ">observed", ""];
    let mut shown = table(&columns);
    let mut sorted: Vec<&Compared> = all.iter().collect();
    sorted.sort_by(|one, other| {
        let ratio = |compared: &Compared| compared.ratio().unwrap_or(0.0);
        ratio(one).total_cmp(&ratio(other))
    });
    for one in sorted {
        let number = |number: Option<u64>| number.map_or("?".into(), grouped);
        shown.add_row([
            one.function.clone(),
            grouped(one.times),
            number(one.cycles),
            grouped(one.observed_cycles),
            one.ratio().map_or(String::new(), |ratio| format!("{ratio:.2}")),
            number(one.stack.map(u64::from)),
            grouped(one.observed_stack.into()),
            if one.is_broken() { "BROKEN".into() } else { String::new() },
        ]);
    }
    let mut text = headline(all).map_or(String::new(), |line| format!("{line}\n\n"));
    text.push_str(&table::text(&shown));
    if let Some(mean) = mean_ratio(all) {
        text.push_str(&format!(
            "\nOn average (of factors) a bound is {mean:.2} times the observed cycles.\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(cycles: Option<u64>, stack: Option<u32>) -> Compared {
        Compared {
            function: "app::step".into(),
            entry: 0x100,
            times: 3,
            cycles,
            observed_cycles: 10,
            stack,
            observed_stack: 16,
        }
    }

    #[test]
    fn a_bound_below_what_was_observed_is_broken() {
        assert!(!compared(Some(10), Some(16)).is_broken());
        assert!(!compared(None, None).is_broken());
        assert!(compared(Some(9), Some(16)).is_broken());
        assert!(compared(Some(10), Some(12)).is_broken());
        let broken = [compared(Some(10), None), compared(Some(9), None), compared(None, Some(8))];
        let text = text(&broken);
        let first = "BROKEN: this run was above its bounds. app::step took 10 cycles and 16 bytes \
                     of stack; its bounds are 9 and none, and 1 more.";
        assert_eq!(text.lines().next(), Some(first));
        assert_eq!(headline(&broken[..1]), None);
    }

    #[test]
    fn ratios_are_averaged_as_factors() {
        let all = [compared(Some(10), None), compared(Some(40), None), compared(None, None)];
        assert_eq!(mean_ratio(&all), Some(2.0));
        assert_eq!(mean_ratio(&all[2..]), None);
    }
}
