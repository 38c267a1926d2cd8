//! The results of a campaign, for people and as JSON.

use super::campaign::{Failure, Outcome};
use super::check::Problem;
use super::exceptions::Source;
use super::moment::{Struck, label};
use super::undisturbed::Undisturbed;
use crate::debug::Place;
use crate::firmware::Firmware;
use crate::report::table::{self, grouped, table};
use serde::Serialize;
use std::collections::HashMap;

/// The most kinds of failures that the text shows. JSON has every failure.
const SHOWN_MAX: usize = 12;

/// Return addresses from here on are EXC_RETURN values.
const EXC_RETURN_FIRST: u32 = 0xffff_ff80;

/// A campaign and its result.
#[derive(Serialize)]
pub struct Report {
    file: String,
    board: String,
    windows: Vec<String>,
    undisturbed: UndisturbedReport,
    exceptions: Vec<Source>,
    singles: Part,
    pairs: Option<Part>,
    /// `true` if all chosen runs were made; Ctrl-C ends a campaign early.
    complete: bool,
    jobs: usize,
    seconds: f64,
    failures: Vec<FailureReport>,
}

#[derive(Serialize)]
struct UndisturbedReport {
    cycles: u64,
    instructions: u64,
    /// Before so many executed instructions, or while asleep, exceptions were pended.
    points: usize,
}

/// Single injections, or pairs.
#[derive(Serialize)]
struct Part {
    possible: u64,
    chosen: u64,
    runs: u64,
    failures: u64,
    by_exception: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    name: String,
    runs: u64,
    at_once: u64,
    failures: u64,
}

/// A failure with everything that you need to repeat it.
#[derive(Serialize)]
pub struct FailureReport {
    injections: Vec<InjectionReport>,
    problems: Vec<ProblemReport>,
    /// Where the last exception was taken, if it was held off at first.
    taken_at: Option<TakenReport>,
    /// Of a pair: the second injection fails alone, and is shown alone.
    shrunk: bool,
    reproduce: String,
}

#[derive(Serialize)]
struct InjectionReport {
    at: String,
    cycle: u64,
    exception: String,
    pc: u32,
    function: String,
    place: Option<Place>,
    asleep: bool,
    at_once: bool,
}

#[derive(Serialize)]
struct TakenReport {
    pc: u32,
    /// `None` if it was taken from the return of another exception.
    function: Option<String>,
    place: Option<Place>,
}

#[derive(Serialize)]
struct ProblemReport {
    kind: &'static str,
    text: String,
}

/// The parts of a report.
pub struct Parts<'a> {
    /// The firmware.
    pub firmware: &'a Firmware,
    /// The board's name.
    pub board: &'a str,
    /// The windows in words.
    pub windows: Vec<String>,
    /// The run without injections.
    pub undisturbed: &'a Undisturbed,
    /// The command, without the injections, that repeats a run.
    pub command: &'a str,
    /// The duration in seconds.
    pub seconds: f64,
    /// With how many threads.
    pub jobs: usize,
}

