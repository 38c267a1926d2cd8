//! A group on a chip, beside the simulator: halted at the marks of each row, by the cycle counter.
//!
//! A row begins at a reset, and each of its pairs too. The chip is let go to the pair's first mark,
//! then to its second, as often as the simulator comes there, at most 20 times.
//! So the chip stays away from the end of the firmware, where some servers leave. The simulator is
//! measured by the same client, through its own server.
//!
//! Not measured are bytes, masks (nothing halts where one begins), and rows of other builds, which
//! would need another program in the chip.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use quintet_sim::board::Board;
use serde::Serialize;

use super::build::{self, Build, Program};
use super::figures::Figure;
use super::measure::{Marks, Measured, Subject};
use super::row::{Occurrence, RowScenario, What};
use super::scenario::Scenario;
use super::{inputs, peers, prints};
use crate::chip::{Chip, EFFECTS, Options, Reached, check_code, simulated, why};
use crate::ctrl_c;
use crate::firmware::Firmware;
use crate::gdb::client::Remote;
use crate::report::table::{self, table};

/// The most occurrences of a pair: each takes a server some hundredths of a second.
const OCCURRENCES_MAX: usize = 20;

/// What is measured, and where: the form of `bench --gdb-remote --json`.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The version of the tool.
    pub tool: &'static str,
    /// The tables.
    pub groups: Vec<Table>,
    /// What halting does to a count.
    pub effects: Vec<&'static str>,
}

impl Report {
    /// Of these tables.
    pub fn new(groups: Vec<Table>) -> Self {
        Self { tool: env!("CARGO_PKG_VERSION"), groups, effects: EFFECTS.to_vec() }
    }
}

/// A group's table.
#[derive(Debug, Serialize)]
pub struct Table {
    /// The group's name.
    pub name: String,
    /// The subject of the group.
    pub title: String,
    /// The firmware that was measured.
    pub file: String,
    /// How it was built: compiler and profile.
    pub build: String,
    /// The server.
    pub remote: String,
    /// The processor behind it, by its own number.
    pub processor: String,
    /// What counts on the chip.
    pub counter: &'static str,
    /// The board that was simulated.
    pub board: String,
    /// The rows.
    pub rows: Vec<Row>,
    /// The rows that no chip is asked for, and why.
    pub left_out: Vec<LeftOut>,
}

/// A row, in cycles.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The subject of the measurement.
    pub name: String,
    /// By the chip's counter; null if the chip did not come to the marks.
    pub chip: Option<Figure>,
    /// The simulator, halted in the same way.
    pub simulator: Option<Figure>,
    /// The simulator, not halted.
    pub undisturbed: Option<Figure>,
    /// Each occurrence of each pair of marks.
    pub chip_counts: Vec<Vec<u64>>,
    /// The same of the simulator.
    pub simulator_counts: Vec<Vec<u64>>,
    /// Why occurrences of the chip are missing; null if none is.
    pub ended: Option<String>,
}

/// A row that is not measured.
#[derive(Debug, Serialize)]
pub struct LeftOut {
    /// The row.
    pub name: String,
    /// Why.
    pub why: &'static str,
}

/// Builds a group's firmware for a board.
pub fn firmware(root: &Path, scenario: &Scenario, board: &Board) -> Result<Firmware> {
    let (binary, features) = (&*scenario.binary, &*scenario.features);
    let program = Program { directory: None, binary, features };
    build::firmware(root, &Build { program, features: &[], profile: None, halting: false, board })
}

/// Measures a group on a chip and in the simulator.
pub fn run(
    root: &Path,
    scenario: &Scenario,
    board: Option<&str>,
    (options, address): (&Options, &str),
) -> Result<Table> {
    options.check_reset()?;
    let board = Board::find(board.unwrap_or(&scenario.board))?;
    let firmware = firmware(root, scenario, &board)?;
    let (rows, left_out) = chosen(&scenario.rows);
    ensure!(
        !rows.is_empty(),
        "group \"{}\" has no row that a chip can be asked for: they count bytes or masks, or are \
         of other builds",
        scenario.name
    );
    let (script, printed) = (inputs(root, scenario, &board)?, prints(root, scenario)?);
    let machine = build::machine(&board, &firmware, script.as_ref())?;
    let prints = printed.as_deref();
    let subject = Subject { firmware: &firmware, machine, prints, rows: &rows };
    let undisturbed = subject.undisturbed().with_context(|| scenario.name.clone())?;
    let marks = subject.addresses()?;
    let simulate = |pair: &[String; 2], row| {
        simulated::with(&board, &firmware, script.as_ref(), |chip| {
            Walk::new(&marks, &firmware, row, pair, OCCURRENCES_MAX).counts(chip)
        })
    };
    let counts = |row| pairs_of(row).into_iter().map(|pair| Ok(simulate(pair, row)?.0)).collect();
    let simulated = rows.iter().map(|row| counts(row)).collect::<Result<_>>()?;
    let expected = Expected { rows: &rows, simulated, undisturbed };
    let mut chip = Chip::new(Remote::connect(address)?, options.counter, options.time());
    let asked = ask(&mut chip, &options.monitor, &firmware, &marks, expected);
    let (processor, rows) = chip.leave(asked)?;
    Ok(Table {
        name: scenario.name.clone(),
        title: scenario.title.clone(),
        file: firmware.path.display().to_string(),
        build: peers::build_in_words(root)?,
        remote: address.to_owned(),
        processor,
        counter: options.counter.name(),
        board: board.name.clone(),
        rows,
        left_out,
    })
}

