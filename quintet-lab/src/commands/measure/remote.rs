//! `quintet measure --gdb-remote`: the same count on a chip, by a server of GDB's remote protocol.
//!
//! A breakpoint halts the chip at the first place. The cycle counter of the chip is read there, and
//! again where the next breakpoint halts it, at the second place. The simulator does exactly the
//! same with a debugger of its own, so that both columns have the effects of halting.

use super::statistics::Summary;
use super::{Arguments, Place};
use crate::chip::{Chip, EFFECTS, Reached, check_code, why};
use crate::ctrl_c;
use crate::debugger::{Debugger, Halted};
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::gdb::client::Remote;
use crate::output;
use crate::report::table::{self, grouped, table};
use anyhow::{Context, ensure};
use serde::Serialize;
use std::time::Duration;

/// So many occurrences are measured if nobody says how many.
const COUNT: u64 = 10;

/// The table shows no more.
const ROWS_MAX: usize = 20;

/// The instructions that the simulator executes between two looks at its limit.
const CHUNK: u64 = 10_000;

#[derive(Serialize)]
struct Report {
    file: String,
    remote: String,
    /// What counts on the chip: `DWT_CYCCNT`, or `SysTick`.
    counter: &'static str,
    board: String,
    from: Place,
    to: Place,
    /// Cycles by the chip's counter.
    chip: Vec<u64>,
    /// Cycles of the simulator, halted at the same places.
    simulator: Vec<u64>,
    chip_summary: Option<Summary>,
    simulator_summary: Option<Summary>,
    /// Why the counts ended.
    ended: String,
    simulator_ended: String,
    effects: Vec<&'static str>,
}

/// What is measured.
struct Marks<'a> {
    firmware: &'a Firmware,
    from: &'a Place,
    to: &'a Place,
    count: u64,
    time: Duration,
}

impl Arguments {
    /// Measures a chip, and the simulator beside it.
    pub(super) fn run_remote(&self, firmware: &Firmware, address: &str) -> anyhow::Result<Outcome> {
        let from = Place::find(firmware, &self.from).context("--from")?;
        let to = Place::find(firmware, &self.to).context("--to")?;
        ensure!(
            from.address != to.address,
            "--from and --to are one place: a chip that halts there must leave it first; give two \
             places, as the beginning and the end of what happens in a period"
        );
        let count = self.count.unwrap_or(COUNT);
        let marks = Marks { firmware, from: &from, to: &to, count, time: self.chip.time() };
        let remote = Remote::connect(address)?;
        let mut chip = Chip::new(remote, self.chip.counter, self.chip.time());
        let measured = self.measure_remote(&mut chip, &marks);
        let (chip, ended) = chip.leave(measured)?;
        let count = (chip.len() as u64).max(1).min(count);
        let (simulator, simulator_ended) = self.simulate(&Marks { count, ..marks })?;
        let report = Report {
            file: firmware.path.display().to_string(),
            remote: address.to_owned(),
            counter: self.chip.counter.name(),
            board: self.machine.board.clone(),
            from,
            to,
            chip_summary: Summary::of(chip.iter().copied()),
            simulator_summary: Summary::of(simulator.iter().copied()),
            chip,
            simulator,
            ended,
            simulator_ended,
            effects: EFFECTS.to_vec(),
        };
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text())?;
        }
        if report.chip.is_empty() {
            output::complain(&format!("nothing to measure: {}", report.ended));
            return Ok(Outcome::NothingFound);
        }
        Ok(if ctrl_c::is_pressed() { Outcome::Interrupted } else { Outcome::Done })
    }

    fn measure_remote(
        &self,
        chip: &mut Chip,
        marks: &Marks<'_>,
    ) -> anyhow::Result<(Vec<u64>, String)> {
        chip.prepare(&self.chip.monitor)?;
        for place in [marks.from, marks.to] {
            check_code(&mut chip.remote, marks.firmware, (&place.text, place.address))?;
        }
        count_on_chip(chip, marks)
    }

    /// The same in the simulator.
    fn simulate(&self, marks: &Marks<'_>) -> anyhow::Result<(Vec<u64>, String)> {
        let machine = self.machine.machine(marks.firmware)?;
        let limit = self.machine.cycle_limit().unwrap_or(u64::MAX);
        let mut debugger = Debugger::attach(machine);
        let mut counts = Vec::new();
        while (counts.len() as u64) < marks.count {
            let mut began = None;
            for place in [marks.from, marks.to] {
                debugger.clear_stops();
                debugger.add_breakpoint(place.address);
                if let Some(ended) = run_to(&mut debugger, place, limit) {
                    return Ok((counts, ended));
                }
                let cycle = debugger.machine().cycle();
                match began {
                    None => began = Some(cycle),
                    Some(began) => counts.push(cycle - began),
                }
            }
        }
        Ok((counts, "the count of occurrences was reached".to_owned()))
    }
}

