//! Bounds in words: a row for each function, what is open, and what to write to close it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::annotations::{Annotations, CallTargets, Depth, LoopCount};
use super::bound::{Bound, Cause, Open};
use super::graph::Obstacle;
use super::observe::Observed;
use super::verdict::Analysis;
use crate::debug::Place;
use crate::firmware::Firmware;
use crate::report::fault::exception_name;
use crate::report::table::{self, grouped, table};

/// What is said of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub function: String,
    /// Its first instruction.
    pub entry: u32,
    /// The exceptions whose handler it is.
    pub exceptions: Vec<String>,
    /// In a word.
    pub verdict: Verdict,
    /// The most cycles from its first instruction to the one behind its call.
    pub cycles: Option<u64>,
    /// The most bytes of stack below where it begins.
    pub stack: Option<u32>,
    /// What has no bound.
    pub open: Vec<OpenRow>,
    /// What only a run has told.
    pub observed: Vec<OpenRow>,
    /// Where it sleeps.
    pub waits: Vec<OpenRow>,
}

/// Whether all is bounded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// Every bound is closed.
    Bounded,
    /// Its cycles are those in which it is awake: it waits for interrupts or events.
    Waits,
    /// It never returns: only its stack has a bound.
    Endless,
    /// Closed by what one run has shown.
    Observed,
    /// Something has no bound.
    Open,
}

/// What has no bound.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct OpenRow {
    /// Why, and where, in words.
    pub what: String,
    /// The instruction.
    pub address: u32,
    /// `true` if the bound of cycles is missing for it.
    pub cycles: bool,
    /// `true` if the bound of the stack is missing for it.
    pub stack: bool,
}

impl Verdict {
    /// The verdict on a function.
    pub fn of(bound: &Bound) -> Self {
        let is_open = bound.stack.is_none() || bound.returns && bound.cycles.is_none();
        match (is_open, bound.observed.is_empty(), bound.returns) {
            (true, ..) => Self::Open,
            (_, false, _) => Self::Observed,
            (_, _, false) => Self::Endless,
            _ if !bound.waits.is_empty() => Self::Waits,
            _ => Self::Bounded,
        }
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bounded => "BOUNDED",
            Self::Waits => "WAITS",
            Self::Endless => "ENDLESS",
            Self::Observed => "OBSERVED",
            Self::Open => "OPEN",
        }
    }
}

/// The rows of functions, by their first instructions.
pub fn rows(firmware: &Firmware, analysis: &Analysis<'_>, entries: &BTreeSet<u32>) -> Vec<Row> {
    let mut exceptions: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for handler in analysis.handlers() {
        exceptions.entry(handler.entry).or_default().push(exception_name(handler.exception));
    }
    let bounds = entries.iter().filter_map(|entry| analysis.bounds().get(entry));
    let row = |bound: &Bound| Row {
        function: firmware.describe(bound.entry),
        entry: bound.entry,
        exceptions: exceptions.get(&bound.entry).cloned().unwrap_or_default(),
        verdict: Verdict::of(bound),
        cycles: bound.cycles,
        stack: bound.stack,
        open: open_rows(firmware, analysis, bound),
        observed: bound
            .observed
            .iter()
            .map(|one| open_row(firmware, analysis, bound, one))
            .collect(),
        waits: bound.waits.iter().map(|one| open_row(firmware, analysis, bound, one)).collect(),
    };
    bounds.map(row).collect()
}

fn open_rows(firmware: &Firmware, analysis: &Analysis<'_>, bound: &Bound) -> Vec<OpenRow> {
    let cycles = bound.open_cycles.iter().filter(|_| bound.returns);
    let all: BTreeSet<&Open> = cycles.chain(&bound.open_stack).collect();
    all.into_iter().map(|open| open_row(firmware, analysis, bound, open)).collect()
}

fn open_row(firmware: &Firmware, analysis: &Analysis<'_>, bound: &Bound, open: &Open) -> OpenRow {
    OpenRow {
        what: what_of(firmware, analysis, open),
        address: open.address,
        cycles: bound.returns && bound.open_cycles.contains(open),
        stack: bound.open_stack.contains(open),
    }
}