/// The rows, with what the simulator says of each.
struct Expected<'a> {
    rows: &'a [&'a RowScenario],
    simulated: Vec<Vec<Vec<u64>>>,
    undisturbed: Vec<Measured>,
}

/// Asks a chip for the rows. Returns its processor as well.
fn ask(
    chip: &mut Chip,
    resets: &[String],
    firmware: &Firmware,
    marks: &Marks<'_>,
    expected: Expected<'_>,
) -> Result<(String, Vec<Row>)> {
    chip.prepare(resets)?;
    let processor = chip.processor()?;
    for (name, addresses) in marks {
        for address in addresses {
            check_code(&mut chip.remote, firmware, (name, *address))?;
        }
    }
    let Expected { rows, simulated, undisturbed } = expected;
    let mut filled = Vec::new();
    for ((row, simulator_counts), free) in rows.iter().zip(simulated).zip(undisturbed) {
        let (mut chip_counts, mut ended) = (Vec::new(), None);
        for (pair, counts) in pairs_of(row).into_iter().zip(&simulator_counts) {
            chip.prepare(resets)?;
            let walk = Walk::new(marks, firmware, row, pair, counts.len().max(1));
            let (counts, why) = walk.counts(chip)?;
            chip_counts.push(counts);
            ended = ended.or(why);
        }
        filled.push(Row {
            name: row.name.clone(),
            chip: figure(row, &chip_counts),
            simulator: figure(row, &simulator_counts),
            undisturbed: Some(free.figure),
            chip_counts,
            simulator_counts,
            ended,
        });
    }
    Ok((processor, filled))
}

/// The rows that a chip can be asked for, and the others.
fn chosen(rows: &[RowScenario]) -> (Vec<&RowScenario>, Vec<LeftOut>) {
    let (mut asked, mut left_out) = (Vec::new(), Vec::new());
    for row in rows {
        match why_not(row) {
            None => asked.push(row),
            Some(why) => left_out.push(LeftOut { name: row.name.clone(), why }),
        }
    }
    (asked, left_out)
}

fn why_not(row: &RowScenario) -> Option<&'static str> {
    let what = row.what().ok();
    let is_period = |pairs: &[[String; 2]]| pairs.iter().any(|[from, to]| from == to);
    match what {
        Some(What::Masked(_)) => Some("a mask"),
        Some(What::Marks(_)) if row.variant.is_some() || row.each.is_some() => {
            Some("of another build")
        }
        Some(What::Marks(_)) if !row.also.is_empty() => Some("of several builds"),
        Some(What::Marks(pairs)) if is_period(pairs) => Some("between one mark and itself"),
        Some(What::Marks(_)) => None,
        _ => Some("bytes"),
    }
}

/// The pairs of marks of a row: its own, then those without a framework if they are taken off.
fn pairs_of(row: &RowScenario) -> Vec<&[String; 2]> {
    let Ok(What::Marks(pairs)) = row.what() else { return Vec::new() };
    let bare = row.bare.iter().flatten().filter(|_| row.beyond_bare);
    pairs.iter().chain(bare).collect()
}

/// The figure of a row; `None` if a pair has no occurrence.
fn figure(row: &RowScenario, counts: &[Vec<u64>]) -> Option<Figure> {
    let Ok(What::Marks(pairs)) = row.what() else { return None };
    let mut sum = 0.0;
    for (number, all) in counts.iter().enumerate() {
        let one = match row.occurrence {
            Occurrence::Longest => *all.iter().max()? as f64,
            Occurrence::Shortest => *all.iter().min()? as f64,
            Occurrence::Mean if all.is_empty() => return None,
            Occurrence::Mean => {
                let mean = all.iter().sum::<u64>() as f64 / all.len() as f64;
                (mean * 10.0).round() / 10.0
            }
        };
        sum += if number < pairs.len() { one } else { -one };
    }
    (!counts.is_empty()).then_some(Figure(sum))
}

