//! Makes a chart and its events smaller, while the machine still differs from the rules.
//!
//! Events cost a run each, so they come first. Charts cost a build, so all charts that lack one
//! part are built at once, and as many unneeded parts as possible are left out at once.

use std::path::Path;

use anyhow::Result;

use super::build::{Built, Step};
use super::chart::{Chart, Kind, Outcome, Target};
use super::compare::{Difference, compare};
use super::print::{self, Form};
use super::reach::{only, without_unreachable};

/// Rounds of smaller charts: each is a build.
const ROUNDS: usize = 24;
/// The number of smaller charts that are built at once.
const AT_ONCE: usize = 24;

/// A comparison of charts.
pub trait Bench {
    /// Charts that are ready.
    type Charts;
    /// Makes them ready.
    fn prepare(&self, charts: &[Chart]) -> Result<Self::Charts>;
    /// Returns the difference of one of them, by its index, from the rules.
    fn differs(
        &self,
        charts: &Self::Charts,
        index: usize,
        chart: &Chart,
        steps: &[Step],
    ) -> Result<Option<Difference>>;
}

/// The macro of a tree.
struct Real<'a>(&'a Path);

impl Bench for Real<'_> {
    type Charts = Built;

    fn prepare(&self, charts: &[Chart]) -> Result<Built> {
        Built::new(self.0, "smaller", charts)
    }

    fn differs(
        &self,
        built: &Built,
        index: usize,
        chart: &Chart,
        steps: &[Step],
    ) -> Result<Option<Difference>> {
        compare(built, index, chart, steps)
    }
}

/// The smallest chart and events that were found, and the difference, as text.
pub fn report(tree: &Path, chart: &Chart, steps: &[Step]) -> Result<String> {
    let (chart, steps, difference) = smallest(&Real(tree), chart, steps)?;
    let form = difference.as_ref().map_or(Form::Default, |one| one.form);
    let report = difference.map_or_else(String::new, |one| one.report(&chart, &steps));
    let events: Vec<_> = steps.iter().flatten().map(ToString::to_string).collect();
    let source = print::module(&chart, "The smallest chart found.", form);
    Ok(format!("{source}\nevents: {}\n{report}", events.join(" ")))
}

/// The smallest chart and steps that were found, and the difference.
pub fn smallest<B: Bench>(
    bench: &B,
    chart: &Chart,
    steps: &[Step],
) -> Result<(Chart, Vec<Step>, Option<Difference>)> {
    let mut best = chart.clone();
    let mut steps = steps.to_vec();
    let ready = bench.prepare(std::slice::from_ref(&best))?;
    let mut difference = shorten(bench, &ready, 0, &best, &mut steps)?;
    let mut all = candidates(&best);
    let mut next = 0;
    for round in 0..ROUNDS {
        let some = &all[next..all.len().min(next + AT_ONCE)];
        if some.is_empty() {
            break;
        }
        eprintln!("round {round}: {} states, {} steps", best.states.len(), steps.len());
        // A chart that the macro refuses ends the search: the chart found so far is small as well.
        let Ok(ready) = bench.prepare(some) else { break };
        next += some.len();
        for (index, candidate) in some.iter().enumerate() {
            if bench.differs(&ready, index, candidate, &steps)?.is_some() {
                best = candidate.clone();
                difference = shorten(bench, &ready, index, &best, &mut steps)?;
                (all, next) = (candidates(&best), 0);
                break;
            }
        }
    }
    Ok((best, steps, difference))
}

/// Leaves events out, in pieces that become shorter. The difference that is left.
fn shorten<B: Bench>(
    bench: &B,
    ready: &B::Charts,
    index: usize,
    chart: &Chart,
    steps: &mut Vec<Step>,
) -> Result<Option<Difference>> {
    let differs = |steps: &[Step]| bench.differs(ready, index, chart, steps);
    if let Some(difference) = differs(steps)? {
        steps.truncate(difference.step + 1);
    }
    let mut piece = steps.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(at..(at + piece).min(steps.len()));
            match differs(&fewer)? {
                Some(difference) => {
                    fewer.truncate(difference.step + 1);
                    *steps = fewer;
                }
                None => at += piece,
            }
        }
        piece /= 2;
    }
    differs(steps)
}

