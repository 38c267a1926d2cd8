//! Follows a run, and decides each expectation as soon as that can be.
//!
//! ```text
//!  waits for its base ──> open ──> met
//!                          │  └──> failed: in its time it did not happen, or it must never happen
//!                          └─────> failed, and it happened later: then its lateness is told
//! ```

use super::event::{Event, is_of, meets, state_words, value};
use super::expectation::{Base, Expectation, Task, What};
use super::file::TestFile;
use super::history::History;
use crate::deadlines::declare::Jobs;
use crate::deadlines::watch::{Wanted, Watch};
use crate::firmware::Firmware;
use crate::simulated::Simulated;
use crate::simulation::Follow;
use crate::trace::kernel::Who;
use crate::trace::span::in_words;
use quintet_sim::script::When;
use std::collections::BTreeMap;

/// The most lines that are kept to show those that come near.
const LINES_MAX: usize = 10_000;

/// How alike a line must be (0 to 1, of Jaro and Winkler) to be shown as near.
const LIKENESS_MIN: f64 = 0.75;

/// How it stands with an expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Not decided.
    Open,
    /// It happened as expected, in this cycle.
    Met(u64),
    /// It did not: why.
    Failed(String),
}

/// An expectation in a run.
struct State {
    base: Option<u64>,
    standing: Standing,
    seen: History,
    /// The level or the value at the last look.
    last: Option<u64>,
    /// Its time is over, and it is known whether it came later.
    is_settled: bool,
    /// The jobs that were measured, and the longest.
    jobs: (u64, u64),
}

/// Follows the run of a test.
pub struct Watcher<'a> {
    test: &'a TestFile,
    states: Vec<State>,
    tasks: Option<Watch<'a>>,
    partial: BTreeMap<String, Vec<u8>>,
    lines: Vec<(u64, String, String)>,
    clock_hz: u64,
    cycle: u64,
}

impl<'a> Watcher<'a> {
    /// Of a machine after reset.
    pub fn new(test: &'a TestFile, firmware: &Firmware, machine: &mut impl Simulated) -> Self {
        machine.observe_pins(true);
        let tasks = test
            .application
            .as_ref()
            .map(|application| Watch::new(firmware, application, Wanted::default(), machine));
        let state = |one: &Expectation| State {
            base: match one.base {
                Base::Start => Some(0),
                Base::Input(When::Cycle(cycle)) => Some(cycle),
                Base::Input(When::Place(_)) | Base::Expectation(_) => None,
            },
            standing: Standing::Open,
            seen: History::default(),
            last: None,
            is_settled: false,
            jobs: (0, 0),
        };
        let mut watcher = Self {
            test,
            states: test.expectations.iter().map(state).collect(),
            tasks,
            partial: BTreeMap::new(),
            lines: Vec::new(),
            clock_hz: machine.clock_hz(),
            cycle: machine.cycle(),
        };
        watcher.look_at_states(machine, machine.cycle());
        watcher
    }

    /// How it stands with each expectation.
    pub fn standings(&self) -> impl Iterator<Item = &Standing> {
        self.states.iter().map(|state| &state.standing)
    }

    /// The firmware has ended by itself.
    pub fn exited(&mut self, machine: &impl Simulated, code: u32) {
        self.end_lines(machine.cycle());
        self.event(machine.cycle(), &Event::Exit { code });
    }

    /// Decides what is still open. `why` says why nothing more can happen, and `is_for_ever` that
    /// everything stays as it is.
    pub fn finish(&mut self, machine: &impl Simulated, why: &str, is_for_ever: bool) {
        self.end_lines(machine.cycle());
        if is_for_ever {
            self.look_at_states(machine, u64::MAX);
        }
        for number in 0..self.states.len() {
            if self.states[number].standing == Standing::Open {
                self.end(number, machine.cycle(), Some(why));
            }
        }
    }

    fn words(&self, cycle: u64) -> String {
        in_words(cycle, self.clock_hz)
    }

    fn end_lines(&mut self, cycle: u64) {
        for (channel, bytes) in std::mem::take(&mut self.partial) {
            if !bytes.is_empty() {
                self.line(cycle, &channel, &bytes);
            }
        }
    }

    fn line(&mut self, cycle: u64, channel: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches('\r');
        self.event(cycle, &Event::Line { channel, text });
        if self.lines.len() < LINES_MAX {
            self.lines.push((cycle, channel.to_owned(), text.to_owned()));
        }
    }