impl Parts<'_> {
    /// The report of a campaign.
    pub fn report(&self, singles: &Outcome, pairs: Option<&Outcome>, complete: bool) -> Report {
        let failures = singles.failures.iter().chain(pairs.iter().flat_map(|p| &p.failures));
        Report {
            file: self.firmware.path.display().to_string(),
            board: self.board.into(),
            windows: self.windows.clone(),
            undisturbed: UndisturbedReport {
                cycles: self.undisturbed.end.cycle(),
                instructions: self.undisturbed.instructions,
                points: self.undisturbed.points.len(),
            },
            exceptions: self.undisturbed.sources.clone(),
            singles: Part::of(singles),
            pairs: pairs.map(Part::of),
            complete,
            jobs: self.jobs,
            seconds: self.seconds,
            failures: failures.map(|failure| self.failure(failure)).collect(),
        }
    }

    /// The report of a failure.
    pub fn failure(&self, failure: &Failure) -> FailureReport {
        let only: Vec<String> =
            failure.struck.iter().map(|struck| struck.injection.to_string()).collect();
        let problem = |problem: &Problem| ProblemReport {
            kind: problem.kind(),
            text: problem.describe(self.firmware),
        };
        FailureReport {
            injections: failure.struck.iter().map(|struck| self.injection(struck)).collect(),
            problems: failure.problems.iter().map(problem).collect(),
            taken_at: failure.taken_at.map(|pc| self.taken(pc)),
            shrunk: failure.shrunk,
            reproduce: format!("{} --only {}", self.command, only.join(",")),
        }
    }

    fn taken(&self, pc: u32) -> TakenReport {
        let is_code = pc < EXC_RETURN_FIRST;
        let function = is_code.then(|| self.firmware.describe(pc));
        TakenReport { pc, function, place: if is_code { self.place(pc) } else { None } }
    }

    /// The source of an instruction, of the firmware itself where possible.
    fn place(&self, pc: u32) -> Option<Place> {
        Place::own_of(&self.firmware.locate(pc)).cloned()
    }

    fn injection(&self, struck: &Struck) -> InjectionReport {
        InjectionReport {
            at: struck.injection.moment.to_string(),
            cycle: struck.injection.moment.cycle,
            exception: label(struck.injection.exception),
            pc: struck.pc,
            function: self.firmware.describe(struck.pc),
            place: self.place(struck.pc),
            asleep: struck.asleep,
            at_once: struck.at_once,
        }
    }
}

impl Part {
    fn of(outcome: &Outcome) -> Self {
        let line = |(&exception, tally): (&u16, &super::campaign::Tally)| Line {
            name: label(exception),
            runs: tally.runs,
            at_once: tally.at_once,
            failures: tally.failures,
        };
        Self {
            possible: outcome.possible,
            chosen: outcome.chosen,
            runs: outcome.runs(),
            failures: outcome.tallies.values().map(|tally| tally.failures).sum(),
            by_exception: outcome.tallies.iter().map(line).collect(),
        }
    }

    /// The part's size and result in one line.
    fn summary(&self, what: &str) -> String {
        let of = if self.chosen == self.possible {
            format!("all {}", grouped(self.possible))
        } else {
            format!("{} of {}", grouped(self.chosen), grouped(self.possible))
        };
        let made = match self.runs == self.chosen {
            true => String::new(),
            false => format!(", {} made", grouped(self.runs)),
        };
        format!("{what}: {of}{made}; {}\n", failures(self.failures))
    }
}

fn failures(count: u64) -> String {
    match count {
        0 => "none failed".into(),
        count => format!("{} FAILED", grouped(count)),
    }
}

