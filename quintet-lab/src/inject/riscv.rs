//! Interrupts before every instruction of chosen code, on a RISC-V core.
//!
//! A machine goes along the undisturbed run. At each point a clone of it gets an interrupt, runs to
//! its end, and must end as the undisturbed run does. The interrupt is a pulse on one of the hart's
//! lines that is enabled in `mie` there: it stays until its handler is entered. Where `mstatus.MIE`
//! is clear it is held off, as any interrupt. `pairs` makes a second one behind each first.

mod pairs;

use std::collections::BTreeMap;

use anyhow::{bail, ensure};
use quintet_sim::cores::Core;
use quintet_sim::machine::{Stop, Until};
use quintet_sim::riscv::bus::line;
use quintet_sim::riscv::csr::number;
use quintet_sim::riscv::machine::Machine;
use serde::Serialize;

use super::sample::choose;
use super::windows::Windows;
use crate::ctrl_c;
use crate::debug::Place;
use crate::debug::backtrace::places;
use crate::firmware::Firmware;
use crate::progress::Progress;
use crate::report::table::{self, grouped, table};
use crate::simulated::Simulated;
use pairs::Firsts;
pub use pairs::Pairs;

/// The lines by their names on a command line.
const LINES: [(&str, u32); 3] =
    [("software", line::SOFTWARE), ("timer", line::TIMER), ("external", line::EXTERNAL)];

/// A run may take twice as long as the undisturbed one, and so many cycles more.
const LIMIT_MARGIN: u64 = 100_000;

/// The failures that the table shows; `--json` has all.
const FAILURES_SHOWN: usize = 20;

/// What to interrupt.
pub struct Question<'a> {
    /// The firmware.
    pub firmware: &'a Firmware,
    /// The code, and the marks of execution; everything if there are none.
    pub windows: Option<Windows>,
    /// The lines that are pulsed, as [`lines`] finds them.
    pub lines: u32,
    /// The cycles in which a run must end.
    pub limit: Option<u64>,
    /// The most injections, chosen by `seed`.
    pub sample: Option<u64>,
    /// The number that decides the choice.
    pub seed: u64,
    /// The channels whose output may differ.
    pub ignored: &'a [String],
    /// Texts: lines of output that contain one of them may differ.
    pub ignored_lines: &'a [String],
    /// Second injections, if any are asked for.
    pub pairs: Option<Pairs>,
    /// The limit of the undisturbed run, in cycles.
    pub cycles_max: Option<u64>,
}

/// What came of a campaign.
#[derive(Serialize)]
pub struct Report {
    file: String,
    board: String,
    /// The cycles and instructions of the undisturbed run.
    cycles: u64,
    instructions: u64,
    /// The points, and the injections that were possible there.
    points: u64,
    possible: u64,
    lines: Vec<Tally>,
    /// Second injections behind the first ones.
    pairs: Option<PairTally>,
    failures: Vec<Failure>,
    /// `false` after Ctrl-C.
    pub complete: bool,
}

/// The counts of a line's injections.
#[derive(Serialize, Default)]
struct Tally {
    line: &'static str,
    runs: u64,
    at_once: u64,
    failures: u64,
}

/// The counts of second injections.
#[derive(Serialize)]
struct PairTally {
    possible: u64,
    runs: u64,
    failures: u64,
}

/// An interrupt that came.
#[derive(Clone, Serialize)]
struct Struck {
    line: &'static str,
    cycle: u64,
    instructions: u64,
    address: u32,
    places: Vec<Place>,
}

/// A run that went wrong.
#[derive(Serialize)]
struct Failure {
    #[serde(flatten)]
    first: Struck,
    second: Option<Struck>,
    problems: Vec<String>,
}

impl Tally {
    fn note(&mut self, at_once: bool, failed: bool) {
        self.runs += 1;
        self.at_once += u64::from(at_once);
        self.failures += u64::from(failed);
    }
}

impl Struck {
    /// Before the instruction where a machine stands.
    fn at(machine: &Machine, line: usize, firmware: &Firmware) -> Self {
        let address = machine.pc();
        Self {
            line: LINES.get(line).map_or("", |(name, _)| name),
            cycle: machine.cycle(),
            instructions: machine.instructions(),
            address,
            places: places(firmware, address),
        }
    }

    fn failure(self, second: Option<Self>, problems: Vec<String>) -> Failure {
        Failure { first: self, second, problems }
    }

    fn text(&self) -> String {
        let (cycle, place) = (grouped(self.cycle), Place::at(self.address, &self.places));
        format!("{} in cycle {cycle}, before {place}", self.line)
    }
}

/// Returns the bits of lines by their names; `all` are all of them.
pub fn lines(names: &[String]) -> anyhow::Result<u32> {
    let mut bits = 0;
    for name in names {
        let found = LINES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        bits |= match found {
            Some((_, bit)) => *bit,
            None if name == "all" => line::ALL,
            None => bail!(
                "--exception {name}: a RISC-V core has the interrupts software, timer and external"
            ),
        };
    }
    Ok(if bits == 0 { line::ALL } else { bits })
}