    /// Lets an event meet those expectations that were open before it.
    fn event(&mut self, cycle: u64, event: &Event<'_>) {
        let open: Vec<Option<u64>> = self.states.iter().map(|state| state.base).collect();
        for (number, base) in open.into_iter().enumerate() {
            let (is_it, note) = meets(&self.test.expectations[number].what, event);
            if let Some(note) = note {
                self.states[number].seen.note(cycle, note);
            }
            if let (true, Some(base)) = (is_it, base) {
                self.happened(number, base, cycle);
            }
        }
    }

    /// What an expectation is about has happened.
    fn happened(&mut self, number: usize, base: u64, cycle: u64) {
        let expectation = &self.test.expectations[number];
        let (start, end) = expectation.window(base);
        if cycle < start {
            return;
        }
        match &self.states[number].standing {
            Standing::Open if cycle <= end && expectation.never => {
                let why = format!("it happened at {}", self.words(cycle));
                self.fail(number, why);
            }
            Standing::Open if cycle <= end => self.meet(number, cycle),
            Standing::Failed(why) if !self.states[number].is_settled && !expectation.never => {
                let late = self.words(cycle.saturating_sub(end));
                let why = format!("{why}; it came at {}, {late} too late", self.words(cycle));
                self.states[number].standing = Standing::Failed(why);
                self.states[number].is_settled = true;
            }
            _ => {}
        }
    }

    fn meet(&mut self, number: usize, cycle: u64) {
        self.states[number].standing = Standing::Met(cycle);
        self.states[number].is_settled = true;
        for (state, one) in self.states.iter_mut().zip(&self.test.expectations) {
            if one.base == Base::Expectation(number) {
                state.base = Some(cycle);
            }
        }
    }

    fn fail(&mut self, number: usize, why: String) {
        self.states[number].standing = Standing::Failed(why);
        let is_late = self.test.expectations[number].within.is_some()
            && !self.test.expectations[number].never
            && matches!(
                self.test.expectations[number].what,
                What::Line { .. } | What::Edge { .. } | What::Job { .. }
            );
        self.states[number].is_settled = !is_late;
        for follower in 0..self.states.len() {
            if self.test.expectations[follower].base == Base::Expectation(number)
                && self.states[follower].standing == Standing::Open
            {
                let line = self.test.expectations[number].line;
                self.fail(follower, format!("what it comes after, in line {line}, failed"));
                self.states[follower].is_settled = true;
            }
        }
    }

    /// The time of an expectation is over, or the run (`why`).
    fn end(&mut self, number: usize, cycle: u64, why: Option<&str>) {
        let expectation = &self.test.expectations[number];
        let Some(base) = self.states[number].base else {
            let after = expectation.after.clone().unwrap_or_default();
            let end = why.unwrap_or_default();
            return self.fail(number, format!("{after} didn't happen, and it comes after: {end}"));
        };
        if expectation.never {
            return self.meet(number, cycle);
        }
        let (_, end) = expectation.window(base);
        let when = match why {
            Some(why) if cycle < end || end == u64::MAX => format!(": {why}"),
            _ => String::new(),
        };
        if let What::Response { task, most } = &expectation.what {
            let (most, jobs) = (*most, self.states[number].jobs);
            let waits = self.waits_since(task).filter(|since| cycle.saturating_sub(*since) > most);
            return match (waits, jobs) {
                (Some(since), _) => {
                    let why = format!("a job that arrived at {} has not ended", self.words(since));
                    self.fail(number, format!("{why}{when}"));
                }
                (None, (0, _)) => self.fail(number, format!("no job ended{when}")),
                (None, _) => self.meet(number, cycle),
            };
        }
        let seen = self.seen(number, base);
        self.fail(number, format!("it didn't happen{when}; {seen}"));
    }

    /// When the oldest job of a task has arrived that is not over.
    fn waits_since(&mut self, task: &Task) -> Option<u64> {
        let watch = self.tasks.as_mut()?;
        let of_task = |who: &Who| match (&task.jobs, who) {
            (Jobs::Exception(wanted), Who::Exception(who)) => wanted == who,
            (Jobs::Unit(wanted), Who::Unit(who)) => wanted == who,
            _ => false,
        };
        let sources = watch.sources.iter().filter(|(who, _)| of_task(who));
        sources.filter_map(|(_, source)| source.unfinished()).min()
    }

