//! Runs firmware once and takes the figures of the rows.
//!
//! There are two ways, over the same marks. *Undisturbed*: the firmware runs, and the tool notes
//! every arrival at a mark; this is the cost of the code. *Halting*: a debugger halts the processor
//! at each mark and reads CYCCNT, which stands still meanwhile. Figures on a board are taken so,
//! and the pipeline starts empty behind every mark.
//!
//! A mark is a symbol. If the compiler has made several copies of the code around a mark, the other
//! symbols are named `MARK.0` and so on, and are the same mark.
//!
//! An occurrence of a pair is an arrival at its first mark and the next arrival at its second. If a
//! pair occurs more than once, the longest occurrence counts, or the one that the row asks for.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use quintet_sim::cores::Family;
use quintet_sim::image::{Image, Symbol};
use quintet_sim::machine::{Machine, Stop};

use super::bytes;
use super::figures::Figure;
use super::row::{Occurrence, RowScenario, What};
use crate::debugger::{Debugger, Halted};
use crate::firmware::{Firmware, symbols};
use crate::masks::{self, Masked, Masks};
use crate::simulated::Simulated;
use crate::threads::layout::Layout;
use crate::threads::watch::{Thread, Watch};

/// The number of instructions after which firmware counts as being in an endless loop.
const LIMIT: u64 = 50_000_000;

/// The figures of a row.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// Instructions, where time was measured.
    pub instructions: Option<Figure>,
    /// Cycles or bytes.
    pub figure: Figure,
    /// Cycles of the same without any framework, if the row asks for them.
    pub bare: Option<Figure>,
    /// The place in the code, for figures with a place.
    pub place: Option<String>,
}

impl Measured {
    fn bytes(bytes: impl Into<u64>) -> Self {
        Self { instructions: None, figure: Figure(bytes.into() as f64), bare: None, place: None }
    }
}

impl Measured {
    /// With the figure of the same without a framework.
    fn beside(self, bare: &Self) -> Self {
        Self { bare: Some(bare.figure), ..self }
    }

    /// With the time of another.
    fn longer_by(self, other: &Self) -> Self {
        let instructions = self.instructions.zip(other.instructions);
        Self {
            instructions: instructions.map(|(one, other)| Figure(one.0 + other.0)),
            figure: Figure(self.figure.0 + other.figure.0),
            ..self
        }
    }

    /// Returns the part beyond the figures without a framework.
    fn beyond(self, bare: &Self) -> Self {
        let instructions = self.instructions.zip(bare.instructions);
        Self {
            instructions: instructions.map(|(ours, bare)| Figure(ours.0 - bare.0)),
            figure: Figure(self.figure.0 - bare.figure.0),
            ..self
        }
    }
}

/// Firmware, with its machine and rows.
pub struct Subject<'a, M> {
    /// The firmware.
    pub firmware: &'a Firmware,
    /// The machine with the firmware and its inputs in it, after reset.
    pub machine: M,
    /// The text that the firmware must print, if there is one.
    pub prints: Option<&'a str>,
    /// The rows to measure.
    pub rows: &'a [&'a RowScenario],
}

/// The addresses of each mark.
pub type Marks<'a> = BTreeMap<&'a str, Vec<u32>>;

/// The state at a mark.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    address: u32,
    cycle: u64,
    instructions: u64,
    stack: u32,
}

