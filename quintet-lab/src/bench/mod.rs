//! The benchmark tables: firmware built now, simulated, and set beside what documents publish.
//!
//! A *group* is a table: a scenario file of the firmware workspace (`benches/scenarios/NAME.toml`,
//! see [`scenario`]) and the binary that it names. [`build`] compiles the binary, [`measure`] runs
//! it and times its marks, [`figures`] finds the documents' figures and the floors, [`pins`]
//! remembers what was accepted, [`table`] prints. A new group needs no change here.

pub mod build;
pub mod figures;
pub mod measure;
pub mod pins;
pub mod scenario;
pub mod table;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use quintet_sim::board::Board;
use serde::Serialize;

use figures::{Figure, Figures};
use scenario::{Scenario, What};

/// Every table that was asked for: the form of `bench --json`.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The tables.
    pub groups: Vec<Group>,
}

/// One table.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// Its name, which is the scenario file's.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The board that it was simulated on.
    pub board: String,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A row of a table. A figure that does not exist is none.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// What `cycles`, `document` and `floor` count.
    pub unit: Unit,
    /// Instructions executed.
    pub instructions: Option<u64>,
    /// The figure: cycles, or bytes where the unit says so. In a halting group it is taken as the
    /// documents did, by a debugger that halts at each mark.
    pub cycles: Option<u64>,
    /// Cycles of firmware that nobody halts; none where `cycles` is that.
    pub undisturbed: Option<u64>,
    /// The document's figure.
    pub document: Option<Figure>,
    /// The least that the hardware allows.
    pub floor: Option<Figure>,
    /// What a reader should know.
    pub note: Option<String>,
    /// What other systems take for the same.
    pub peers: BTreeMap<String, Peer>,
}

/// A peer's figures.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Peer {
    /// Instructions executed.
    pub instructions: Option<u64>,
    /// Cycles.
    pub cycles: Option<u64>,
}

/// What a row counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Processor cycles.
    Cycles,
    /// Bytes of memory.
    Bytes,
}

/// Builds and measures a group, on its own board or on another.
pub fn run(root: &Path, scenario: &Scenario, board: Option<&str>) -> Result<Group> {
    let board = Board::find(board.unwrap_or(&scenario.board))?;
    let figures = Figures::built_in()?;
    let free =
        measure::undisturbed(&build::firmware(root, scenario, &board, false)?, scenario, &board)
            .with_context(|| format!("the firmware of group \"{}\"", scenario.name))?;
    let halted = match scenario.halting {
        true => Some(
            measure::halting(&build::firmware(root, scenario, &board, true)?, scenario, &board)
                .with_context(|| format!("the halting firmware of group \"{}\"", scenario.name))?,
        ),
        false => None,
    };
    let rows = scenario.rows.iter().enumerate().map(|(index, row)| {
        let undisturbed = &free[index];
        let main = halted.as_ref().map_or(undisturbed, |halted| &halted[index]);
        let is_time = matches!(row.what()?, What::Marks(_));
        Ok(Row {
            name: row.name.clone(),
            unit: if is_time { Unit::Cycles } else { Unit::Bytes },
            instructions: main.instructions,
            cycles: Some(main.figure),
            undisturbed: (is_time && halted.is_some()).then_some(undisturbed.figure),
            document: row.document.as_deref().map(|key| figures.document(key)).transpose()?,
            floor: row.floor.as_deref().map(|key| figures.floor(key)).transpose()?,
            note: row.note.clone(),
            peers: BTreeMap::new(),
        })
    });
    Ok(Group {
        name: scenario.name.clone(),
        title: scenario.title.clone(),
        board: board.name,
        rows: rows.collect::<Result<_>>()?,
    })
}