    /// What was seen instead.
    fn seen(&self, number: usize, base: u64) -> String {
        let (start, _) = self.test.expectations[number].window(base);
        let state = &self.states[number];
        match &self.test.expectations[number].what {
            What::Line { text, channel, .. } => self.lines_seen(text, channel.as_deref(), start),
            What::Level { pin, .. } | What::Edge { pin, .. } => {
                let seen = state.seen.words(self.clock_hz);
                seen.map_or_else(
                    || format!("{} didn't change", pin.name),
                    |seen| format!("{} {seen}", pin.name),
                )
            }
            What::Value { name, .. } => {
                let seen = state.seen.words(self.clock_hz);
                seen.map_or_else(|| "it can't be read".into(), |seen| format!("{name} {seen}"))
            }
            What::Job { task, .. } => {
                let seen = state.seen.words(self.clock_hz);
                seen.map_or_else(
                    || format!("{} never ran", task.name),
                    |seen| format!("{} {seen}", task.name),
                )
            }
            What::Response { .. } => String::new(),
            What::Exit { .. } => state.seen.words(self.clock_hz).unwrap_or("it runs on".into()),
        }
    }

    /// The lines that come near, or the last ones.
    fn lines_seen(&self, text: &str, channel: Option<&str>, start: u64) -> String {
        let is_there = |on: &str| channel.is_none_or(|channel| channel == on);
        let on_channel: Vec<_> = self.lines.iter().filter(|(_, on, _)| is_there(on)).collect();
        let said = |(cycle, on, text): &(u64, String, String)| {
            let on = if channel.is_some() { String::new() } else { format!(" on {on}") };
            format!("\"{text}\"{on} at {}", self.words(*cycle))
        };
        let likeness = |line: &str| {
            if line.contains(text) { 1.0 } else { strsim::jaro_winkler(line, text) }
        };
        let near = on_channel.iter().map(|line| (likeness(&line.2), *line));
        let best = near.filter(|(likeness, _)| *likeness >= LIKENESS_MIN);
        let best = best.fold(None, |best: Option<(f64, _)>, one| match best {
            Some(best) if best.0 > one.0 => Some(best),
            _ => Some(one),
        });
        match (best, on_channel.last()) {
            (Some((_, line)), _) if line.0 < start => {
                format!("seen before its time: {}", said(line))
            }
            (Some((_, line)), _) => format!("the nearest line: {}", said(line)),
            (None, Some(last)) => {
                let count = on_channel.len();
                let lines = if count == 1 { "line was" } else { "lines were" };
                format!("{count} other {lines} printed, the last {}", said(last))
            }
            (None, None) => match (channel, self.channels().as_slice()) {
                (Some(channel), [_, ..]) => {
                    format!(
                        "nothing was printed on {channel}, but on {}",
                        self.channels().join(", ")
                    )
                }
                _ => "nothing was printed".to_owned(),
            },
        }
    }