/// How a run ends.
#[derive(PartialEq, Eq)]
struct End {
    stop: Stop,
    output: BTreeMap<String, Vec<u8>>,
    /// MIE, the stack pointer, the handlers that have not returned.
    core: (bool, u32, usize),
}

/// An injection: the number of instructions before it, and the line.
type Task = (u64, usize);

impl Question<'_> {
    /// Makes the campaign. `machine` has been reset and has not run.
    pub fn answer(&self, machine: &Machine) -> anyhow::Result<Report> {
        let (undisturbed, tasks, points) = self.walk(machine.clone())?;
        let (cycles, instructions) = (undisturbed.1.cycle(), undisturbed.1.instructions());
        let expected = undisturbed.0;
        let limit = self.limit.unwrap_or(2 * cycles + LIMIT_MARGIN);
        ensure!(
            limit >= cycles,
            "the limit of {limit} cycles is too short: undisturbed it takes {}",
            grouped(cycles)
        );
        let possible = tasks.len() as u64;
        let tasks = match self.sample {
            Some(sample) => choose(tasks, sample, self.seed),
            None => tasks,
        };
        let mut report = Report {
            file: self.firmware.path.display().to_string(),
            board: machine.board().name.clone(),
            cycles,
            instructions,
            points,
            possible,
            lines: LINES.map(|(line, _)| Tally { line, ..Tally::default() }).into(),
            pairs: None,
            failures: Vec::new(),
            complete: true,
        };
        let mut progress = Progress::new("injections", "runs", Some(tasks.len() as u64));
        let mut walker = machine.clone();
        let mut firsts = Firsts::new();
        for (done, &(before, line)) in (0..).zip(&tasks) {
            if ctrl_c::is_pressed() {
                report.complete = false;
                break;
            }
            go_to(&mut walker, before);
            self.strike(&walker, line, &expected, limit, &mut report);
            if let (Some(pairs), Some((_, bit))) = (&self.pairs, LINES.get(line)) {
                let mut struck = walker.clone();
                struck.pulse(*bit);
                self.count_seconds(&mut firsts, (before, line), struck, pairs, limit);
            }
            progress.at(done);
        }
        progress.finish();
        if let Some(pairs) = &self.pairs {
            let mut tally = Tally::default();
            let of = (&firsts, pairs);
            let failures = self.strike_seconds(of, machine, (&expected, limit), &mut tally);
            report.failures.extend(failures);
            let Tally { runs, failures, .. } = tally;
            report.pairs = Some(PairTally { possible: firsts.possible(), runs, failures });
            report.complete &= !ctrl_c::is_pressed();
        }
        report.lines.retain(|tally| tally.runs > 0);
        Ok(report)
    }

    /// Returns the lines that can be pulsed before the next instruction; none if it is not in the
    /// windows. `open` remembers the windows that are between their marks.
    fn lines_at(&self, machine: &mut Machine, windows: Option<&Windows>, open: &mut u64) -> u32 {
        let pc = machine.pc();
        let is_inside = windows.is_none_or(|windows| windows.visit(pc, open) != 0);
        let enabled = machine.hart.peek_csr(number::MIE).unwrap_or(0) & self.lines;
        let is_point = is_inside && enabled != 0 && machine.hart.is_instruction_next();
        if is_point { enabled } else { 0 }
    }

    /// The undisturbed run: its end, the injections along it, and the number of points.
    fn walk(&self, mut machine: Machine) -> anyhow::Result<((End, Machine), Vec<Task>, u64)> {
        let mut tasks = Vec::new();
        let (mut points, mut open) = (0, 0);
        let limit = self.cycles_max.unwrap_or(u64::MAX);
        let stop = loop {
            let pc = machine.pc();
            let enabled = self.lines_at(&mut machine, self.windows.as_ref(), &mut open);
            if enabled != 0 {
                points += 1;
                let before = machine.instructions();
                let lines = LINES.iter().enumerate().filter(|(_, (_, bit))| enabled & bit != 0);
                tasks.extend(lines.map(|(line, _)| (before, line)));
            }
            if machine.cycle() >= limit || ctrl_c::is_pressed() {
                break Stop::CycleLimit;
            }
            if let Some(stop) = machine.step_within(limit) {
                break stop;
            }
            // Nothing would ever end this.
            if machine.pc() == pc && machine.dead_loop(true).is_some() {
                break Stop::Lockup;
            }
        };
        ensure!(
            stop == (Stop::Exit { code: 0 }),
            "undisturbed, the firmware must end with exit code 0 by semihosting, and it did not: \
             {stop:?}, {}",
            machine.whereabouts()
        );
        ensure!(
            !tasks.is_empty(),
            "there is nothing to interrupt: no instruction of that code runs while one of the \
             interrupts is enabled in mie"
        );
        Ok(((self.end(&mut machine, stop), machine), tasks, points))
    }

    fn end(&self, machine: &mut Machine, stop: Stop) -> End {
        let mut output = BTreeMap::<String, Vec<u8>>::new();
        for piece in machine.take_output() {
            if !self.ignored.contains(&piece.channel) {
                output.entry(piece.channel).or_default().extend(piece.bytes);
            }
        }
        for bytes in output.values_mut().filter(|_| !self.ignored_lines.is_empty()) {
            let text = String::from_utf8_lossy(bytes);
            let is_kept = |line: &&str| !self.ignored_lines.iter().any(|one| line.contains(one));
            *bytes = text.split_inclusive('\n').filter(is_kept).collect::<String>().into_bytes();
        }
        let open = machine.hart.open_traps().len();
        End { stop, output, core: (machine.is_masked(), machine.stack_pointer(), open) }
    }

    /// One injection where the walker stands.
    fn strike(
        &self,
        walker: &Machine,
        index: usize,
        expected: &End,
        limit: u64,
        report: &mut Report,
    ) {
        let (at_once, problems) = self.run_struck(walker, index, expected, limit);
        let failed = !problems.is_empty();
        if let Some(tally) = report.lines.get_mut(index) {
            tally.note(at_once, failed);
        }
        if failed {
            let struck = Struck::at(walker, index, self.firmware);
            report.failures.push(struck.failure(None, problems));
        }
    }

    /// Runs a copy of a machine with a line pulsed. Returns whether the interrupt was taken at
    /// once, and what went wrong.
    fn run_struck(
        &self,
        walker: &Machine,
        index: usize,
        expected: &End,
        limit: u64,
    ) -> (bool, Vec<String>) {
        let mut machine = walker.clone();
        machine.pulse(LINES.get(index).map_or(0, |(_, bit)| *bit));
        let at_once = !machine.hart.is_instruction_next() && !machine.hart.is_asleep();
        let stop = machine.run_until(&Until { max_cycles: Some(limit), ..Until::default() });
        let end = self.end(&mut machine, stop);
        (at_once, end.problems(expected, limit))
    }
}

