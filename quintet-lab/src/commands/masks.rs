//! `quintet masks`: how long firmware holds interrupts off, and where.

use super::options::{MachineOptions, parse_count};
use crate::debug::Place;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::masks::{Masked, Masks};
use crate::output;
use crate::point::{self, Point};
use crate::report::table::{self, Table, grouped, share, table};
use crate::simulated::{Simulated, family};
use crate::simulation::{Advance, Simulation, Sink};
use crate::window::Window;
use quintet_sim::cores::Family;
use quintet_sim::machine::Machine;
use quintet_sim::riscv;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The most functions that a row names: those nearest to the user's code.
const FUNCTIONS_MAX: usize = 4;

const EXAMPLES: &str = "\
Examples:
  quintet masks app                         until it ends, or for 1 000 000 000 cycles
  quintet masks app --top 0                 every place, not only the ten longest
  quintet masks app --limit 200             exit with 1 if interrupts are held off for longer
  quintet masks app --from idle             without what comes before it, as start-up
  quintet masks app --from begin --to end   masks that begin between two places, each time
  quintet masks app --json | jq '.masks[0].cycles'

Interrupts are held off while PRIMASK or FAULTMASK is set, or BASEPRI is not 0;
a BASEPRI that holds off the switch of threads alone does not count. A row is a
place that begins it, with the longest of its times: the cycles that an interrupt
which is held off waits for this place at the most. The time of more urgent
interrupts, which come in between, is theirs, not the place's. With --from, masks
count that begin when the instruction there executes, or later, until the one at
--to does; --from opens the window again. A place is a symbol, symbol+offset or an
address. It is what happened in this run. What the firmware prints goes to standard error.";

/// Show how long interrupts are held off, and where
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware: ELF, Intel HEX, S-record or UF2, or a raw image with --load
    elf: PathBuf,
    /// Show the N longest; 0 for all
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Exit with code 1 if interrupts are held off for more than N cycles
    #[arg(long, value_name = "N", value_parser = parse_count)]
    limit: Option<u64>,
    /// Count masks from here on: a place (a symbol, symbol+offset, or an address as 0x1a4) or a
    /// time
    #[arg(long, value_name = "POINT", value_parser = Point::parse)]
    from: Option<Point>,
    /// Count them until here
    #[arg(long, value_name = "POINT", value_parser = Point::parse)]
    to: Option<Point>,
    /// Print JSON, with all places
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

#[derive(Serialize)]
struct Report {
    file: String,
    board: String,
    cycles: u64,
    instructions: u64,
    /// The part of the run that counts; null if the whole run does.
    window: Option<WindowReport>,
    /// Cycles in which interrupts were held off.
    masked_cycles: u64,
    masks: Vec<Row>,
}

/// The part of a run that counts.
#[derive(Serialize)]
struct WindowReport {
    /// The places as they were named.
    from: Option<String>,
    to: Option<String>,
    /// How often the window was open, and for how many cycles.
    times: u64,
    cycles: u64,
}

/// The masks that begin at one place. The figures are those of the longest.
#[derive(Serialize)]
pub(super) struct Row {
    #[serde(skip)]
    pub(super) words: String,
    pub(super) register: String,
    address: u32,
    places: Vec<Place>,
    pub(super) cycles: u64,
    instructions: u64,
    start_cycle: u64,
    count: u64,
}

/// All masks of a run, by the place that asks for them.
pub(super) struct Found<'a> {
    firmware: &'a Firmware,
    by_address: BTreeMap<u32, (Masked, u64)>,
    /// The cycles of all masks.
    pub(super) cycles: u64,
}

impl<'a> Found<'a> {
    /// None yet.
    pub(super) fn new(firmware: &'a Firmware) -> Self {
        Self { firmware, by_address: BTreeMap::new(), cycles: 0 }
    }

    /// One that has ended.
    pub(super) fn add(&mut self, mask: Masked) {
        self.cycles += mask.cycles;
        let place = mask.place(self.firmware);
        let (longest, count) = self.by_address.entry(place).or_insert((mask, 0));
        *count += 1;
        if mask.cycles > longest.cycles {
            *longest = mask;
        }
    }

    /// Returns the rows, the longest mask first. Code that is inlined at several addresses is one
    /// place.
    pub(super) fn rows(&self) -> Vec<Row> {
        let row = |(&address, &(mask, count)): (&u32, &(Masked, u64))| Row {
            words: self.firmware.functions_in_words(address, FUNCTIONS_MAX),
            register: mask.register.to_string(),
            address,
            places: self.firmware.locate(address),
            cycles: mask.cycles,
            instructions: mask.instructions,
            start_cycle: mask.start,
            count,
        };
        let mut rows: Vec<Row> = self.by_address.iter().map(row).collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.cycles), row.address));
        let mut places: Vec<Row> = Vec::new();
        for row in rows {
            let same =
                |place: &&mut Row| (&place.words, &place.register) == (&row.words, &row.register);
            match places.iter_mut().find(same) {
                Some(place) => place.count += row.count,
                None => places.push(row),
            }
        }
        places
    }
}

