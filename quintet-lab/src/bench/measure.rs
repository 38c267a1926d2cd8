//! Runs firmware once and times its marks.
//!
//! Two ways, over the same marks. *Undisturbed*: the firmware runs, and every arrival at a mark is
//! noted; this is what the code costs. *Halting*: a debugger halts the processor at each mark and
//! reads CYCCNT, which stands still meanwhile; this is how figures are taken on a board, and the
//! pipeline starts empty behind every mark.
//!
//! An occurrence of a pair is an arrival at its first mark and the next arrival at its second.
//! Where a pair occurs more than once the longest occurrence counts.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop};

use super::scenario::{RowScenario, Scenario, What};
use crate::debugger::{Debugger, Halted};
use crate::firmware::{Firmware, symbols};

/// Instructions after which firmware is taken to be in an endless loop.
const LIMIT: u64 = 50_000_000;

/// What a row measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measured {
    /// Instructions, where time was measured.
    pub instructions: Option<u64>,
    /// Cycles or bytes.
    pub figure: u64,
}

/// The state at a mark.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    mark: u32,
    cycle: u64,
    instructions: u64,
    stack: u32,
}

/// Measures every row while the firmware runs undisturbed.
pub fn undisturbed(
    firmware: &Firmware,
    scenario: &Scenario,
    board: &Board,
) -> Result<Vec<Measured>> {
    let marks = addresses(firmware, scenario)?;
    let addresses: Vec<u32> = marks.values().copied().collect();
    let mut machine = start(firmware, board)?;
    let mut arrivals = Vec::new();
    loop {
        let here = addresses.contains(&machine.pc()).then(|| arrival(&machine, machine.cycle()));
        if machine.instructions() > LIMIT {
            bail!("it did not end within {LIMIT} instructions, at {}", place(firmware, &machine));
        }
        let stop = machine.step();
        // An exception that comes before the instruction at a mark comes before the arrival.
        arrivals.extend(here.filter(|here| machine.instructions() > here.instructions));
        if let Some(stop) = stop {
            check_end(firmware, &machine, &stop)?;
            return Run { firmware, machine: &machine, marks, arrivals }.rows(scenario);
        }
    }
}

/// Measures every row with a debugger that halts the processor at each mark.
pub fn halting(firmware: &Firmware, scenario: &Scenario, board: &Board) -> Result<Vec<Measured>> {
    let marks = addresses(firmware, scenario)?;
    let mut debugger = Debugger::attach(start(firmware, board)?);
    for &address in marks.values() {
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
                check_end(firmware, debugger.machine(), &stop)?;
                let machine = debugger.machine();
                return Run { firmware, machine, marks, arrivals }.rows(scenario);
            }
            Halted::Limit | Halted::Stepped | Halted::Watchpoint(_) => {
                let place = place(firmware, debugger.machine());
                bail!("it did not end within {LIMIT} instructions, at {place}");
            }
        }
    }
}

fn addresses<'a>(firmware: &Firmware, scenario: &'a Scenario) -> Result<BTreeMap<&'a str, u32>> {
    let resolve = |mark| Ok((mark, symbols::resolve(&firmware.image, mark)? & !1));
    scenario.marks().into_iter().map(resolve).collect()
}

fn start(firmware: &Firmware, board: &Board) -> Result<Machine> {
    let mut machine = Machine::new(board);
    machine.load(&firmware.image)?;
    machine.reset();
    Ok(machine)
}

fn arrival(machine: &Machine, cycle: u64) -> Arrival {
    Arrival {
        mark: machine.pc(),
        cycle,
        instructions: machine.instructions(),
        stack: machine.processor.registers.r[13],
    }
}

fn place(firmware: &Firmware, machine: &Machine) -> String {
    let pc = machine.pc();
    format!("{pc:#010x} ({})", firmware.describe(pc))
}

fn check_end(firmware: &Firmware, machine: &Machine, stop: &Stop) -> Result<()> {
    match stop {
        Stop::Exit { code: 0 } => Ok(()),
        Stop::Exit { code } => bail!("it ended with exit code {code}"),
        other => bail!("it stopped at {}: {other:?}", place(firmware, machine)),
    }
}

