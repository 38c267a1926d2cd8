//! `quintet measure`: the cycles between two places in firmware, each time.

mod inside;
mod remote;
mod statistics;
mod way;

use super::options::{MachineOptions, parse_positive};
use crate::chip;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::firmware::code::inlined_into;
use crate::firmware::symbols::{PlaceError, clones_of, resolve};
use crate::main_stack::{self, Overflow};
use crate::output;
use crate::point::Point;
use crate::report::death::Cause;
use crate::report::table::{self, grouped, table};
use crate::simulated::{Simulated, family};
use crate::simulation::{Advance, Simulation, Sink};
use anyhow::{Context, bail, ensure};
use inside::{ExceptionInside, exceptions};
use quintet_sim::cores::Family;
use quintet_sim::machine::Machine;
use quintet_sim::riscv;
use serde::Serialize;
use statistics::Summary;
use std::collections::BTreeMap;
use std::path::PathBuf;
use way::{Before, Step};

/// The most occurrences that the table shows. `--json` has all.
const ROWS_MAX: usize = 20;

/// In so many functions an inlined one is named.
const INLINED_MAX: usize = 4;

/// The occurrences that are kept by default: each takes memory.
const OCCURRENCES_MAX: u64 = 1_000_000;

const EXAMPLES: &str = "\
Examples:
  quintet measure app --from work_begin --to work_end
  quintet measure app --from app::step --to app::step+0x1e     a symbol and an offset
  quintet measure app --from 0x1a4 --to 0x1c0 --count 100      addresses; the first hundred
  quintet measure app --from tick --to tick                    the period of a function
  quintet measure app --from a --to b --json | jq .summary
  quintet measure app --from SVCall --to Console --instructions 2   each one of the second time
  quintet measure app --from a --to b --gdb-remote localhost:3333   on a chip, too

A symbol is its mangled name or the end of its path: step, app::step, in C++
with or without parameters: Sensor::read, \"read(int)\". The count
starts when the instruction at --from is about to execute and ends when that at
--to is; reaching --from again before --to starts anew. What the firmware prints
goes to standard error.";

/// Count the cycles between two places, every time
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware: ELF, Intel HEX, S-record or UF2, or a raw image with --load
    elf: PathBuf,
    /// Where the count starts: a symbol, symbol+offset, or an address as 0x1a4
    #[arg(long, value_name = "PLACE", value_parser = Point::parse)]
    from: Point,
    /// Where it ends
    #[arg(long, value_name = "PLACE", value_parser = Point::parse)]
    to: Point,
    /// Stop after N occurrences; a million, or ten with --gdb-remote, if left out
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    count: Option<u64>,
    #[command(flatten)]
    chip: chip::Options,
    /// Show each instruction of the occurrence N, 1 for the first: its cycle, function and line
    #[arg(
        long, value_name = "N", value_parser = parse_positive, num_args = 0..=1,
        default_missing_value = "1", conflicts_with_all = ["halt", "gdb_remote"]
    )]
    instructions: Option<u64>,
    /// Halt at both places as a debugger does, which empties the pipeline there
    #[arg(long, conflicts_with = "gdb_remote")]
    halt: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

/// A place as asked for and as found.
#[derive(Serialize)]
struct Place {
    text: String,
    address: u32,
}

/// One way from one place to the other.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
struct Occurrence {
    start_cycle: u64,
    cycles: u64,
    instructions: u64,
    exceptions: Vec<ExceptionInside>,
}

#[derive(Serialize)]
struct Report {
    file: String,
    board: String,
    from: Place,
    to: Place,
    halt: bool,
    occurrences: Vec<Occurrence>,
    /// The instructions of the occurrence that `--instructions` names; null without that option.
    instructions: Option<Vec<Step>>,
    summary: Option<Summary>,
    /// The start of an occurrence that had not ended when the firmware did.
    unfinished: Option<u64>,
    /// The number of times that the start was reached again before the end.
    restarted: u64,
    ended: String,
    /// The variables that the main stack overwrote; null if the stack has stayed above its end.
    main_stack: Option<Overflow>,
}