impl Arguments {
    /// Runs the firmware and shows its masks.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        match family(&self.machine, &self.elf)? {
            Family::CortexM => self.masks::<Machine>(),
            Family::RiscV => self.masks::<riscv::machine::Machine>(),
        }
    }

    fn masks<M: Simulated>(&self) -> anyhow::Result<Outcome> {
        let firmware = M::open(&self.machine, &self.elf)?;
        let mut simulation = Simulation::<M>::new(&firmware, &self.machine, Sink::Divert)?;
        let points = [self.from.as_ref(), self.to.as_ref()];
        let [from, to] = point::edges(&firmware, simulation.machine.clock_hz(), points)?;
        let mut window = Window::new(from, to);
        let mut watch = Masks::default();
        let mut found = Found::new(&firmware);
        let end = simulation.advance_stepwise(|machine, from| {
            window.look(machine, from);
            let mask = machine.mask(&mut watch, from).filter(|mask| window.holds(mask.start));
            mask.into_iter().for_each(|mask| found.add(mask));
        })?;
        let is_all = from.is_none() && to.is_none();
        let machine = &simulation.machine;
        let report = Report {
            file: firmware.path.display().to_string(),
            board: machine.board_name(),
            cycles: machine.cycle(),
            instructions: machine.instructions(),
            window: (!is_all).then(|| WindowReport {
                from: self.from.as_ref().map(Point::text),
                to: self.to.as_ref().map(Point::text),
                times: window.times(),
                cycles: window.cycles(machine.cycle()),
            }),
            masked_cycles: found.cycles,
            masks: found.rows(),
        };
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text(self.top))?;
        }
        self.judge(&simulation, &end, &report)
    }

    /// Returns how the command ends.
    fn judge<M: Simulated>(
        &self,
        simulation: &Simulation<'_, M>,
        end: &Advance,
        report: &Report,
    ) -> anyhow::Result<Outcome> {
        if simulation.tell_death(end) {
            return Ok(Outcome::Died);
        }
        if let Some(window) = report.window.as_ref().filter(|window| window.times == 0) {
            output::complain(&format!(
                "nothing to show: {} was never reached in {} cycles",
                window.from.as_deref().unwrap_or_default(),
                grouped(report.cycles)
            ));
            return Ok(Outcome::NothingFound);
        }
        let too_long = |row: &&Row| self.limit.is_some_and(|limit| row.cycles > limit);
        let Some(row) = report.masks.iter().find(too_long) else { return Ok(Outcome::Done) };
        output::complain(&format!(
            "interrupts are held off for {} cycles by {}, from {:#010x} in cycle {} on: more than \
             {}. Do less there, or lower its ceiling",
            grouped(row.cycles),
            row.words,
            row.address,
            grouped(row.start_cycle),
            self.limit.map(grouped).unwrap_or_default(),
        ));
        Ok(Outcome::Failed)
    }
}

/// The masks.
pub(super) fn mask_table<'a>(masks: impl Iterator<Item = &'a Row>) -> Table {
    let heads = ["held off by", "register", ">longest", ">instructions", ">in cycle", ">times"];
    let mut rows = table(&heads);
    for row in masks {
        rows.add_row([
            row.words.clone(),
            row.register.clone(),
            grouped(row.cycles),
            grouped(row.instructions),
            grouped(row.start_cycle),
            grouped(row.count),
        ]);
    }
    rows
}

impl WindowReport {
    fn text(&self) -> String {
        let from = self.from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
        let to = self.to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
        match self.times {
            1 => format!(",{from}{to}"),
            times => format!(",{from}{to}, {} times", grouped(times)),
        }
    }
}

impl Report {
    fn text(&self, top: usize) -> String {
        let cycles = self.window.as_ref().map_or(self.cycles, |window| window.cycles);
        let inside = self.window.as_ref().map_or(String::new(), WindowReport::text);
        if self.masks.is_empty() {
            return format!(
                "Interrupts are never held off in {} cycles{inside}.\n",
                grouped(cycles)
            );
        }
        let top = if top == 0 { self.masks.len() } else { top };
        let mut text = table::text(&mask_table(self.masks.iter().take(top)));
        let others = self.masks.len().saturating_sub(top);
        if others > 0 {
            text.push_str(&format!("and {others} shorter ones: --top 0 shows all\n"));
        }
        let share = share(self.masked_cycles, cycles);
        text.push_str(&format!(
            "\nInterrupts are held off for {} of {} cycles, {share:.2} %{inside}.\n",
            grouped(self.masked_cycles),
            grouped(cycles)
        ));
        text
    }
}