/// What a run has left behind: its arrivals and its memory.
struct Run<'a> {
    firmware: &'a Firmware,
    machine: &'a Machine,
    marks: BTreeMap<&'a str, u32>,
    arrivals: Vec<Arrival>,
}

impl Run<'_> {
    fn rows(&self, scenario: &Scenario) -> Result<Vec<Measured>> {
        let measure = |row: &RowScenario| {
            let measured = row.what().and_then(|what| self.measure(what));
            measured.with_context(|| format!("row \"{}\"", row.name))
        };
        scenario.rows.iter().map(measure).collect()
    }

    fn measure(&self, what: What<'_>) -> Result<Measured> {
        match what {
            What::Marks(pairs) => self.time(pairs),
            What::Stack(pair) => {
                let (from, to) = longest(&self.marks, &self.arrivals, pair)?;
                let used = from.stack.checked_sub(to.stack).context("the stack became smaller")?;
                Ok(Measured { instructions: None, figure: u64::from(used) })
            }
            What::Constant(symbol) => {
                let found = self.firmware.image.symbol(symbol);
                let found = found.with_context(|| format!("the firmware has no {symbol}"))?;
                let word = self.machine.read_word(found.address);
                let word = word.with_context(|| format!("{symbol} is in no memory"))?;
                Ok(Measured { instructions: None, figure: u64::from(word) })
            }
        }
    }

    fn time(&self, pairs: &[[String; 2]]) -> Result<Measured> {
        let mut total = Measured { instructions: None, figure: 0 };
        for pair in pairs {
            let (from, to) = longest(&self.marks, &self.arrivals, pair)?;
            let instructions = to.instructions - from.instructions;
            total.figure += to.cycle - from.cycle;
            total.instructions = Some(total.instructions.unwrap_or(0) + instructions);
        }
        Ok(total)
    }
}

/// The longest occurrence of a pair.
fn longest(
    marks: &BTreeMap<&str, u32>,
    arrivals: &[Arrival],
    [from, to]: &[String; 2],
) -> Result<(Arrival, Arrival)> {
    let (first, second) = (marks[from.as_str()], marks[to.as_str()]);
    let mut pending = None;
    let mut found: Option<(Arrival, Arrival)> = None;
    for arrival in arrivals {
        if arrival.mark == second
            && let Some(start) = pending.take()
        {
            let length = |(start, end): (Arrival, Arrival)| end.cycle - start.cycle;
            let occurrence = (start, *arrival);
            if found.is_none_or(|longest| length(longest) < length(occurrence)) {
                found = Some(occurrence);
            }
        }
        if arrival.mark == first {
            pending = Some(*arrival);
        }
    }
    found.with_context(|| format!("the firmware never went from {from} to {to}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_occurrence_of_a_pair_counts() {
        let marks = BTreeMap::from([("a", 0x10), ("b", 0x20)]);
        let at = |mark, cycle| Arrival { mark, cycle, instructions: cycle, stack: 0 };
        let pair = ["a".to_owned(), "b".to_owned()];
        let arrivals = [
            at(0x20, 1),
            at(0x10, 2),
            at(0x10, 5),
            at(0x20, 9),
            at(0x20, 30),
            at(0x10, 40),
            at(0x20, 46),
        ];
        let (from, to) = longest(&marks, &arrivals, &pair).unwrap();
        assert_eq!((from.cycle, to.cycle), (40, 46));
        let error = longest(&marks, &arrivals[..1], &pair).unwrap_err();
        assert_eq!(error.to_string(), "the firmware never went from a to b");
    }

    #[test]
    fn a_mark_can_be_both_ends_of_a_pair() {
        let marks = BTreeMap::from([("a", 0x10)]);
        let at = |cycle| Arrival { mark: 0x10, cycle, instructions: 0, stack: 0 };
        let pair = ["a".to_owned(), "a".to_owned()];
        let (from, to) = longest(&marks, &[at(1), at(4), at(6)], &pair).unwrap();
        assert_eq!((from.cycle, to.cycle), (1, 4));
    }
}