impl Arguments {
    /// Measures.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        match family(&self.machine, &self.elf)? {
            Family::CortexM => {}
            Family::RiscV => {
                ensure!(
                    self.chip.gdb_remote.is_none(),
                    "--gdb-remote is not there yet for a RISC-V core: leave it out to measure on \
                     the simulator"
                );
                return self.measure::<riscv::machine::Machine>();
            }
        }
        if let Some(address) = &self.chip.gdb_remote {
            return self.run_remote(&self.machine.open(&self.elf)?, address);
        }
        self.measure::<Machine>()
    }

    fn measure<M: Simulated>(&self) -> anyhow::Result<Outcome> {
        if self.halt && M::FAMILY == Family::RiscV {
            bail!(
                "--halt is not there for a RISC-V core: its pipelines have no model of what a \
                 debugger's halt does; leave --halt out"
            );
        }
        let firmware = M::open(&self.machine, &self.elf)?;
        let from = Place::find(&firmware, &self.from).context("--from")?;
        let to = Place::find(&firmware, &self.to).context("--to")?;
        let mut simulation = Simulation::<M>::new(&firmware, &self.machine, Sink::Divert)?;
        let mut recorder = Recorder {
            from: from.address,
            to: to.address,
            halt: self.halt,
            started: None,
            occurrences: Vec::new(),
            restarted: 0,
            shown: self.instructions,
            steps: Vec::new(),
        };
        let end =
            recorder.record(&firmware, &mut simulation, self.count.unwrap_or(OCCURRENCES_MAX))?;
        let report = Report {
            file: firmware.path.display().to_string(),
            board: simulation.machine.board_name(),
            from,
            to,
            halt: self.halt,
            summary: Summary::of(recorder.occurrences.iter().map(|one| one.cycles)),
            instructions: self.instructions.map(|_| recorder.steps),
            occurrences: recorder.occurrences,
            unfinished: recorder.started.map(|start| start.cycle),
            restarted: recorder.restarted,
            ended: describe(end.as_ref()),
            main_stack: simulation.machine.overflow(&firmware),
        };
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text(self.instructions))?;
        }
        Ok(verdict(&firmware, &simulation, &report, end))
    }
}

impl Place {
    fn find(firmware: &Firmware, point: &Point) -> anyhow::Result<Self> {
        let text = point.place()?;
        Ok(Self { text: text.into(), address: place(firmware, text)? })
    }
}

/// Returns the address of a place. The place must not be inlined elsewhere.
pub fn place(firmware: &Firmware, text: &str) -> anyhow::Result<u32> {
    resolve(&firmware.image, text).or_else(|error| {
        if let PlaceError::Unknown { name, .. } = &error {
            let into = inlined_into(firmware, name);
            ensure!(into.is_empty(), "\"{name}\" is inlined {}", where_else(&into));
        }
        Err(error.into())
    })
}

/// Says where an inlined function is, and what to name instead.
fn where_else(into: &BTreeMap<String, u32>) -> String {
    let places = into.iter().take(INLINED_MAX);
    let places = places.map(|(outer, address)| format!("into {outer} (from {address:#x} on)"));
    let more = if into.len() > INLINED_MAX { ", and others" } else { "" };
    let places = places.collect::<Vec<_>>().join(", ");
    format!(
        "{places}{more}: name a function that has it, or an address, or mark it #[inline(never)]"
    )
}

/// The start of an occurrence.
#[derive(Clone, Copy)]
struct Start {
    cycle: u64,
    instructions: u64,
}

struct Recorder {
    from: u32,
    to: u32,
    halt: bool,
    started: Option<Start>,
    occurrences: Vec<Occurrence>,
    restarted: u64,
    /// The occurrence whose instructions are kept, from 1 on.
    shown: Option<u64>,
    steps: Vec<Step>,
}

impl Recorder {
    /// Runs until the firmware ends, or until there are `count` occurrences (then `None`).
    fn record<M: Simulated>(
        &mut self,
        firmware: &Firmware,
        simulation: &mut Simulation<'_, M>,
        count: u64,
    ) -> anyhow::Result<Option<Advance>> {
        // The first instruction after reset may be the start itself.
        if simulation.machine.pc() == self.from {
            self.start(simulation);
        }
        while (self.occurrences.len() as u64) < count {
            let is_shown = self.shown == Some(self.occurrences.len() as u64 + 1);
            let end = match self.started {
                None => simulation.advance(&[self.from])?,
                Some(start) if is_shown => self.walk(firmware, simulation, start)?,
                Some(_) => simulation.advance(&[self.from, self.to])?,
            };
            match end {
                Advance::Reached(address) if address == self.to && self.started.is_some() => {
                    self.finish(simulation);
                    if self.from == self.to {
                        self.start(simulation);
                    }
                }
                Advance::Reached(_) => {
                    self.restarted += u64::from(self.started.is_some());
                    self.start(simulation);
                }
                end => return Ok(Some(end)),
            }
        }
        // The next occurrence of a period was begun only as its end.
        self.started = None;
        Ok(None)
    }

    /// Goes on to one of the two places, and keeps each step.
    fn walk<M: Simulated>(
        &mut self,
        firmware: &Firmware,
        simulation: &mut Simulation<'_, M>,
        start: Start,
    ) -> anyhow::Result<Advance> {
        self.steps.clear();
        loop {
            let before = Before::of(&simulation.machine);
            if let Some(end) = simulation.step()? {
                return Ok(end);
            }
            if self.steps.len() < way::STEPS_MAX {
                self.steps.push(before.step(firmware, &simulation.machine, start.cycle));
            }
            let pc = simulation.machine.pc();
            if pc == self.from || pc == self.to {
                return Ok(Advance::Reached(pc));
            }
        }
    }