impl<M: Simulated> Subject<'_, M> {
    /// Measures every row while the firmware runs undisturbed.
    pub fn undisturbed(&self) -> Result<Vec<Measured>> {
        let marks = self.addresses()?;
        let addresses: Vec<u32> = marks.values().flatten().copied().collect();
        let mut machine = self.machine.clone();
        let mut arrivals = Vec::new();
        let (mut watch, mut masks) = (Masks::default(), Vec::new());
        let top = main_stack(&machine);
        let mut lowest = top;
        let mut threads = self.threads();
        loop {
            let pc = machine.pc();
            let here = addresses.contains(&pc).then(|| arrival(&machine, now(&machine)));
            if machine.instructions() > LIMIT {
                let place = self.place(&machine);
                bail!("it did not end within {LIMIT} instructions, at {place}");
            }
            let stop = machine.step_within(u64::MAX);
            // An exception that comes before the instruction at a mark comes before the arrival.
            arrivals.extend(here.filter(|here| machine.instructions() > here.instructions));
            masks.extend(machine.mask(&mut watch, pc));
            lowest = lowest.min(main_stack(&machine));
            if let Some(stop) = stop {
                self.check_end(&mut machine, &stop)?;
                let stacks = Stacks { main: top - lowest, threads: used(threads, &machine) };
                let run = Run { subject: self, machine: &machine, marks, arrivals, masks, stacks };
                return run.rows();
            }
            if let Some(threads) = &mut threads {
                threads.look(&mut machine);
            }
        }
    }

    /// Returns a watch of the threads, if there are any and a row asks for their stacks. A hart
    /// leaves handlers by jumps into threads, which only a watch knows.
    fn threads(&self) -> Option<Watch> {
        let is_asked =
            self.rows.iter().any(|row| row.what().is_ok_and(|what| what == What::Stacks));
        let is_asked = is_asked || M::FAMILY == Family::RiscV;
        let layout = is_asked.then(|| Layout::find(&self.firmware.image)).flatten()?;
        // The way in which threads switch does not matter for their stacks.
        Some(Watch::new(layout, false))
    }

    /// Returns the addresses of the marks that the rows name.
    pub fn addresses(&self) -> Result<Marks<'_>> {
        let image = &self.firmware.image;
        let copies = |name: &str| {
            let is_copy = |symbol: &&Symbol| {
                let number = symbol.name.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
                number.is_some_and(|number| number.parse::<u32>().is_ok())
            };
            image.symbols.iter().filter(is_copy).map(|symbol| symbol.address).collect::<Vec<_>>()
        };
        let names = self.rows.iter().flat_map(|row| row.mark_names());
        let resolve = |name| {
            let mut addresses = copies(name);
            addresses.push(symbols::resolve(image, name)?);
            Ok((name, addresses.into_iter().map(|address| address & !1).collect()))
        };
        names.map(resolve).collect()
    }

    fn place(&self, machine: &M) -> String {
        let pc = machine.pc();
        format!("{pc:#010x} ({})", self.firmware.describe(pc))
    }

    /// The figures of firmware that did not do its work are worth nothing.
    fn check_end(&self, machine: &mut M, stop: &Stop) -> Result<()> {
        match stop {
            Stop::Exit { code: 0 } => {}
            Stop::Exit { code } => bail!("it ended with exit code {code}"),
            other => bail!("it stopped at {}: {other:?}", self.place(machine)),
        }
        let printed = machine.take_output().into_iter().flat_map(|output| output.bytes);
        let printed: Vec<u8> = printed.collect();
        match self.prints {
            Some(expected) if expected.as_bytes() != printed => {
                let printed = String::from_utf8_lossy(&printed);
                bail!("it printed {printed:?} instead of {expected:?}")
            }
            _ => Ok(()),
        }
    }
}

impl Subject<'_, Machine> {
    /// Measures every row with a debugger that halts the processor at each mark. Masks are not
    /// seen this way.
    pub fn halting(&self) -> Result<Vec<Measured>> {
        let marks = self.addresses()?;
        let mut debugger = Debugger::attach(self.machine.clone());
        for &address in marks.values().flatten() {
            // A BKPT halts by itself.
            if !debugger.is_breakpoint_instruction(address) {
                debugger.add_breakpoint(address);
            }
        }
        let mut arrivals = Vec::new();
        // The counter has 32 bits, and the firmware may set it.
        let (mut cycle, mut counter) = (0, debugger.cycle_counter());
        loop {
            match debugger.resume(LIMIT) {
                Halted::Breakpoint => {
                    let now = debugger.cycle_counter();
                    cycle += u64::from(now.wrapping_sub(counter));
                    counter = now;
                    arrivals.push(arrival(debugger.machine(), cycle));
                }
                Halted::Stopped(stop) => {
                    self.check_end(debugger.machine_mut(), &stop)?;
                    let (machine, masks) = (debugger.machine(), Vec::new());
                    let stacks = Stacks::default();
                    return Run { subject: self, machine, marks, arrivals, masks, stacks }.rows();
                }
                Halted::Limit
                | Halted::Stepped
                | Halted::Beginning
                | Halted::Fault(_)
                | Halted::Watchpoint(_) => {
                    let place = self.place(debugger.machine());
                    bail!("it did not end within {LIMIT} instructions, at {place}");
                }
            }
        }
    }
}

/// Returns the cycle: on a hart whose pipeline is simulated, that in which the last instruction
/// retired.
fn now(machine: &impl Simulated) -> u64 {
    let retired = machine.riscv().and_then(|machine| machine.hart.retired());
    retired.unwrap_or_else(|| machine.cycle())
}

/// Returns the pointer of main's stack; on RISC-V, of the stack that is in use.
fn main_stack(machine: &impl Simulated) -> u32 {
    let cortex_m = machine.cortex_m();
    cortex_m.map_or_else(
        || machine.stack_pointer(),
        |machine| machine.processor.registers.main_stack_pointer(),
    )
}

fn arrival(machine: &impl Simulated, cycle: u64) -> Arrival {
    Arrival {
        address: machine.pc(),
        cycle,
        instructions: machine.instructions(),
        stack: machine.stack_pointer(),
    }
}