impl Report {
    /// Returns `true` if every run ended as it must.
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty()
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let mut text = format!("{} on {}\n", self.file, self.board);
        for window in &self.windows {
            text.push_str(&format!("Window: {window}\n"));
        }
        text.push_str(&format!(
            "Undisturbed: {} instructions, {} cycles; {} points to interrupt\n\n{}\n",
            grouped(self.undisturbed.instructions),
            grouped(self.undisturbed.cycles),
            grouped(self.undisturbed.points as u64),
            self.table()
        ));
        text.push_str(&self.singles.summary("Single injections"));
        if let Some(pairs) = &self.pairs {
            text.push_str(&pairs.summary("Nested pairs"));
        }
        text.push_str(&self.failure_texts());
        let runs = self.singles.runs + self.pairs.as_ref().map_or(0, |pairs| pairs.runs);
        let verdict = match (self.is_clean(), self.complete) {
            (true, true) => "Clean",
            (true, false) => "Interrupted; clean so far",
            (false, _) => "FAILED",
        };
        text.push_str(&format!(
            "{verdict}: {} runs in {:.1} s on {} threads\n",
            grouped(runs),
            self.seconds,
            self.jobs
        ));
        text
    }

    fn table(&self) -> String {
        let mut rows = table(&[
            "exception",
            "handler",
            ">priority",
            ">single runs",
            ">taken at once",
            ">pairs as second",
        ]);
        for source in &self.exceptions {
            let line = |part: &Part| {
                let found = part.by_exception.iter().find(|line| line.name == source.name);
                found.map_or((0, 0), |line| (line.runs, line.at_once))
            };
            let (runs, at_once) = line(&self.singles);
            let seconds = self.pairs.as_ref().map_or(0, |pairs| line(pairs).0);
            rows.add_row([
                source.name.clone(),
                source.handler.clone(),
                format!("{:#04x}", source.priority),
                grouped(runs),
                grouped(at_once),
                grouped(seconds),
            ]);
        }
        table::text(&rows)
    }

    /// Returns the texts of failures. Failures of one kind at one place are one text.
    fn failure_texts(&self) -> String {
        let mut groups: Vec<(&FailureReport, u64)> = Vec::new();
        let mut known: HashMap<_, usize> = HashMap::new();
        for failure in &self.failures {
            let group = *known.entry(failure.kind()).or_insert_with(|| {
                groups.push((failure, 0));
                groups.len() - 1
            });
            let (shown, count) = &mut groups[group];
            *count += 1;
            // A failure whose exception was taken at once is the clearer example.
            if shown.taken_at.is_some() && failure.taken_at.is_none() {
                *shown = failure;
            }
        }
        let mut text = String::new();
        for (failure, count) in groups.iter().take(SHOWN_MAX) {
            text.push_str(&format!("\n{}", failure.text()));
            if *count > 1 {
                text.push_str(&format!("  (and {} more at the same place)\n", count - 1));
            }
        }
        if groups.len() > SHOWN_MAX {
            let more = groups.len() - SHOWN_MAX;
            text.push_str(&format!("\n.. and {more} more places; --json has all\n"));
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }
}

impl FailureReport {
    /// Returns the common facts of failures with the same cause: the exceptions, the place where
    /// the last was taken, and the errors.
    fn kind(&self) -> (Vec<&str>, Option<(u32, bool)>, Vec<&str>) {
        let exceptions = self.injections.iter().map(|one| one.exception.as_str()).collect();
        let taken = self.taken_at.as_ref().map(|taken| taken.pc);
        let place = self.injections.last().map(|last| (taken.unwrap_or(last.pc), last.asleep));
        (exceptions, place, self.problems.iter().map(|problem| problem.kind).collect())
    }

    /// The failure for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, injection) in self.injections.iter().enumerate() {
            let then = if index == 0 { "" } else { "then " };
            text.push_str(&format!("{then}{}\n", injection.text()));
        }
        if let Some(taken) = &self.taken_at {
            text.push_str(&format!("  held off until {}\n", taken.text()));
        }
        for problem in &self.problems {
            text.push_str(&format!("  {}\n", problem.text));
        }
        if self.shrunk {
            text.push_str("  (found as the second of a pair, but it fails alone)\n");
        }
        text.push_str(&format!("  {}\n", self.reproduce));
        text
    }
}

impl InjectionReport {
    fn text(&self) -> String {
        let state = if self.asleep { "asleep before" } else { "before" };
        let place = place_text(self.pc, &self.function, self.place.as_ref());
        format!("{} in cycle {}, {state} {place}", self.exception, self.at)
    }
}

impl TakenReport {
    fn text(&self) -> String {
        match &self.function {
            Some(function) => place_text(self.pc, function, self.place.as_ref()),
            None => "another handler returned".into(),
        }
    }
}

fn place_text(pc: u32, function: &str, place: Option<&Place>) -> String {
    let line = place.and_then(|place| {
        // Line 0 is the compiler's own work.
        let line = place.line.filter(|line| *line > 0);
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        Some(format!(" ({}{line})", place.file.as_ref()?))
    });
    format!("{pc:#010x} {function}{}", line.unwrap_or_default())
}
