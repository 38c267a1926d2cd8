//! `cargo proof bounds`: whether the static bounds hold, over everything that is run.
//!
//! Each program of the examples, of Quintet's tests and of the benches is analysed and then run.
//! Each activation of a function that nothing interrupts is compared with the function's bounds:
//! the command fails where one took more cycles or more bytes of stack. A bench has no input of its
//! own: where it sleeps for ever, its interrupts are pended, one after the other.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use quintet_lab::bench::build::{self, Build, Program};
use quintet_lab::bench::scenario;
use quintet_lab::bounds::annotations::Annotations;
use quintet_lab::bounds::check::{Compared, compare, mean_ratio};
use quintet_lab::bounds::observe::Recorder;
use quintet_lab::bounds::{Analysis, Conditions};
use quintet_lab::firmware::Firmware;
use quintet_lab::report::table::{self, table};
use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop};

use crate::collections::COLLECTIONS;
use crate::firmware::{build_in, root};

/// No program is followed for longer. Bounds are of functions, and programs repeat themselves.
const CYCLES_MAX: u64 = 20_000_000;

/// `--quick` looks at so many programs of each collection and of the benches: each one of so many.
const QUICK: usize = 12;

/// A bench's interrupts are pended so often.
const ROUNDS: usize = 3;

/// Check that no function of the examples, the tests and the benches breaks its bounds
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Run only these programs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Run one of twelve programs
    #[arg(long, conflicts_with = "names")]
    quick: bool,
}

/// What was compared in a program.
struct Row {
    name: String,
    board: String,
    /// Functions with both bounds, and all.
    bounded: (usize, usize),
    compared: Vec<Compared>,
}

impl Arguments {
    /// Analyses and runs the programs.
    pub fn run(&self) -> Result<()> {
        let mut rows = Vec::new();
        for collection in &COLLECTIONS {
            let names = self.chosen(collection.names()?);
            // The timing of ARMv6-M's cores is not modelled.
            if names.is_empty() || collection.target.starts_with("thumbv6m") {
                continue;
            }
            let images = build_in(&collection.path(), &[], collection.target)?;
            for name in names {
                let image = images.join(&name);
                let machine = collection.load(&name, &image)?;
                rows.push(check(&name, &Firmware::open(&image, None)?, machine)?);
            }
        }
        for (place, Bench { name, binary, features, board }) in benches()?.into_iter().enumerate() {
            if self.quick && place % QUICK != 0 {
                continue;
            }
            if !self.names.is_empty() && !self.names.contains(&binary) {
                continue;
            }
            let board = Board::named(&board)?;
            let program = Program { directory: None, binary: &binary, features: &features };
            let wanted =
                Build { program, features: &[], profile: None, halting: false, board: &board };
            let firmware = build::firmware(&root(), &wanted)?;
            let mut machine = Machine::new(&board);
            machine.load(&firmware.image)?;
            machine.reset();
            rows.push(check(&name, &firmware, machine)?);
        }
        ensure!(!rows.is_empty(), "there is no program {}", self.names.join(" "));
        print!("{}", text(&rows));
        let broken: Vec<String> = rows.iter().flat_map(Row::broken).collect();
        ensure!(broken.is_empty(), "bounds that do not hold:\n{}", broken.join("\n"));
        Ok(())
    }

    /// Those that are wanted: all, if none is named.
    fn chosen(&self, names: Vec<String>) -> Vec<String> {
        let is_wanted = |name: &String| self.names.is_empty() || self.names.contains(name);
        let step = if self.quick { QUICK } else { 1 };
        names.into_iter().filter(is_wanted).step_by(step).collect()
    }
}

/// A bench: a binary with features, for a board.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Bench {
    name: String,
    binary: String,
    features: Vec<String>,
    board: String,
}

/// What the groups of the benches build of ours, each once.
fn benches() -> Result<BTreeSet<Bench>> {
    let mut all = BTreeSet::new();
    for scenario in scenario::load(&root(), &[])? {
        let further = scenario.forms.iter().map(|form| (&form.binary, &form.features[..]));
        for (binary, features) in std::iter::once((&scenario.binary, &[][..])).chain(further) {
            let features = [&scenario.features[..], features].concat();
            let name = [&[binary.clone()][..], &features].concat().join(" ");
            let (binary, board) = (binary.clone(), scenario.board.clone());
            all.insert(Bench { name, binary, features, board });
        }
    }
    Ok(all)
}