/// Lets the simulator run to a place. Returns why it didn't come there.
fn run_to(debugger: &mut Debugger, place: &Place, limit: u64) -> Option<String> {
    let mut go_on = |debugger: &mut Debugger| {
        let machine = debugger.machine_mut();
        // Nobody reads it.
        machine.take_output();
        machine.cycle() < limit && !ctrl_c::is_pressed()
    };
    let halted = debugger.resume_while(CHUNK, &mut go_on);
    if matches!(halted, Halted::Breakpoint) && debugger.pc() == place.address {
        return None;
    }
    let why = match halted {
        Halted::Limit => "its limit was reached".to_owned(),
        Halted::Stopped(quintet_sim::machine::Stop::Exit { code }) => {
            format!("the firmware ended with code {code}")
        }
        Halted::Stopped(quintet_sim::machine::Stop::Asleep) => "it sleeps for ever".to_owned(),
        _ => "the firmware died".to_owned(),
    };
    Some(format!("{} was not reached: {why}", place.text))
}

/// Counts, until there are enough or the chip doesn't come to a place in time.
fn count_on_chip(chip: &mut Chip, marks: &Marks<'_>) -> anyhow::Result<(Vec<u64>, String)> {
    let mut counts = Vec::new();
    while (counts.len() as u64) < marks.count {
        let mut began = None;
        for place in [marks.from, marks.to] {
            if ctrl_c::is_pressed() {
                return Ok((counts, "Ctrl-C".to_owned()));
            }
            let reached = chip.reach(&[place.address])?;
            if !matches!(reached, Reached::Place(_)) {
                let describe = |pc| marks.firmware.describe(pc);
                return Ok((counts, why(reached, &place.text, marks.time, &describe)?));
            }
            let counter = chip.read_counter()?;
            match began {
                None => began = Some(counter),
                Some(began) => counts.push(chip.between(began, counter)),
            }
        }
    }
    Ok((counts, "the count of occurrences was reached".to_owned()))
}

fn occurrences(count: u64) -> String {
    if count == 1 { "1 occurrence".to_owned() } else { format!("{} occurrences", grouped(count)) }
}

impl Report {
    fn text(&self) -> String {
        let mut text = format!(
            "From {} ({:#x}) to {} ({:#x}), halted at both\nchip: {} by {}; simulator: {}\n",
            self.from.text,
            self.from.address,
            self.to.text,
            self.to.address,
            self.remote,
            self.counter,
            self.board
        );
        let mut rows = table(&[">occurrence", ">chip", ">simulator", ">difference"]);
        let length = self.chip.len().max(self.simulator.len());
        let shown = |cycles: Option<&u64>| cycles.map_or("-".to_owned(), |cycles| grouped(*cycles));
        for number in 0..length.min(ROWS_MAX) {
            let (chip, simulator) = (self.chip.get(number), self.simulator.get(number));
            let difference = chip.zip(simulator).map_or("-".to_owned(), |(chip, simulator)| {
                format!("{:+}", *simulator as i64 - *chip as i64)
            });
            rows.add_row([(number + 1).to_string(), shown(chip), shown(simulator), difference]);
        }
        if length > 0 {
            text.push_str(&table::text(&rows));
        }
        let more = length.saturating_sub(ROWS_MAX);
        if more > 0 {
            text.push_str(&format!("and {more} more (all with --json)\n"));
        }
        for (name, summary) in
            [("chip", &self.chip_summary), ("simulator", &self.simulator_summary)]
        {
            if let Some(one) = summary {
                text.push_str(&format!(
                    "\n{name}: {}, min {}, mean {:.1}, max {} cycles",
                    occurrences(one.count),
                    grouped(one.min),
                    one.mean,
                    grouped(one.max)
                ));
            }
        }
        text.push_str(&format!(
            "\n\nMeasured until {}; in the simulator until {}.\nWhat halting does: {}.\n",
            self.ended,
            self.simulator_ended,
            self.effects.join("; ")
        ));
        text
    }
}
