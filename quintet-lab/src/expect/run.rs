//! Runs a test on a machine of its own, and runs all of them side by side.

use super::file::{Subject, TestFile};
use super::watch::{Standing, Watcher};
use crate::ctrl_c;
use crate::exit::Outcome;
use crate::report::death::Cause;
use crate::simulated::Simulated;
use crate::simulation::{Advance, Limits, Simulation, Sink};
use crate::trace::span::in_words;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What came of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All that was expected has happened.
    Passed,
    /// Something was not as expected.
    Failed,
    /// Ctrl-C came first.
    Cut,
}

impl Verdict {
    /// The word for JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Cut => "interrupted",
        }
    }
}

/// What came of an expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// The line of the file.
    pub line: usize,
    /// The expectation.
    pub text: String,
    /// When it was met.
    pub met: Option<u64>,
    /// Why it failed, and what was seen instead.
    pub problem: Option<String>,
}

/// A test that has run.
#[derive(Clone, PartialEq, Debug)]
pub struct Finished {
    /// The path of its file.
    pub file: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The cycles that it took.
    pub cycles: u64,
    /// The same as a time.
    pub seconds: f64,
    /// The expectations, in the order of the file.
    pub expectations: Vec<Judged>,
    /// What else was wrong: the firmware died, or ended with another code than 0.
    pub problems: Vec<String>,
    /// What the firmware printed, by channel.
    pub output: BTreeMap<String, String>,
}

/// How tests are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct How {
    /// So many at once.
    pub jobs: usize,
    /// The limits that the command's options set, besides that of a test.
    pub limits: Limits,
}

/// Runs all tests. Their results are in the order of the tests, whoever was first. Tests that
/// Ctrl-C has left are not among them.
pub fn run_all<M: Simulated + Send + Sync>(
    tests: &[TestFile],
    subject: &Subject<'_, M>,
    how: How,
) -> anyhow::Result<Vec<Finished>> {
    let next = AtomicUsize::new(0);
    let finished = Mutex::new(BTreeMap::new());
    // Threads share neither a machine nor the caches of debug information.
    let own = |_| (subject.firmware.copy(), subject.machine.clone());
    let owners: Vec<_> = (0..how.jobs.clamp(1, tests.len().max(1))).map(own).collect();
    std::thread::scope(|scope| {
        for (firmware, machine) in owners {
            let (next, finished) = (&next, &finished);
            scope.spawn(move || {
                let own = Subject { firmware: &firmware, facts: None, machine };
                while !ctrl_c::is_pressed() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(test) = tests.get(number) else { return };
                    let result = run(test, &own, how.limits);
                    // A thread that panics is the end of the command.
                    if let Ok(mut finished) = finished.lock() {
                        finished.insert(number, result);
                    }
                }
            });
        }
    });
    let finished = finished.into_inner().unwrap_or_default();
    finished.into_values().collect()
}

/// Runs a test.
pub fn run<M: Simulated>(
    test: &TestFile,
    subject: &Subject<'_, M>,
    limits: Limits,
) -> anyhow::Result<Finished> {
    let firmware = subject.firmware;
    let mut machine = subject.machine.clone();
    machine.set_script(test.script.clone());
    let limit = limits.cycles.map_or(test.limit, |most| most.min(test.limit));
    let limits = Limits { cycles: Some(limit), ..limits };
    let mut simulation = Simulation::of(firmware, machine, limits, Sink::Keep(BTreeMap::new()));
    let mut watcher = Watcher::new(test, firmware, &mut simulation.machine);
    let end = simulation.advance_following(&mut watcher)?;
    let clock = simulation.machine.clock_hz();
    let cycles = simulation.machine.cycle();
    let problems = conclude(test, &simulation, &mut watcher, end.as_ref());
    let judged = |(one, standing): (&super::expectation::Expectation, &Standing)| Judged {
        line: one.line,
        text: one.words(clock),
        met: match standing {
            Standing::Met(cycle) => Some(*cycle),
            _ => None,
        },
        problem: match standing {
            Standing::Met(_) => None,
            Standing::Failed(why) => Some(why.clone()),
            Standing::Open => Some("it was not decided".to_owned()),
        },
    };
    let expectations: Vec<_> =
        test.expectations.iter().zip(watcher.standings()).map(judged).collect();
    let has_failed = !problems.is_empty() || expectations.iter().any(|one| one.problem.is_some());
    let verdict = match (simulation.is_cut(), has_failed) {
        (true, _) => Verdict::Cut,
        (false, true) => Verdict::Failed,
        (false, false) => Verdict::Passed,
    };
    Ok(Finished {
        file: test.path.display().to_string(),
        verdict,
        cycles,
        seconds: cycles as f64 / clock.max(1) as f64,
        expectations,
        problems,
        output: simulation.sink.into_texts(),
    })
}

/// Decides what is open at an end, and returns what else was wrong.
fn conclude<M: Simulated>(
    test: &TestFile,
    simulation: &Simulation<'_, M>,
    watcher: &mut Watcher<'_>,
    end: Option<&Advance>,
) -> Vec<String> {
    let clock = simulation.machine.clock_hz();
    let then = in_words(simulation.machine.cycle(), clock);
    let mut problems = Vec::new();
    let mut told = |outcome, texts: Vec<String>, headline: String| {
        if matches!(outcome, Outcome::Died | Outcome::Firmware(1..)) {
            problems.push(headline);
            problems.extend(texts);
        }
    };
    let machine = &simulation.machine;
    match end {
        None | Some(Advance::Reached(_)) => {}
        Some(end @ Advance::Exit(code)) => {
            watcher.exited(machine, *code);
            let expects = |one: &super::expectation::Expectation| {
                one.what == super::expectation::What::Exit { code: *code } && !one.never
            };
            let is_expected = test.expectations.iter().any(expects);
            watcher.finish(
                machine,
                &format!("the firmware ended with code {code} at {then}"),
                true,
            );
            let (outcome, about) = M::ending(simulation, end);
            if !is_expected || outcome == Outcome::Died {
                let headline = format!("the firmware ended with code {code} at {then}");
                told(outcome, about, headline);
            }
        }
        Some(Advance::Ended(Cause::CycleLimit(_) | Cause::InstructionLimit(_)))
            if !machine.is_in_fault() =>
        {
            watcher.finish(machine, &format!("the test ended at its limit, {then}"), false);
        }
        Some(Advance::Ended(Cause::Asleep)) => {
            let why = format!("the firmware sleeps since {then}, and nothing will wake it");
            watcher.finish(machine, &why, true);
        }
        Some(Advance::Ended(Cause::Interrupted)) => {
            watcher.finish(machine, "interrupted", false);
        }
        Some(end @ Advance::Ended(_)) => {
            watcher.finish(machine, &format!("the firmware died at {then}"), false);
            let (_, texts) = M::ending(simulation, end);
            told(Outcome::Died, texts, format!("the firmware died at {then}"));
        }
    }
    problems
}
