//! The campaign: every point, every exception, one at a time and in nested pairs.
//!
//! ```text
//!  undisturbed run:  ──p0─p1─p2──────────p3──> end
//!                       │  └─ restore; pend; run to the end; compare     single injections
//!                       └── pend ──q0─q1──────────> end
//!                                   └─ restore; pend again; run to the end; compare      pairs
//! ```
//! A machine goes along the undisturbed run and takes a snapshot at each point, so that a run costs
//! only the instructions behind the injection. Pairs do the same along the run with the first
//! injection.

use super::check::{End, Problem};
use super::moment::{Injection, Struck, Walker};
use super::pool::Pool;
use super::sample::{Stride, choose};
use super::undisturbed::{Expectation, Path, Point, Undisturbed};
use super::windows::Windows;
use crate::ctrl_c;
use crate::progress::Progress;
use quintet_sim::machine::{EventFilter, Stop, Until};
use quintet_sim::processor::events::{Event, EventKind};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// The cycles between two looks at Ctrl-C.
const SLICE_CYCLES: u64 = 5_000_000;

/// The most places of the undisturbed run that are tried when a pair is shrunk to its second half.
const SHRINK_MAX: usize = 64;

/// The most failures for which the campaign finds out where a held-off exception was taken.
const LOCATE_MAX: usize = 2000;

/// The amount of the campaign's runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amount {
    /// The most single injections; `None` for all.
    pub sample: Option<u64>,
    /// The most pairs; `None` for all.
    pub pairs: Option<u64>,
    /// The most points for a second injection that are counted behind a first one; `None` for all.
    pub pair_distance: Option<u64>,
    /// The number that decides the choice.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
}

/// Everything that a run needs to know.
pub struct Campaign<'a> {
    /// A machine with the firmware that has been reset and has not run.
    pub prototype: Walker,
    /// The run without injections.
    pub undisturbed: &'a Undisturbed,
    /// The expected end of each run.
    pub expectation: Expectation<'a>,
    /// The windows of the second exception.
    pub second: &'a Windows,
}

/// A run that went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The injections, in order.
    pub struck: Vec<Struck>,
    /// The errors.
    pub problems: Vec<Problem>,
    /// Of a pair that was shrunk: the second injection fails alone.
    pub shrunk: bool,
    /// Where the last exception was taken, if it was held off at first.
    pub taken_at: Option<u32>,
}

impl Failure {
    fn new(struck: Vec<Struck>, problems: Vec<Problem>) -> Self {
        Self { struck, problems, shrunk: false, taken_at: None }
    }
}

/// The counts of an exception's injections.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Runs.
    pub runs: u64,
    /// The number of these in which it was taken at once.
    pub at_once: u64,
    /// Runs that went wrong.
    pub failures: u64,
}

/// The outcome of a part of the campaign.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The number of possible injections.
    pub possible: u64,
    /// The number of chosen injections.
    pub chosen: u64,
    /// The counts by exception. For pairs, by the second exception.
    pub tallies: BTreeMap<u16, Tally>,
    /// The failures, in the order of the run.
    pub failures: Vec<Failure>,
}

/// A first injection.
#[derive(Clone, Copy, Debug)]
struct Task {
    point: usize,
    exception: u16,
    /// The number of points for a second injection that follow. It is known after the single run.
    seconds: u64,
    /// The number of the task's first pair.
    base: u64,
}

/// The results of one piece of work.
#[derive(Default)]
struct Batch {
    tallies: BTreeMap<u16, Tally>,
    failures: Vec<Failure>,
    /// The number of the first task, and for each the points for a second injection.
    first: usize,
    seconds: Vec<u64>,
    done: u64,
}

impl Outcome {
    /// Returns the number of runs.
    pub fn runs(&self) -> u64 {
        self.tallies.values().map(|tally| tally.runs).sum()
    }

    fn absorb(&mut self, batch: &mut Batch) {
        for (exception, tally) in &batch.tallies {
            let all = self.tallies.entry(*exception).or_default();
            all.runs += tally.runs;
            all.at_once += tally.at_once;
            all.failures += tally.failures;
        }
        self.failures.append(&mut batch.failures);
    }