    fn channels(&self) -> Vec<&str> {
        let mut all: Vec<&str> =
            self.lines.iter().map(|(_, channel, _)| channel.as_str()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Looks at levels and values after the step that ended in this cycle.
    fn look_at_states(&mut self, machine: &impl Simulated, cycle: u64) {
        for number in 0..self.states.len() {
            let now = match &self.test.expectations[number].what {
                What::Level { pin, .. } => {
                    Some(u64::from(machine.pin_level(pin.device, pin.number)))
                }
                What::Value { address, size, .. } => value(machine, *address, *size),
                _ => continue,
            };
            self.state_is(number, now, cycle);
        }
    }

    /// A level or a value is this one, from this cycle on.
    fn state_is(&mut self, number: usize, now: Option<u64>, cycle: u64) {
        let expectation = &self.test.expectations[number];
        let state = &mut self.states[number];
        let before = std::mem::replace(&mut state.last, now);
        if before != now {
            state.seen.note(cycle.min(self.cycle.max(1)), state_words(&expectation.what, now));
        }
        let (Some(base), Standing::Open) = (state.base, &state.standing) else { return };
        let is_met = |value: Option<u64>| match &expectation.what {
            What::Level { level, .. } => value == Some(u64::from(*level)),
            What::Value { test, .. } => value.is_some_and(|value| test.is_met(value)),
            _ => false,
        };
        let (start, end) = expectation.window(base);
        let Some(at) = expectation.at.map(|_| start) else {
            // The state before has lasted since the step before, perhaps for a long sleep.
            let since = self.cycle.max(start);
            if is_met(before) && since <= cycle.min(end) {
                self.happened(number, base, since);
            } else if is_met(now) && cycle >= start && cycle <= end {
                self.happened(number, base, cycle);
            }
            return;
        };
        // In a cycle within a step, the state is that before the step.
        let there = if cycle == at { now } else { before.or(now) };
        if cycle < at {
            return;
        }
        match is_met(there) != expectation.never {
            true => self.meet(number, at),
            false => {
                let was = state_words(&expectation.what, there);
                let seen = self.states[number].seen.words(self.clock_hz).unwrap_or_default();
                self.fail(number, format!("it {was} then; seen: {seen}"));
            }
        }
    }

    /// Decides those whose time is over.
    fn look_at_times(&mut self, machine: &impl Simulated, cycle: u64) {
        for number in 0..self.states.len() {
            if self.states[number].base.is_none()
                && let Base::Input(When::Place(place)) = self.test.expectations[number].base
            {
                self.states[number].base = machine.happened(place);
            }
            let Some(base) = self.states[number].base else { continue };
            let (start, end) = self.test.expectations[number].window(base);
            if cycle <= end {
                continue;
            }
            if self.states[number].standing == Standing::Open {
                self.end(number, cycle, None);
            } else if cycle - end > end.saturating_sub(start) {
                self.states[number].is_settled = true;
            }
        }
    }

    fn look_at_tasks(&mut self, machine: &mut impl Simulated, is_hit: bool) {
        let Some(mut watch) = self.tasks.take() else { return };
        watch.step(machine, is_hit);
        let begun = watch.begun.iter().map(|(who, cycle)| (*who, *cycle, None));
        let ended = watch
            .ended
            .iter()
            .map(|(who, job)| (*who, job.end, Some(job.end.saturating_sub(job.arrival))));
        let mut all: Vec<_> = begun.chain(ended).collect();
        all.sort_by_key(|(_, cycle, _)| *cycle);
        for (who, cycle, taken) in all {
            let thread = match who {
                Who::Thread(control) => watch.follower.kernel.thread(machine, control).name,
                _ => String::new(),
            };
            let (ends, time) = (taken.is_some(), taken.unwrap_or(0));
            self.event(cycle, &Event::Job { who, thread: &thread, ends, taken: time });
            if ends {
                self.note_response((who, &thread), cycle, time);
            }
        }
        self.tasks = Some(watch);
    }

    fn note_response(&mut self, (who, thread): (Who, &str), cycle: u64, taken: u64) {
        for number in 0..self.states.len() {
            let What::Response { task, most } = &self.test.expectations[number].what else {
                continue;
            };
            let Some(base) = self.states[number].base else { continue };
            let (start, end) = self.test.expectations[number].window(base);
            let counts = cycle.saturating_sub(taken) >= start && cycle <= end;
            if !is_of(task, who, thread) || !counts {
                continue;
            }
            let most = *most;
            let (jobs, longest) = self.states[number].jobs;
            self.states[number].jobs = (jobs + 1, longest.max(taken));
            if taken > most && self.states[number].standing == Standing::Open {
                let (took, then) = (self.words(taken), self.words(cycle));
                let late = self.words(taken - most);
                let why = format!("job {} took {took} until {then}, {late} too long", jobs + 1);
                self.fail(number, why);
            }
        }
    }

    fn is_done(&self) -> bool {
        let is_decided = |state: &State| state.standing != Standing::Open && state.is_settled;
        self.states.iter().all(is_decided)
    }
}

impl<M: Simulated> Follow<M> for Watcher<'_> {
    fn step(&mut self, machine: &mut M, is_hit: bool) -> bool {
        let cycle = machine.cycle();
        if machine.has_pin_changes() {
            for change in machine.take_pin_changes() {
                let (device, pin, level) = (change.device, change.pin, change.level);
                self.event(change.cycle, &Event::Pin { device, pin, level });
                for number in 0..self.states.len() {
                    if let What::Level { pin: wanted, .. } = &self.test.expectations[number].what
                        && (wanted.device, wanted.number) == (device, pin)
                    {
                        self.state_is(number, Some(u64::from(level)), change.cycle);
                    }
                }
            }
        }
        self.look_at_tasks(machine, is_hit);
        self.look_at_states(machine, cycle);
        self.look_at_times(machine, cycle);
        self.cycle = cycle;
        !self.is_done()
    }

    fn printed(&mut self, cycle: u64, channel: &str, bytes: &[u8]) {
        for byte in bytes {
            if *byte == b'\n' {
                let line = self.partial.remove(channel).unwrap_or_default();
                self.line(cycle, channel, &line);
            } else {
                self.partial.entry(channel.to_owned()).or_default().push(*byte);
            }
        }
    }
}