/// What is open, and where, in words.
pub fn what_of(firmware: &Firmware, analysis: &Analysis<'_>, open: &Open) -> String {
    format!("{} {}", cause(firmware, analysis, open), place(firmware, open.address))
}

/// Why handlers may be others than those that are known, in words.
pub fn vectors(firmware: &Firmware, analysis: &Analysis<'_>) -> Vec<String> {
    let open = analysis.open_vectors().iter();
    open.map(|one| what_of(firmware, analysis, one)).collect()
}

/// How what is open gets a bound.
pub fn closing_of(cause: Cause) -> &'static str {
    match cause {
        Cause::Loop | Cause::Irreducible => {
            "give its `iterations` in a [[loop]] of --annotations, or let the code say a constant"
        }
        Cause::Obstacle(Obstacle::IndirectCall | Obstacle::IndirectBranch) => {
            "name its `targets` in a [[call]] of --annotations"
        }
        Cause::Unclear => {
            "set the mask by a constant, or by what was read from it before it was raised"
        }
        Cause::NoVectors => "pass an image with the vector table from which the processor starts",
        Cause::VectorsMove => {
            "keep the vector table in flash, and write VTOR with its address as a constant"
        }
        Cause::Obstacle(Obstacle::Waits) => "let the job end where it waits",
        Cause::Obstacle(Obstacle::Breakpoint | Obstacle::Semihosting) => {
            "leave it out of the job: print in `idle`, or by RTT"
        }
        _ => "give the `cycles` and `stack` of its function in a [[bound]] of --annotations",
    }
}

fn place(firmware: &Firmware, address: u32) -> String {
    let places = firmware.locate(address);
    let place = Place::own_of(&places).map(Place::function_and_line).unwrap_or_default();
    if place.is_empty() { format!("at {address:#x}") } else { format!("{place}, at {address:#x}") }
}

fn cause(firmware: &Firmware, analysis: &Analysis<'_>, open: &Open) -> String {
    match open.cause {
        Cause::Loop => "a loop whose rounds are not known".into(),
        Cause::Irreducible => {
            "a loop with several entries, of which this one is executed an unknown number of times,"
                .into()
        }
        Cause::Unclear => "a mask that is set to a computed value".into(),
        Cause::NoVectors => "a vector, or the vector table, that is not in the image,".into(),
        Cause::VectorsMove => "a vector table that code moves or may change,".into(),
        Cause::Masked => {
            "a mask that holds interrupts off, and is not lowered in its function,".into()
        }
        Cause::Tangled => "a loop within one with several entries, not through these,".into(),
        Cause::States => "more states of the pipeline than are followed".into(),
        Cause::Recursion => {
            let mut names: Vec<String> = analysis
                .recursion(open.function)
                .iter()
                .map(|entry| firmware.describe(*entry))
                .collect();
            names.sort();
            names.extend(names.first().cloned());
            format!("a recursion ({})", names.join(" -> "))
        }
        Cause::Obstacle(obstacle) => match obstacle {
            Obstacle::IndirectCall => "a call through a register",
            Obstacle::IndirectBranch => "a branch through a register or a table",
            Obstacle::Waits => "a wait for an interrupt or event",
            Obstacle::SupervisorCall => "a supervisor call, for which the image has no handler,",
            Obstacle::Breakpoint => "a breakpoint",
            Obstacle::Semihosting => "semihosting, which takes another computer's time,",
            Obstacle::Float => "an instruction of a floating-point unit, which the board lacks,",
            Obstacle::NoInstruction => "data where an instruction should be",
            Obstacle::NoCode => "no code in the image",
            Obstacle::StackPointer => "the stack pointer set to what is not known",
        }
        .into(),
    }
}

