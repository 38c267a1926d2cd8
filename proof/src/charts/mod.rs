//! `cargo proof charts`: the code of state machines beside the rules of UML.
//!
//! Random [charts](chart) are printed as source in the language of `quintet::state_machine`, with
//! actions that log. A crate with them is built for the host, each in the fast and in the compact
//! form, and gets random events; an [interpreter](interpret) of the rules gets the same. After each
//! event all must have logged the same, and be in the same state. If they differ, the command
//! prints the difference, and the smallest chart with a difference that it finds.

pub mod build;
pub mod chart;
pub mod committed;
pub mod compare;
#[cfg(test)]
mod features;
pub mod generate;
pub mod host;
pub mod interpret;
pub mod mutants;
pub mod print;
pub mod reach;
pub mod shrink;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use quintet_lab::report::table::grouped;

use crate::firmware::root;
use crate::random::Random;
use build::{Built, Step};
use chart::Chart;
use compare::compare;
use print::Form;

/// The number of charts that are built at once.
const AT_ONCE: u64 = 20;
/// The number of events that go into one machine before it starts again.
const RUN: usize = 100_000;

/// Compare state machines with an interpreter of UML's rules, on random charts and events
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// So many charts
    #[arg(long, value_name = "N", default_value_t = 100)]
    charts: u64,
    /// So many events for each
    #[arg(long, value_name = "N", default_value = "30000")]
    events: NonZeroUsize,
    /// Choose others
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Only this one of them
    #[arg(long, value_name = "I")]
    only: Option<u64>,
    /// Build them against the framework of another tree
    #[arg(long, value_name = "DIRECTORY")]
    tree: Option<PathBuf>,
    /// Print the source of the charts instead
    #[arg(long)]
    print: bool,
    /// Write the charts that `cargo test` runs into proof/tests/charts instead
    #[arg(long)]
    write: bool,
    /// Break the macro on purpose instead, and see whether that is found
    #[arg(long)]
    mutants: bool,
}

impl Arguments {
    /// Compares them.
    pub fn run(&self) -> Result<()> {
        if self.write {
            return committed::write();
        }
        if self.mutants {
            return mutants::run();
        }
        let all = self.only.map_or(0..self.charts, |only| only..only + 1);
        if self.print {
            let source = |index| print::module(&self.chart(index), "A chart.", Form::Default);
            all.for_each(|index| println!("{}", source(index)));
            return Ok(());
        }
        let started = Instant::now();
        let mut amount = Amount::default();
        for first in all.clone().step_by(AT_ONCE as usize) {
            let indices: Vec<_> = (first..all.end.min(first + AT_ONCE)).collect();
            let charts: Vec<_> = indices.iter().map(|index| self.chart(*index)).collect();
            let built = Built::new(&self.tree(), "random", &charts)?;
            for (place, (index, chart)) in indices.iter().zip(&charts).enumerate() {
                self.compare(&built, place, *index, chart)?;
                amount.charts += 1;
                amount.states += chart.states.len() as u64;
                amount.events += self.events.get() as u64;
            }
            let seconds = started.elapsed().as_secs_f64();
            let left = seconds * (all.end - first) as f64 / (first + AT_ONCE - all.start) as f64;
            let left = if amount.charts < all.end - all.start { left } else { 0.0 };
            eprintln!("{amount}, {seconds:.0} s; about {left:.0} s to go");
        }
        println!("{amount}, {:.0} s", started.elapsed().as_secs_f64());
        println!("every machine did what the rules say, in the fast form and in the compact form");
        Ok(())
    }

    fn tree(&self) -> PathBuf {
        self.tree.clone().unwrap_or_else(root)
    }

    fn chart(&self, index: u64) -> Chart {
        random(self.seed, index)
    }

    /// A chart's events, in runs. If one is wrong, the error has the smallest that is.
    fn compare(&self, built: &Built, place: usize, index: u64, chart: &Chart) -> Result<()> {
        let mut left = self.events.get();
        for run in 0.. {
            let steps = steps(self.seed, index, run, left.min(RUN));
            if let Some(difference) = compare(built, place, chart, &steps)? {
                let (seed, events) = (self.seed, self.events);
                eprintln!("chart {index} differs; looking for a smaller one");
                let small = shrink::report(&self.tree(), chart, &steps[..=difference.step])?;
                bail!(
                    "chart {index} of seed {seed} differs\n{}\nThe smallest chart found:\n{small}\n\
                     again: cargo proof charts --seed {seed} --events {events} --only {index}",
                    difference.report(chart, &steps)
                );
            }
            left -= steps.len().min(left);
            if left == 0 {
                break;
            }
        }
        Ok(())
    }
}

/// The amount of comparisons.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    charts: u64,
    states: u64,
    events: u64,
}

impl std::fmt::Display for Amount {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [charts, states, events] = [self.charts, self.states, self.events].map(grouped);
        write!(formatter, "{charts} charts, {states} states, {events} events")
    }
}

/// The chart with a number: one of twenty has hundreds of states.
pub fn random(seed: u64, index: u64) -> Chart {
    let mut sizes = Random::of_item(!seed, index);
    let size = match index % 20 {
        19 => 100 + sizes.below(200),
        0..5 => 3 + sizes.below(8),
        _ => 8 + sizes.below(40),
    };
    generate::chart(seed, index, size)
}

/// The steps of one of a chart's runs: every other one leaves the start to the first event.
pub fn steps(seed: u64, index: u64, run: u64, count: usize) -> Vec<Step> {
    let events = generate::events(seed ^ (run << 32), index, count).into_iter().map(Some);
    let start = index.is_multiple_of(2).then_some(None);
    start.into_iter().chain(events).collect()
}