/// The way of a chip along a pair of marks.
struct Walk<'a> {
    firmware: &'a Firmware,
    from: (&'a str, &'a [u32]),
    to: (&'a str, &'a [u32]),
    window: Option<[(&'a str, &'a [u32]); 2]>,
    most: usize,
}

/// Counts, and why there are no more.
type Counts = (Vec<u64>, Option<String>);

impl<'a> Walk<'a> {
    fn new(
        marks: &'a Marks<'_>,
        firmware: &'a Firmware,
        row: &'a RowScenario,
        [from, to]: &'a [String; 2],
        most: usize,
    ) -> Self {
        let at = |name: &'a String| {
            let addresses = marks.get(name.as_str()).map_or(&[][..], Vec::as_slice);
            (name.as_str(), addresses)
        };
        let window = row.within.as_ref().map(|[from, to]| [at(from), at(to)]);
        Self { firmware, from: at(from), to: at(to), window, most }
    }

    /// Goes along it from the reset on.
    fn counts(&self, chip: &mut Chip) -> Result<Counts> {
        let mut counts = Vec::new();
        let mut at = None;
        let end = self.window.map_or(&[][..], |[_, (_, end)]| end);
        if let Some([window, _]) = self.window {
            match self.reach(chip, window)? {
                Ok(place) => at = Some(place),
                Err(why) => return Ok((counts, Some(why))),
            }
        }
        let starts = [self.from.1, end].concat();
        while counts.len() < self.most {
            if ctrl_c::is_pressed() {
                return Ok((counts, Some("Ctrl-C".to_owned())));
            }
            if !at.is_some_and(|place| self.from.1.contains(&place)) {
                match self.reach(chip, (self.from.0, &starts))? {
                    Ok(place) if self.from.1.contains(&place) => {}
                    Ok(_) => break,
                    Err(why) => return Ok((counts, Some(why))),
                }
            }
            let began = chip.read_counter()?;
            match self.reach(chip, self.to)? {
                Ok(place) => at = Some(place),
                Err(why) => return Ok((counts, Some(why))),
            }
            let ended = chip.read_counter()?;
            counts.push(chip.between(began, ended));
            if at.is_some_and(|place| end.contains(&place)) {
                break;
            }
        }
        Ok((counts, None))
    }

    /// Lets the chip run to a mark, or returns why it is not there.
    fn reach(
        &self,
        chip: &mut Chip,
        (name, addresses): (&str, &[u32]),
    ) -> Result<Result<u32, String>> {
        Ok(match chip.reach(addresses)? {
            Reached::Place(place) => Ok(place),
            reached => {
                let describe = |pc| self.firmware.describe(pc);
                Err(why(reached, name, chip.time(), &describe)?)
            }
        })
    }
}

impl Table {
    /// The table for people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}: {}, in cycles, halted at the marks\nchip: {}, {} by {}; simulator: {}\n",
            self.name, self.title, self.processor, self.remote, self.counter, self.board
        );
        let heads = ["row", ">chip", ">simulator", ">difference", ">not halted"];
        let mut rows = table(&heads);
        let shown = |figure: Option<Figure>| figure.map_or("-".to_owned(), |one| one.to_string());
        for row in &self.rows {
            let both = row.chip.zip(row.simulator);
            let difference = both.map_or("-".to_owned(), |(chip, simulator)| {
                let difference = simulator.0 - chip.0;
                if difference == 0.0 { "0".to_owned() } else { format!("{difference:+}") }
            });
            rows.add_row([
                row.name.clone(),
                shown(row.chip),
                shown(row.simulator),
                difference,
                shown(row.undisturbed),
            ]);
        }
        text.push_str(&table::text(&rows));
        for row in &self.rows {
            if let Some(why) = &row.ended {
                text.push_str(&format!("{}: {why}\n", row.name));
            }
        }
        let names = |why| {
            let those = self.left_out.iter().filter(|row| row.why == why);
            those.map(|row| &*row.name).collect::<Vec<_>>().join(", ")
        };
        let mut reasons: Vec<_> = self.left_out.iter().map(|row| row.why).collect();
        reasons.sort_unstable();
        reasons.dedup();
        for why in reasons {
            text.push_str(&format!("not measured, {why}: {}\n", names(why)));
        }
        text.push_str(&format!("What halting does: {}.\n", EFFECTS.join("; ")));
        text
    }
}
