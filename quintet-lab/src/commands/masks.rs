//! `quintet masks`: how long firmware holds interrupts off, and where.

use super::options::{MachineOptions, parse_count};
use crate::debug::Place;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::masks::{Masked, Masks};
use crate::output;
use crate::report::death::examine;
use crate::report::table::{self, grouped, table};
use crate::simulation::{Advance, Simulation, Sink};
use quintet_sim::machine::Machine;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How many functions a row names: those nearest to what the user wrote.
const FUNCTIONS_MAX: usize = 4;

const EXAMPLES: &str = "\
Examples:
  quintet masks app                         until it ends, or for 1 000 000 000 cycles
  quintet masks app --top 0                 every place, not only the ten longest
  quintet masks app --limit 200             exit with 1 if interrupts are held off for longer
  quintet masks app --json | jq '.masks[0].cycles'

Interrupts are held off while PRIMASK or FAULTMASK is set, or BASEPRI is not 0;
a BASEPRI that holds off the switch of threads alone does not count. A row is a
place that begins it, with the longest of its times: the cycles that an interrupt
which is held off waits for this place at the most. The time of more urgent
interrupts, which come in between, is theirs, not the place's. It is what
happened in this run. What the firmware prints goes to standard error.";

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
    /// Cycles in which interrupts were held off.
    masked_cycles: u64,
    masks: Vec<Row>,
}

/// The masks that one place begins; of the figures, those of the longest.
#[derive(Serialize)]
struct Row {
    #[serde(skip)]
    words: String,
    register: String,
    address: u32,
    places: Vec<Place>,
    cycles: u64,
    instructions: u64,
    start_cycle: u64,
    count: u64,
}

/// All masks of a run, by what asks for them.
struct Found<'a> {
    firmware: &'a Firmware,
    by_address: BTreeMap<u32, (Masked, u64)>,
    cycles: u64,
}

impl Found<'_> {
    fn add(&mut self, mask: Masked) {
        self.cycles += mask.cycles;
        let place = mask.place(self.firmware);
        let (longest, count) = self.by_address.entry(place).or_insert((mask, 0));
        *count += 1;
        if mask.cycles > longest.cycles {
            *longest = mask;
        }
    }

    /// The longest first. What is inlined at several addresses is one place.
    fn rows(&self) -> Vec<Row> {
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
        let firmware = self.machine.open(&self.elf)?;
        let mut simulation = Simulation::new(&firmware, &self.machine, Sink::Divert)?;
        let mut watch = Masks::default();
        let mut found = Found { firmware: &firmware, by_address: BTreeMap::new(), cycles: 0 };
        let mut at = simulation.machine.pc();
        let end = simulation.advance_stepwise(|machine| {
            let from = std::mem::replace(&mut at, machine.pc());
            watch.look(machine, from).into_iter().for_each(|mask| found.add(mask));
        })?;
        let machine = &simulation.machine;
        let report = Report {
            file: firmware.path.display().to_string(),
            board: self.machine.board.clone(),
            cycles: machine.cycle(),
            instructions: machine.instructions(),
            masked_cycles: found.cycles,
            masks: found.rows(),
        };
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text(self.top))?;
        }
        self.judge(&firmware, machine, &end, &report)
    }

    /// How the command ends.
    fn judge(
        &self,
        firmware: &Firmware,
        machine: &Machine,
        end: &Advance,
        report: &Report,
    ) -> anyhow::Result<Outcome> {
        if let Advance::Ended(cause) = end
            && cause.outcome() == Outcome::Died
        {
            output::complain(examine(firmware, machine, cause).text().trim_end());
            return Ok(Outcome::Died);
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

impl Report {
    fn text(&self, top: usize) -> String {
        if self.masks.is_empty() {
            return format!("Interrupts are never held off in {} cycles.\n", grouped(self.cycles));
        }
        let heads = ["held off by", "register", ">longest", ">instructions", ">in cycle", ">times"];
        let mut rows = table(&heads);
        let top = if top == 0 { self.masks.len() } else { top };
        for row in self.masks.iter().take(top) {
            rows.add_row([
                row.words.clone(),
                row.register.clone(),
                grouped(row.cycles),
                grouped(row.instructions),
                grouped(row.start_cycle),
                grouped(row.count),
            ]);
        }
        let mut text = table::text(&rows);
        let others = self.masks.len().saturating_sub(top);
        if others > 0 {
            text.push_str(&format!("and {others} shorter ones: --top 0 shows all\n"));
        }
        let share = self.masked_cycles as f64 / self.cycles.max(1) as f64 * 100.0;
        text.push_str(&format!(
            "\nInterrupts are held off for {} of {} cycles, {share:.2} %.\n",
            grouped(self.masked_cycles),
            grouped(self.cycles)
        ));
        text
    }
}