    /// Threads finish in any order.
    fn sort(&mut self) {
        self.failures.sort_by_key(|failure| {
            let moments =
                failure.struck.iter().map(|one| (one.injection.moment, one.injection.exception));
            moments.collect::<Vec<_>>()
        });
    }
}

impl Batch {
    fn note(&mut self, struck: Vec<Struck>, problems: Vec<Problem>) {
        let Some(last) = struck.last() else { return };
        let tally = self.tallies.entry(last.injection.exception).or_default();
        tally.runs += 1;
        tally.at_once += u64::from(last.at_once);
        self.done += 1;
        if !problems.is_empty() {
            tally.failures += 1;
            self.failures.push(Failure::new(struck, problems));
        }
    }
}

impl Campaign<'_> {
    /// Makes the single injections, then, when asked for, the pairs.
    pub fn run(&self, amount: &Amount) -> (Outcome, Option<Outcome>) {
        let mut tasks = self.tasks();
        let possible = tasks.len() as u64;
        if let Some(sample) = amount.sample {
            tasks = choose(tasks, sample, amount.seed);
        }
        let counting = amount.pairs != Some(0);
        let mut singles = Outcome { possible, chosen: tasks.len() as u64, ..Outcome::default() };
        let pool = Pool { jobs: amount.jobs, chunk_max: 256 };
        let mut progress = Progress::new("single injections", "runs", Some(singles.chosen));
        let mut seconds = vec![0; tasks.len()];
        let mut done = 0;
        let counting = counting.then_some(amount.pair_distance.unwrap_or(u64::MAX));
        let work = |walker: &mut Walker, range: Range<usize>| {
            let first = range.start;
            Batch { first, ..self.run_singles(walker, &tasks[range], counting) }
        };
        pool.run(tasks.len(), &self.prototype, work, |mut batch: Batch| {
            singles.absorb(&mut batch);
            seconds[batch.first..][..batch.seconds.len()].copy_from_slice(&batch.seconds);
            done += batch.done;
            progress.at(done);
        });
        progress.finish();
        singles.sort();
        self.locate(&mut singles);
        if counting.is_none() || ctrl_c::is_pressed() {
            return (singles, None);
        }
        let exceptions = self.exceptions().len() as u64;
        let mut base = 0;
        for (task, count) in tasks.iter_mut().zip(seconds) {
            (task.seconds, task.base) = (count, base);
            base += count * exceptions;
        }
        let pairs = self.run_all_pairs(&tasks, base, amount);
        (singles, Some(pairs))
    }

    /// Every point with every exception that can be pended there.
    fn tasks(&self) -> Vec<Task> {
        let points = self.undisturbed.points.iter().enumerate();
        let task = |point, &exception: &u16| Task { point, exception, seconds: 0, base: 0 };
        points
            .flat_map(|(index, point)| {
                let set = self.undisturbed.sets.get(point.set);
                set.into_iter().flatten().map(move |exception| task(index, exception))
            })
            .collect()
    }

    fn exceptions(&self) -> Vec<u16> {
        self.undisturbed.sources.iter().map(|source| source.exception).collect()
    }

    fn point(&self, task: &Task) -> Point {
        self.undisturbed.points[task.point]
    }

    /// Makes the single injections of some tasks. With `counting`, notes how many points for a
    /// second injection follow each (at most this number).
    fn run_singles(&self, walker: &mut Walker, tasks: &[Task], counting: Option<u64>) -> Batch {
        let mut batch = Batch::default();
        for same in tasks.chunk_by(|one, other| one.point == other.point) {
            if ctrl_c::is_pressed() {
                break;
            }
            let point = self.point(&same[0]);
            let reached = walker.go_to(point.moment);
            walker.forget_masked();
            let mark = walker.mark();
            for task in same {
                let struck = walker.strike(task.exception);
                let (problems, seconds) = match counting {
                    _ if !reached => (vec![Problem::Unreached], 0),
                    Some(distance) => self.finish_counting(walker, point, distance),
                    None => (self.finish(walker), 0),
                };
                // A pair that begins with a failure says nothing new.
                batch.seconds.push(if problems.is_empty() { seconds } else { 0 });
                batch.note(vec![struck], problems);
                walker.go_back(&mark);
            }
        }
        batch
    }

    fn run_all_pairs(&self, tasks: &[Task], possible: u64, amount: &Amount) -> Outcome {
        let exceptions = self.exceptions();
        let stride = Stride::new(possible, amount.pairs, exceptions.len() as u64, amount.seed);
        let chosen = stride.count(0..possible);
        let mut pairs = Outcome { possible, chosen, ..Outcome::default() };
        let pool = Pool { jobs: amount.jobs, chunk_max: 8 };
        let mut progress = Progress::new("nested pairs", "runs", Some(chosen));
        let mut done = 0;
        let work = |walker: &mut Walker, range: Range<usize>| {
            let mut batch = Batch::default();
            for task in &tasks[range] {
                self.run_pairs(walker, task, &exceptions, &stride, &mut batch);
            }
            batch
        };
        pool.run(tasks.len(), &self.prototype, work, |mut batch: Batch| {
            pairs.absorb(&mut batch);
            done += batch.done;
            progress.at(done);
        });
        progress.finish();
        pairs.sort();
        self.shrink(&mut pairs);
        self.locate(&mut pairs);
        pairs
    }

    /// The chosen pairs that begin with one first injection.
    fn run_pairs(
        &self,
        walker: &mut Walker,
        task: &Task,
        exceptions: &[u16],
        stride: &Stride,
        batch: &mut Batch,
    ) {
        let count = exceptions.len() as u64;
        let all = task.base..task.base + task.seconds * count;
        if stride.count(all) == 0 {
            return;
        }
        let point = self.point(task);
        if !walker.go_to(point.moment) {
            return;
        }
        walker.forget_masked();
        let origin = walker.mark();
        let first = walker.strike(task.exception);
        let mut path = Path::new(self.second, point.open);
        let mut seconds = 0;
        while seconds < task.seconds && !ctrl_c::is_pressed() {
            if path.look(&mut walker.machine) != 0 {
                let base = task.base + seconds * count;
                seconds += 1;
                let table = &walker.machine.processor.system.exceptions;
                let numbered = (base..).zip(exceptions.iter().copied());
                let chosen =
                    numbered.filter(|&(index, e)| stride.takes(index) && table.is_enabled(e));
                let chosen: Vec<u16> = chosen.map(|(_, exception)| exception).collect();
                self.run_seconds(walker, first, &chosen, batch);
            }
            if walker.step().is_some() {
                break;
            }
        }
        walker.go_back(&origin);
    }

    /// Second injections where the walker stands.
    fn run_seconds(&self, walker: &mut Walker, first: Struck, chosen: &[u16], batch: &mut Batch) {
        if chosen.is_empty() {
            return;
        }
        let mark = walker.mark();
        for &exception in chosen {
            let second = walker.strike(exception);
            let problems = self.finish(walker);
            batch.note(vec![first, second], problems);
            walker.go_back(&mark);
        }
    }

    /// A pair whose second half fails alone says no more than that half.
    fn shrink(&self, pairs: &mut Outcome) {
        let mut alone: BTreeMap<(u32, bool, u16), Option<Failure>> = BTreeMap::new();
        let mut seen = HashSet::new();
        let mut kept = Vec::new();
        for failure in std::mem::take(&mut pairs.failures) {
            let Some(second) = failure.struck.get(1).copied() else { continue };
            let key = (second.pc, second.asleep, second.injection.exception);
            let single = alone.entry(key).or_insert_with(|| self.fails_alone(key)).clone();
            match single {
                None => kept.push(failure),
                Some(single) if seen.insert(key) => kept.push(single),
                Some(_) => {}
            }
        }
        pairs.failures = kept;
    }

    fn fails_alone(&self, (pc, asleep, exception): (u32, bool, u16)) -> Option<Failure> {
        let same = |point: &&Point| (point.pc, point.asleep) == (pc, asleep);
        let points = self.undisturbed.points.iter().filter(same).take(SHRINK_MAX);
        let injections = points.map(|point| Injection { moment: point.moment, exception });
        let mut tried = injections.map(|injection| self.replay(&[injection]).0);
        let failure = tried.find(|failure| !failure.problems.is_empty())?;
        Some(Failure { shrunk: true, ..failure })
    }

    /// Runs once from reset with these injections. The result has no problems if the run ends as it
    /// must. Also returns the machine at the run's end.
    pub fn replay(&self, injections: &[Injection]) -> (Failure, Walker) {
        let mut walker = self.prototype.clone();
        let mut failure = Failure::new(Vec::new(), Vec::new());
        for injection in injections {
            if !walker.go_to(injection.moment) {
                failure.problems.push(Problem::Unreached);
                return (failure, walker);
            }
            if failure.struck.is_empty() {
                walker.forget_masked();
            }
            failure.struck.push(walker.strike(injection.exception));
        }
        failure.taken_at = self.taken_at(&failure.struck, walker.clone());
        failure.problems = self.finish(&mut walker);
        (failure, walker)
    }

    /// Finds where exceptions were taken that were held off at first, for the first failures.
    fn locate(&self, outcome: &mut Outcome) {
        let held_off = |failure: &&mut Failure| failure.struck.last().is_some_and(|s| !s.at_once);
        for failure in outcome.failures.iter_mut().filter(held_off).take(LOCATE_MAX) {
            let injections: Vec<Injection> =
                failure.struck.iter().map(|struck| struck.injection).collect();
            failure.taken_at = self.replay(&injections).0.taken_at;
        }
    }

    /// Returns where the last of the exceptions is taken, if it is not taken at once. `walker` has
    /// just pended it.
    fn taken_at(&self, struck: &[Struck], mut walker: Walker) -> Option<u32> {
        let last = struck.last().filter(|struck| !struck.at_once)?;
        let until = Until {
            max_cycles: Some(self.expectation.limit),
            events: vec![EventFilter::Enter(Some(last.injection.exception))],
            ..Until::default()
        };
        match walker.machine.run(&until) {
            Stop::Event(Event { kind: EventKind::Enter { return_address, .. }, .. }) => {
                Some(return_address)
            }
            _ => None,
        }
    }

    /// Runs to the end and compares.
    fn finish(&self, walker: &mut Walker) -> Vec<Problem> {
        let limit = self.expectation.limit;
        let stop = loop {
            let end = walker.machine.cycle().saturating_add(SLICE_CYCLES).min(limit);
            let until = Until { max_cycles: Some(end), ..Until::default() };
            let stop = walker.machine.run(&until);
            let is_over = stop != Stop::CycleLimit || walker.machine.cycle() >= limit;
            if is_over || ctrl_c::is_pressed() {
                break stop;
            }
        };
        self.compare(walker, stop)
    }

    /// As [`Self::finish`], and counts the points for a second injection up to `distance`.
    fn finish_counting(
        &self,
        walker: &mut Walker,
        point: Point,
        distance: u64,
    ) -> (Vec<Problem>, u64) {
        let mut path = Path::new(self.second, point.open);
        let mut count = 0;
        while count < distance && walker.machine.cycle() < self.expectation.limit {
            count += u64::from(path.look(&mut walker.machine) != 0);
            if let Some(stop) = walker.step() {
                return (self.compare(walker, stop), count);
            }
        }
        (self.finish(walker), count)
    }

    fn compare(&self, walker: &mut Walker, stop: Stop) -> Vec<Problem> {
        let (expectation, now) = (&self.expectation, walker.machine.cycle());
        // A run that Ctrl-C has cut short says nothing.
        if stop == Stop::CycleLimit && now < expectation.limit {
            return Vec::new();
        }
        let end = End::of(&mut walker.machine, stop);
        let mut problems = end.problems(expectation.end, expectation.rules);
        let masked = expectation.max_mask.and_then(|limit| walker.meter()?.problem(now, limit));
        problems.extend(masked);
        problems
    }
}