/// Bytes of stacks that a run used.
#[derive(Clone, Copy, Debug, Default)]
struct Stacks {
    main: u32,
    threads: u32,
}

/// Returns the used bytes of all threads' stacks together.
fn used(threads: Option<Watch>, machine: &impl Simulated) -> u32 {
    let used = threads.map(|mut threads| {
        threads.finish(machine);
        threads.threads.values().map(Thread::high_water).sum()
    });
    used.unwrap_or(0)
}

/// The results of a run: arrivals, masks, memory, and the used bytes of the stacks.
struct Run<'a, M> {
    subject: &'a Subject<'a, M>,
    machine: &'a M,
    marks: Marks<'a>,
    arrivals: Vec<Arrival>,
    masks: Vec<Masked>,
    stacks: Stacks,
}

impl<M: Simulated> Run<'_, M> {
    fn rows(&self) -> Result<Vec<Measured>> {
        let measure = |row: &&RowScenario| {
            let measured = row.what().and_then(|what| self.measure(row, what));
            measured.with_context(|| format!("row \"{}\"", row.name))
        };
        self.subject.rows.iter().map(measure).collect()
    }

    fn measure(&self, row: &RowScenario, what: What<'_>) -> Result<Measured> {
        match what {
            What::Marks(pairs) => {
                let ours = self.time(row, pairs)?;
                let Some(bare) = &row.bare else { return Ok(ours) };
                let bare = self.time(row, bare)?;
                Ok(if row.beyond_bare { ours.beyond(&bare) } else { ours.beside(&bare) })
            }
            What::Stack(pair) => {
                let all = occurrences(&self.marks, &self.arrivals, pair)?;
                let (from, to) = longest(&all);
                let used = from.stack.checked_sub(to.stack).context("the stack became smaller")?;
                Ok(Measured::bytes(used))
            }
            What::Constant(symbol) => {
                let found = self.subject.firmware.image.symbol(symbol);
                let found = found.with_context(|| format!("the firmware has no {symbol}"))?;
                let word = self.machine.read_word(found.address);
                Ok(Measured::bytes(word.with_context(|| format!("{symbol} is in no memory"))?))
            }
            What::Masked(pair) => {
                let masked = self.masked(pair)?;
                Ok(masked.longer_by(&self.time(row, &row.plus)?))
            }
            What::Text => Ok(Measured::bytes(bytes::text(self.image(), &row.program))),
            What::MainStack => Ok(Measured::bytes(self.stacks.main)),
            What::Stacks => Ok(Measured::bytes(self.stacks.main + self.stacks.threads)),
            What::Ram => Ok(Measured::bytes(bytes::ram(self.image(), &row.program))),
            What::RamAndStack(mark) => {
                let is_here = |arrival: &&Arrival| self.marks[mark].contains(&arrival.address);
                let arrived = self.arrivals.iter().find(is_here);
                let arrived =
                    arrived.with_context(|| format!("the firmware never came to {mark}"))?;
                let machine = self.machine.cortex_m().context("the core has no vector table")?;
                let table = machine.vector_table();
                let top = self.machine.read_word(table).context("there is no vector table")?;
                let stack = top.checked_sub(arrived.stack).context("main left its stack")?;
                Ok(Measured::bytes(bytes::ram(self.image(), &row.program) + u64::from(stack)))
            }
        }
    }

    fn image(&self) -> &Image {
        &self.subject.firmware.image
    }

    fn time(&self, row: &RowScenario, pairs: &[[String; 2]]) -> Result<Measured> {
        let inside = match &row.within {
            Some(window) => {
                let (from, to) = longest(&occurrences(&self.marks, &self.arrivals, window)?);
                let is_inside = |one: &Arrival| (from.cycle..=to.cycle).contains(&one.cycle);
                self.arrivals.iter().copied().filter(is_inside).collect()
            }
            None => self.arrivals.clone(),
        };
        let mut total = Measured { instructions: Some(Figure(0.0)), ..Measured::bytes(0_u64) };
        for pair in pairs {
            let all = occurrences(&self.marks, &inside, pair)?;
            let (cycles, instructions) = duration(&all, row.occurrence);
            total.figure.0 += cycles;
            total.instructions = total.instructions.map(|sum| Figure(sum.0 + instructions));
        }
        Ok(total)
    }

    fn masked(&self, window: &[String; 2]) -> Result<Measured> {
        let (from, to) = longest(&occurrences(&self.marks, &self.arrivals, window)?);
        let firmware = self.subject.firmware;
        Ok(match masks::longest(&self.masks, from.cycle, to.cycle) {
            Some(mask) => Measured {
                instructions: Some(Figure(mask.instructions as f64)),
                figure: Figure(mask.cycles as f64),
                bare: None,
                place: Some(firmware.functions_in_words(mask.place(firmware), FUNCTIONS_MAX)),
            },
            None => Measured { instructions: Some(Figure(0.0)), ..Measured::bytes(0_u64) },
        })
    }
}