    fn start<M: Simulated>(&mut self, simulation: &mut Simulation<'_, M>) {
        self.pause(simulation);
        let machine = &mut simulation.machine;
        machine.observe(true);
        self.started = Some(Start { cycle: machine.cycle(), instructions: machine.instructions() });
    }

    fn finish<M: Simulated>(&mut self, simulation: &mut Simulation<'_, M>) {
        self.pause(simulation);
        let machine = &mut simulation.machine;
        machine.observe(false);
        let passages = machine.take_passages();
        if let Some(start) = self.started.take() {
            self.occurrences.push(Occurrence {
                start_cycle: start.cycle,
                cycles: machine.cycle() - start.cycle,
                instructions: machine.instructions() - start.instructions,
                exceptions: exceptions::<M>(&passages),
            });
        }
    }

    /// With `--halt`: gives the pipeline the effect of a debugger's breakpoint.
    fn pause<M: Simulated>(&self, simulation: &mut Simulation<'_, M>) {
        if self.halt {
            simulation.machine.pause();
        }
    }
}

fn describe(end: Option<&Advance>) -> String {
    match end {
        None | Some(Advance::Reached(_)) => "the count of occurrences was reached".into(),
        Some(Advance::Exit(code)) => format!("the firmware ended with code {code}"),
        Some(Advance::Ended(Cause::CycleLimit(limit))) => {
            format!("the limit of {} cycles was reached", grouped(*limit))
        }
        Some(Advance::Ended(Cause::InstructionLimit(limit))) => {
            format!("the limit of {} instructions was reached", grouped(*limit))
        }
        Some(Advance::Ended(Cause::Asleep)) => "the processor sleeps for ever".into(),
        Some(Advance::Ended(Cause::Interrupted)) => "Ctrl-C".into(),
        Some(Advance::Ended(_)) => "the firmware died".into(),
    }
}

/// Returns how the command ends. A limit is a good end of endless firmware, if there was something
/// to measure.
fn verdict<M: Simulated>(
    firmware: &Firmware,
    simulation: &Simulation<'_, M>,
    report: &Report,
    end: Option<Advance>,
) -> Outcome {
    if end.is_some_and(|end| simulation.tell_death(&end)) {
        return Outcome::Died;
    }
    let outcome = main_stack::verdict(report.main_stack.as_ref(), Outcome::Done);
    if report.occurrences.is_empty() {
        let missing = if report.unfinished.is_some() { &report.to } else { &report.from };
        let clones = clones_of(&firmware.image, missing.address);
        output::complain(&format!(
            "nothing to measure: {} ({:#x}) was never reached{}; {} after {} cycles{}",
            missing.text,
            missing.address,
            if report.unfinished.is_some() { " after the start" } else { "" },
            report.ended,
            grouped(simulation.machine.cycle()),
            match clones.is_empty() {
                true => String::new(),
                false => format!("; the compiler made others of it: {}", clones.join(", ")),
            }
        ));
        return Outcome::NothingFound;
    }
    outcome
}

impl Report {
    fn text(&self, shown: Option<u64>) -> String {
        let mut text = format!(
            "From {} ({:#x}) to {} ({:#x}) on {}{}\n",
            self.from.text,
            self.from.address,
            self.to.text,
            self.to.address,
            self.board,
            if self.halt { ", halted at both" } else { "" }
        );
        if !self.occurrences.is_empty() {
            text.push_str(&self.rows());
        }
        if let (Some(number), Some(steps)) = (shown, &self.instructions) {
            text.push_str(&match steps.is_empty() {
                true => format!("There was no occurrence {number}.\n\n"),
                false => way::text(number, steps),
            });
        }
        if let Some(summary) = &self.summary {
            text.push_str(&summary.text());
        }
        if let Some(start) = self.unfinished {
            let cycle = grouped(start);
            text.push_str(&format!("An occurrence that began at cycle {cycle} had not ended.\n"));
        }
        if self.restarted > 0 {
            text.push_str(&format!(
                "The start was reached again before the end {} times; counted from the last.\n",
                self.restarted
            ));
        }
        text.push_str(&format!("Measured until {}.\n", self.ended));
        text
    }

    fn rows(&self) -> String {
        let mut rows = table(&[">start cycle", ">cycles", ">instructions", "exceptions inside"]);
        for one in self.occurrences.iter().take(ROWS_MAX) {
            let exceptions: Vec<String> =
                one.exceptions.iter().map(ExceptionInside::text).collect();
            rows.add_row([
                grouped(one.start_cycle),
                grouped(one.cycles),
                grouped(one.instructions),
                exceptions.join(", "),
            ]);
        }
        let more = self.occurrences.len().saturating_sub(ROWS_MAX);
        let rest =
            if more > 0 { format!("and {more} more (all with --json)\n") } else { String::new() };
        format!("{}{rest}\n", table::text(&rows))
    }
}