/// The annotations that would close what is open, as TOML, with the counts and the targets that a
/// run has shown, or with a 0 or a `?` to be replaced, which are refused.
pub fn suggested(
    firmware: &Firmware,
    analysis: &Analysis<'_>,
    entries: &BTreeSet<u32>,
    observed: Option<&Observed>,
) -> Annotations {
    let bounds = entries.iter().filter_map(|entry| analysis.bounds().get(entry));
    let open: BTreeSet<Open> = bounds
        .flat_map(|bound| bound.open_cycles.iter().chain(&bound.open_stack).chain(&bound.observed))
        .copied()
        .collect();
    let mut annotations = Annotations::default();
    for one in open {
        let function = function_name(firmware, one.function);
        let at = Some(line(firmware, one.address));
        match one.cause {
            Cause::Loop | Cause::Irreducible => {
                let seen = observed.and_then(|seen| seen.rounds.get(&one.address));
                let iterations = seen.copied().unwrap_or(0);
                annotations.loops.push(LoopCount { function, at, iterations });
            }
            Cause::Recursion => {
                let known = annotations.recursions.iter().any(|known| known.function == function);
                if !known {
                    annotations.recursions.push(Depth { function, depth: 0 });
                }
            }
            Cause::Obstacle(Obstacle::IndirectCall | Obstacle::IndirectBranch) => {
                let seen = observed.and_then(|seen| seen.targets.get(&one.address));
                let targets =
                    seen.into_iter().flatten().map(|target| function_name(firmware, *target));
                let mut targets: Vec<String> = targets.collect();
                if targets.is_empty() {
                    targets.push("?".into());
                }
                annotations.calls.push(CallTargets { function, at, targets });
            }
            _ => {}
        }
    }
    annotations
}

/// A name that finds the function again: the mangled one's path, or its address.
fn function_name(firmware: &Firmware, entry: u32) -> String {
    let Some(name) = firmware.function(entry) else { return format!("{entry:#x}") };
    match crate::firmware::symbols::resolve(&firmware.image, &name) {
        Ok(address) if address == entry => name,
        _ => format!("{entry:#x}"),
    }
}

/// The innermost line at an address, or the address.
fn line(firmware: &Firmware, address: u32) -> String {
    let places = firmware.locate(address);
    let place = places.first().and_then(|place| Some((place.file.clone()?, place.line?)));
    place.map_or_else(|| format!("{address:#x}"), |(file, line)| format!("{file}:{line}"))
}

/// The rows as a table, and what is open below it.
pub fn text(rows: &[Row]) -> String {
    let mut shown = table(&["function", "verdict", ">cycles", ">stack", ">open"]);
    for row in rows {
        let cycles = match (row.cycles, row.verdict) {
            (Some(cycles), _) => grouped(cycles),
            (None, Verdict::Endless) => "-".into(),
            (None, _) => "?".into(),
        };
        let stack = row.stack.map_or("?".into(), |stack| grouped(stack.into()));
        let open = if row.open.is_empty() { String::new() } else { row.open.len().to_string() };
        shown.add_row([row.name(), row.verdict.word().into(), cycles, stack, open]);
    }
    let mut text = table::text(&shown);
    for row in rows.iter().filter(|row| !row.open.is_empty()) {
        text.push_str(&format!("\n{} is open:\n", row.function));
        for open in &row.open {
            let hidden = match (open.cycles, open.stack) {
                (true, true) => "cycles, stack",
                (false, true) => "stack",
                _ => "cycles",
            };
            text.push_str(&format!("  {} ({hidden})\n", open.what));
        }
    }
    for row in rows.iter().filter(|row| !row.observed.is_empty()) {
        text.push_str(&format!("\n{} rests on what one run has shown:\n", row.function));
        row.observed.iter().for_each(|one| text.push_str(&format!("  {}\n", one.what)));
    }
    for row in rows.iter().filter(|row| !row.waits.is_empty()) {
        let how = match row.verdict {
            Verdict::Endless => "sleeps in its endless loop, which has no bound of cycles",
            _ => "sleeps, and its bound is of the time awake",
        };
        text.push_str(&format!("\n{} {how}:\n", row.function));
        row.waits.iter().for_each(|one| text.push_str(&format!("  {}\n", one.what)));
    }
    text
}

impl Row {
    fn name(&self) -> String {
        match self.exceptions.as_slice() {
            [] => self.function.clone(),
            [one] => format!("{} ({one})", self.function),
            [one, .., last] => format!("{} ({one} to {last})", self.function),
        }
    }
}