/// The most functions that a place names: those nearest to the user's code.
const FUNCTIONS_MAX: usize = 3;

/// All occurrences of a pair, at least one.
fn occurrences(
    marks: &Marks<'_>,
    arrivals: &[Arrival],
    [from, to]: &[String; 2],
) -> Result<Vec<(Arrival, Arrival)>> {
    let (first, second) = (&marks[from.as_str()], &marks[to.as_str()]);
    let mut pending = None;
    let mut found = Vec::new();
    for arrival in arrivals {
        if second.contains(&arrival.address)
            && let Some(start) = pending.take()
        {
            found.push((start, *arrival));
        }
        if first.contains(&arrival.address) {
            pending = Some(*arrival);
        }
    }
    if found.is_empty() {
        bail!("the firmware never went from {from} to {to}");
    }
    Ok(found)
}

fn cycles((from, to): &(Arrival, Arrival)) -> u64 {
    to.cycle - from.cycle
}

/// The first of the longest occurrences; there is at least one.
fn longest(all: &[(Arrival, Arrival)]) -> (Arrival, Arrival) {
    let longer = |longest, one: &_| if cycles(one) > cycles(&longest) { *one } else { longest };
    all.iter().fold(all[0], longer)
}

/// The first of the shortest occurrences; there is at least one.
fn shortest(all: &[(Arrival, Arrival)]) -> (Arrival, Arrival) {
    let shorter = |shortest, one: &_| if cycles(one) < cycles(&shortest) { *one } else { shortest };
    all.iter().fold(all[0], shorter)
}

/// Returns the cycles and instructions of the occurrence that a row asks for.
fn duration(all: &[(Arrival, Arrival)], occurrence: Occurrence) -> (f64, f64) {
    let instructions = |(from, to): &(Arrival, Arrival)| to.instructions - from.instructions;
    let whole = |one: (Arrival, Arrival)| (cycles(&one) as f64, instructions(&one) as f64);
    match occurrence {
        Occurrence::Longest => whole(longest(all)),
        Occurrence::Shortest => whole(shortest(all)),
        Occurrence::Mean => {
            let mean = |sum: u64| (sum as f64 / all.len() as f64 * 10.0).round() / 10.0;
            (mean(all.iter().map(cycles).sum()), mean(all.iter().map(instructions).sum()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: u32, cycle: u64) -> Arrival {
        Arrival { address, cycle, instructions: cycle, stack: 0 }
    }

    fn pair(from: &str, to: &str) -> [String; 2] {
        [from.to_owned(), to.to_owned()]
    }

    #[test]
    fn the_longest_occurrence_of_a_pair_counts() {
        let marks = BTreeMap::from([("a", vec![0x10]), ("b", vec![0x20])]);
        let arrivals = [
            at(0x20, 1),
            at(0x10, 2),
            at(0x10, 5),
            at(0x20, 9),
            at(0x20, 30),
            at(0x10, 40),
            at(0x20, 46),
        ];
        let all = occurrences(&marks, &arrivals, &pair("a", "b")).unwrap();
        let (from, to) = longest(&all);
        assert_eq!((from.cycle, to.cycle), (40, 46));
        let error = occurrences(&marks, &arrivals[..1], &pair("a", "b")).unwrap_err();
        assert_eq!(error.to_string(), "the firmware never went from a to b");
    }

    #[test]
    fn copies_of_a_mark_are_the_same_mark() {
        let marks = BTreeMap::from([("a", vec![0x10]), ("b", vec![0x20, 0x30])]);
        let arrivals = [at(0x10, 1), at(0x30, 3), at(0x20, 4), at(0x10, 5), at(0x20, 8)];
        let all = occurrences(&marks, &arrivals, &pair("a", "b")).unwrap();
        assert_eq!(all.iter().map(cycles).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn a_row_may_ask_for_another_occurrence() {
        let all = [(at(1, 0), at(2, 7)), (at(1, 10), at(2, 13)), (at(1, 20), at(2, 24))];
        assert_eq!(duration(&all, Occurrence::Longest), (7.0, 7.0));
        assert_eq!(duration(&all, Occurrence::Shortest), (3.0, 3.0));
        assert_eq!(duration(&all, Occurrence::Mean), (4.7, 4.7));
    }

    #[test]
    fn a_mark_can_be_both_ends_of_a_pair() {
        let marks = BTreeMap::from([("a", vec![0x10])]);
        let arrivals = [at(0x10, 1), at(0x10, 4), at(0x10, 6)];
        let all = occurrences(&marks, &arrivals, &pair("a", "a")).unwrap();
        let (from, to) = longest(&all);
        assert_eq!((from.cycle, to.cycle), (1, 4));
    }
}