/// Lets a machine execute so many instructions since power-on.
fn go_to(walker: &mut Machine, instructions: u64) {
    if walker.instructions() < instructions {
        let max_instructions = Some(instructions);
        walker.run_until(&Until { max_instructions, ..Until::default() });
    }
}

impl End {
    /// What is not as it must be.
    fn problems(&self, expected: &Self, limit: u64) -> Vec<String> {
        let mut problems = Vec::new();
        if self.stop != expected.stop {
            problems.push(match self.stop {
                Stop::CycleLimit => format!("it did not end in {} cycles", grouped(limit)),
                Stop::Exit { code } => format!("it ended with exit code {code}"),
                Stop::Asleep => "it sleeps for ever: a wake-up was lost".to_owned(),
                other => format!("it ended otherwise: {other:?}"),
            });
            // What else differs follows from that.
            return problems;
        }
        let channels = self.output.keys().chain(expected.output.keys());
        let differs =
            channels.into_iter().find(|one| self.output.get(*one) != expected.output.get(*one));
        problems.extend(differs.map(|channel| format!("the output on {channel} differs")));
        let (masked, stack, open) = self.core;
        if masked != expected.core.0 {
            problems.push("mstatus.MIE differs at the end".to_owned());
        }
        if stack != expected.core.1 {
            problems.push(format!("the stack pointer is {stack:#010x} at the end"));
        }
        if open != expected.core.2 {
            problems.push(format!("{open} handlers have not returned at the end"));
        }
        problems
    }
}

impl Report {
    /// Returns `true` if no run went wrong.
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty()
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "Undisturbed: {} cycles, {} instructions on {}. {} points, {} injections possible.\n\n",
            grouped(self.cycles),
            grouped(self.instructions),
            self.board,
            grouped(self.points),
            grouped(self.possible)
        );
        let mut rows = table(&["interrupt", ">runs", ">taken at once", ">wrong"]);
        for Tally { line, runs, at_once, failures } in &self.lines {
            rows.add_row([
                (*line).to_owned(),
                grouped(*runs),
                grouped(*at_once),
                grouped(*failures),
            ]);
        }
        text.push_str(&table::text(&rows));
        if let Some(PairTally { possible, runs, failures }) = &self.pairs {
            text.push_str(&format!(
                "\nOf {} pairs, {} were made, and {} went wrong.\n",
                grouped(*possible),
                grouped(*runs),
                grouped(*failures)
            ));
        }
        for failure in self.failures.iter().take(FAILURES_SHOWN) {
            let second = failure.second.as_ref();
            let second = second.map(|struck| format!("; then {}", struck.text()));
            let second = second.unwrap_or_default();
            text.push_str(&format!("\n{}{second}:\n", failure.first.text()));
            failure.problems.iter().for_each(|problem| text.push_str(&format!("  {problem}\n")));
        }
        let more = self.failures.len().saturating_sub(FAILURES_SHOWN);
        if more > 0 {
            text.push_str(&format!("\nand {more} more (all with --json)\n"));
        }
        text.push_str(match (self.is_clean(), self.complete) {
            (true, true) => "\nClean\n",
            (true, false) => "\nInterrupted\n",
            (false, _) => "\nFAILED\n",
        });
        text
    }
}