/// Returns charts that lack a part, those that lack most first.
fn candidates(chart: &Chart) -> Vec<Chart> {
    let mut all = Vec::new();
    let count = chart.states.len();
    for share in [2, 4, 8, 16] {
        for part in 0..share {
            let keep: Vec<_> = (0..count).map(|state| state * share / count != part).collect();
            all.push(only(chart, &keep));
        }
    }
    for state in 0..count {
        let keep: Vec<_> = (0..count).map(|other| other != state).collect();
        all.push(only(chart, &keep));
    }
    all.extend((0..count).filter_map(|state| without_level(chart, state)));
    let arms: usize = chart.states.iter().map(|state| state.arms.len()).sum();
    for share in [2, 4, 8] {
        for part in 0..share {
            let mut smaller = chart.clone();
            let mut number = 0;
            for state in &mut smaller.states {
                state.arms.retain(|_| {
                    number += 1;
                    (number - 1) * share / arms.max(1) != part
                });
            }
            all.push(smaller);
        }
    }
    let mut plain = chart.clone();
    plain.states.iter_mut().for_each(|state| {
        state.completion.clear();
        (state.completes, state.timer) = (false, None);
        state.defer.clear();
    });
    all.push(plain);
    for (index, state) in chart.states.iter().enumerate() {
        for arm in 0..state.arms.len() {
            let mut smaller = chart.clone();
            smaller.states[index].arms.remove(arm);
            all.push(smaller);
        }
    }
    all.retain(|smaller| !smaller.states.is_empty());
    let mut all: Vec<_> = all.iter().map(without_unreachable).collect();
    all.retain(|smaller| weight(smaller) < weight(chart) && is_allowed(smaller));
    all.sort_by_key(weight);
    all.dedup();
    all
}

/// Returns the chart without a composite, but with the states inside.
fn without_level(chart: &Chart, composite: usize) -> Option<Chart> {
    let inner = chart.states[composite].initial.as_ref()?.target;
    let mut smaller = chart.clone();
    smaller.states[composite].initial = None;
    let outer = chart.states[composite].parent;
    let instead = |target: &mut Target| {
        if target.state == composite {
            *target = inner;
        }
    };
    instead(&mut smaller.start);
    for state in &mut smaller.states {
        if state.parent == Some(composite) {
            (state.parent, state.completes) = (outer, false);
        }
        state.initial.iter_mut().for_each(|initial| instead(&mut initial.target));
        let arms = state.arms.iter_mut().flat_map(|arm| &mut arm.branches);
        for branch in arms.chain(&mut state.completion) {
            if let Outcome::Transition { target, kind, .. } = &mut branch.outcome {
                if target.state == composite && !matches!(kind, Kind::Local) {
                    *kind = Kind::External;
                }
                instead(target);
            }
        }
    }
    let keep: Vec<_> = (0..chart.states.len()).map(|state| state != composite).collect();
    Some(only(&smaller, &keep))
}

/// Returns `true` if the language allows the chart: some state has a handler, and completions end.
fn is_allowed(chart: &Chart) -> bool {
    chart.states.iter().any(|state| !state.arms.is_empty()) && chart.completions_end()
}

/// Returns how long the chart is to read.
fn weight(chart: &Chart) -> usize {
    let branches = (0..chart.states.len()).map(|state| chart.branches(state).count());
    let lists = chart.states.iter().map(|state| state.defer.len());
    let timers = chart.states.iter().filter(|state| state.timer.is_some()).count();
    3 * chart.states.len() + timers + branches.chain(lists).sum::<usize>()
}
