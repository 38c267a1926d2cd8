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
    /// The actions of the outside world.
    pub inputs: Option<Script>,
    /// The text that the firmware must print.
    pub prints: Option<String>,
}

impl Runner<'_> {
    /// Returns a system's figures for each row. `None` if the row says that the system has none.
    /// With `halting`, a debugger halts at each mark, and only rows that can be measured so have
    /// figures.
    pub fn measure(
        &self,
        column: &str,
        program: &Program<'_>,
        halting: bool,
    ) -> Result<Vec<Option<Column>>> {
        let rows = &self.scenario.rows;
        let is_asked = |row: &&RowScenario| {
            !row.without.contains_key(column) && (!halting || row.can_be_halted())
        };
        let builds = std::iter::once(None).chain(self.scenario.variants.iter().map(Some));
        let mut figures = vec![Parts::default(); rows.len()];
        for variant in builds {
            let name = variant.map(|variant| variant.name.as_str());
            let belongs = |row: &RowScenario| is_asked(&row) && Parts::of(row, name).is_some();
            let here = rows.iter().enumerate().filter(|(_, row)| belongs(row));
            let (indices, here): (Vec<usize>, Vec<&RowScenario>) = here.unzip();
            if here.is_empty() {
                continue;
            }
            let measured = self.measure_build(program, variant, halting, &here)?;
            for (index, measured) in indices.into_iter().zip(measured) {
                match Parts::of(&rows[index], name) {
                    Some(Part::Before) => figures[index].before = Some(measured),
                    _ => figures[index].take(measured),
                }
            }
        }
        let finish = |(parts, row): (Parts, &RowScenario)| parts.finish(row).map(Column::from);
        Ok(figures.into_iter().zip(rows).map(finish).collect())
    }

    fn measure_build(
        &self,
        program: &Program<'_>,
        variant: Option<&Variant>,
        halting: bool,
        rows: &[&RowScenario],
    ) -> Result<Vec<Measured>> {
        let features = variant.map_or(&[][..], |variant| &variant.features);
        let binary =
            variant.and_then(|variant| match (program.directory, &variant.binary_of_ours) {
                (None, Some(ours)) => Some(ours.as_str()),
                _ => variant.binary.as_deref(),
            });
        let program = Program { binary: binary.unwrap_or(program.binary), ..*program };
        let profile = variant.and_then(|variant| variant.profile.as_deref());
        let wanted = Build { program, features, profile, halting, board: self.board };
        let firmware = build::firmware(self.root, &wanted)?;
        let machine = build::machine(self.board, &firmware, self.inputs.as_ref())?;
        let prints = self.prints.as_deref();
        let subject = Subject { firmware: &firmware, machine, prints, rows };
        let measured = if halting { subject.halting() } else { subject.undisturbed() };
        measured
            .with_context(|| format!("{} for group \"{}\"", wanted.in_words(), self.scenario.name))
    }
}

/// The use of a build for a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// The build that is subtracted.
    Before,
    /// The build in which the row is measured.
    Now,
}

/// The figures of a row, by the builds that the row asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) before: Option<Measured>,
    now: Option<Measured>,
}

impl Parts {
    /// Returns the use of a build for a row; `None` if the row does not ask for the build.
    pub(super) fn of(row: &RowScenario, build: Option<&str>) -> Option<Part> {
        let is_further = build.is_some_and(|name| row.also.iter().any(|also| also == name));
        if row.variant.as_deref() == build || is_further {
            Some(Part::Now)
        } else if row.each.is_some() && row.than.as_deref() == build {
            Some(Part::Before)
        } else {
            None
        }
    }

    /// Another figure of the row itself: the longest counts, of equals the first.
    pub(super) fn take(&mut self, measured: Measured) {
        if self.now.as_ref().is_none_or(|now| measured.figure > now.figure) {
            self.now = Some(measured);
        }
    }

    /// The row's figure.
    pub(super) fn finish(self, row: &RowScenario) -> Option<Measured> {
        let now = self.now?;
        let (Some(each), Some(before)) = (row.each, self.before) else { return Some(now) };
        let difference = now.figure.0 - before.figure.0;
        let share = difference / f64::from(each) - f64::from(row.contents);
        Some(Measured { figure: Figure(share), ..now })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_measured_in_both_builds() {
        let row = "name = 'r'\nsize = 'ram'\neach = 8\nvariant = 'v'";
        let mut row: RowScenario = toml::from_str(row).unwrap();
        assert_eq!(Parts::of(&row, None), Some(Part::Before));
        assert_eq!(Parts::of(&row, Some("v")), Some(Part::Now));
        assert_eq!(Parts::of(&row, Some("w")), None);
        let bytes =
            |bytes| Measured { instructions: None, figure: Figure(bytes), bare: None, place: None };
        let parts = Parts { before: Some(bytes(100.0)), now: Some(bytes(132.0)) };
        assert_eq!(parts.clone().finish(&row), Some(bytes(4.0)));
        row.contents = 3;
        assert_eq!(parts.finish(&row), Some(bytes(1.0)));
    }

    #[test]
    fn the_longest_of_several_builds_counts() {
        let row: RowScenario =
            toml::from_str("name = 'r'\nmasked = ['a', 'b']\nalso = ['v']").unwrap();
        let parts = [None, Some("v"), Some("w")].map(|build| Parts::of(&row, build));
        assert_eq!(parts, [Some(Part::Now), Some(Part::Now), None]);
        let mut parts = Parts::default();
        for cycles in [20.0, 30.0, 25.0] {
            let figure = Figure(cycles);
            parts.take(Measured { instructions: None, figure, bare: None, place: None });
        }
        assert_eq!(parts.finish(&row).unwrap().figure, Figure(30.0));
    }

    #[test]
    fn other_rows_are_measured_in_their_build_only() {
        let row: RowScenario = toml::from_str("name = 'r'\nsize = 'ram'").unwrap();
        assert_eq!((Parts::of(&row, None), Parts::of(&row, Some("v"))), (Some(Part::Now), None));
    }
}
