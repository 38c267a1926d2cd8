//! A column of a table: one system's figures for every row, from as many builds as the rows name.

use std::path::Path;

use anyhow::{Context, Result};
use quintet_sim::board::Board;
use quintet_sim::script::Script;

use super::Column;
use super::build::{self, Build, Program};
use super::figures::Figure;
use super::measure::{Measured, Subject};
use super::row::RowScenario;
use super::scenario::{Scenario, Variant};

/// Measures columns.
pub struct Runner<'a> {
    /// The project's tree.
    pub root: &'a Path,
    /// The group.
    pub scenario: &'a Scenario,
    /// The board.
    pub board: &'a Board,
    /// What the world does.
    pub inputs: Option<&'a Script>,
}

impl Runner<'_> {
    /// The figures of a system for each row; none where the row says that it has none.
    pub fn measure(
        &self,
        column: &str,
        program: &Program<'_>,
        halting: bool,
    ) -> Result<Vec<Option<Column>>> {
        let rows = &self.scenario.rows;
        let is_asked = |row: &&RowScenario| !row.without.contains_key(column);
        let builds = std::iter::once(None).chain(self.scenario.variants.iter().map(Some));
        let mut figures = vec![None; rows.len()];
        for variant in builds {
            let name = variant.map(|variant| variant.name.as_str());
            // A share of a difference is measured in the group's own build too.
            let belongs = |row: &RowScenario| {
                row.variant.as_deref() == name || name.is_none() && row.each.is_some()
            };
            let here = rows.iter().enumerate().filter(|(_, row)| is_asked(row) && belongs(row));
            let (indices, here): (Vec<usize>, Vec<&RowScenario>) = here.unzip();
            if here.is_empty() {
                continue;
            }
            let measured = self.measure_build(program, variant, halting, &here)?;
            for (index, measured) in indices.into_iter().zip(measured) {
                let whole = figures[index].take();
                figures[index] = Some(share(&rows[index], whole, measured));
            }
        }
        Ok(figures.into_iter().map(|measured| measured.map(Column::from)).collect())
    }

    fn measure_build(
        &self,
        program: &Program<'_>,
        variant: Option<&Variant>,
        halting: bool,
        rows: &[&RowScenario],
    ) -> Result<Vec<Measured>> {
        let features = variant.map_or(&[][..], |variant| &variant.features);
        let binary = variant.and_then(|variant| variant.binary.as_deref());
        let program = Program { binary: binary.unwrap_or(program.binary), ..*program };
        let wanted = Build { program, features, halting, board: self.board };
        let firmware = build::firmware(self.root, &wanted)?;
        let subject = Subject { firmware: &firmware, board: self.board, inputs: self.inputs, rows };
        let measured = if halting { subject.halting() } else { subject.undisturbed() };
        measured
            .with_context(|| format!("{} for group \"{}\"", wanted.in_words(), self.scenario.name))
    }
}

/// The figure of a row, once the last of its builds has been measured. `before` is that of the
/// group's own build, where the row asks for both.
fn share(row: &RowScenario, before: Option<Measured>, now: Measured) -> Measured {
    match (row.each, before) {
        (Some(each), Some(before)) => {
            let difference = now.figure.0 - before.figure.0;
            Measured { figure: Figure(difference / f64::from(each)), ..now }
        }
        _ => now,
    }
}