fn check(name: &str, firmware: &Firmware, mut machine: Machine) -> Result<Row> {
    let board = machine.board().clone();
    let annotations = Annotations::default();
    let conditions = Conditions {
        board: &board,
        vector_table: machine.vector_table(),
        annotations: &annotations,
        observed: None,
        wait_states: None,
        breakpoints_are_free: true,
        cuts_at_masks: false,
    };
    let analysis = Analysis::new(firmware, conditions)?;
    let mut recorder = Recorder::new(&analysis, &machine);
    let mut left: Vec<u16> = Vec::new();
    for _ in 0..ROUNDS {
        left.extend(analysis.handlers().iter().map(|one| one.exception).filter(|one| *one >= 16));
    }
    while machine.cycle() < CYCLES_MAX {
        let from = machine.pc();
        let stop = machine.step();
        recorder.look(&machine, from);
        match (stop, left.last()) {
            (None, _) => {}
            (Some(Stop::Asleep), Some(exception)) => {
                machine.pend(*exception);
                left.pop();
            }
            _ => break,
        }
    }
    let observed = recorder.into_observed(&machine);
    let bounds = analysis.bounds();
    let bounded = bounds.values().filter(|bound| bound.is_bounded()).count();
    Ok(Row {
        name: name.to_owned(),
        board: board.name.clone(),
        bounded: (bounded, bounds.len()),
        compared: compare(firmware, &analysis, &observed),
    })
}

impl Row {
    fn broken(&self) -> Vec<String> {
        let broken = self.compared.iter().filter(|one| one.is_broken());
        let line = |one: &Compared| {
            format!(
                "{} ({}): {} took {} cycles and {} bytes of stack; its bounds are {} and {}",
                self.name,
                self.board,
                one.function,
                one.observed_cycles,
                one.observed_stack,
                one.cycles.map_or("none".into(), |cycles| cycles.to_string()),
                one.stack.map_or("none".into(), |stack| stack.to_string()),
            )
        };
        broken.map(line).collect()
    }
}

fn text(rows: &[Row]) -> String {
    let columns = ["program", "board", ">functions", ">bounded", ">compared", ">bound / observed"];
    let mut shown = table(&columns);
    for row in rows {
        shown.add_row([
            row.name.clone(),
            row.board.clone(),
            row.bounded.1.to_string(),
            row.bounded.0.to_string(),
            row.compared.len().to_string(),
            mean_ratio(&row.compared).map_or(String::new(), |ratio| format!("{ratio:.2}")),
        ]);
    }
    let all: Vec<Compared> = rows.iter().flat_map(|row| row.compared.iter().cloned()).collect();
    let mean = mean_ratio(&all).map_or(String::new(), |mean| format!("; on average {mean:.2}"));
    let mut text = table::text(&shown);
    text.push_str(&format!("{} comparisons in {} programs{mean}\n", all.len(), rows.len()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_does_not_hold_is_named() {
        let compared = Compared {
            function: "app::step".into(),
            entry: 0x100,
            times: 1,
            cycles: Some(9),
            observed_cycles: 10,
            stack: None,
            observed_stack: 8,
        };
        let row = Row {
            name: "app".into(),
            board: "lm3s6965".into(),
            bounded: (1, 2),
            compared: vec![compared],
        };
        let expected = "app (lm3s6965): app::step took 10 cycles and 8 bytes of stack; its bounds \
                        are 9 and none";
        assert_eq!(row.broken(), [expected]);
        assert!(text(&[row]).contains("1 comparisons in 1 programs; on average 0.90"));
    }

    #[test]
    fn a_program_that_is_not_there_is_refused() {
        let arguments = Arguments { names: vec!["nothing".into()], quick: false };
        let message = arguments.run().unwrap_err().to_string();
        assert_eq!(message, "there is no program nothing");
    }
}
