//! Accepted figures: a row must not get worse than its pin unnoticed.
//!
//! `benches/pins/GROUP.BOARD.toml` maps each row's name to its figure. Further forms of ours stand
//! behind the row's name, as `ROW (FORM)`, and the instructions of a time behind that:
//! `ROW, instructions`. `bench --check` fails if a row is above its pin or has none.
//! `bench --accept` writes the file again, so that a change of a figure is a change in a commit.
//! Peers are not pinned, because their lock file has their versions.
//!
//! The place of functions in an image depends on the directory of the build, and the time for
//! fetching their instructions depends on that place. So cycles may be a little above their pin.
//! Instructions and bytes may not: a slower choice of instructions is rarely so small that only
//! cycles change. A long stretch of code meets interrupts sooner or later, which changes its
//! instructions by about as much.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::figures::Figure;
use super::published::{MOVES_BY, MOVES_BY_CYCLES};
use super::{Group, Row};
use crate::output;

const HEAD: &str = "\
# Accepted figures. `cargo lab bench --check` fails when a row gets worse than this;
# `cargo lab bench --accept` writes the file anew.

";

/// Up to this number, instructions must be equal. Beyond it, a share may be more.
const SHORT: f64 = 100.0;

/// A row that is worse than its accepted figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Regression {
    /// The row.
    pub row: String,
    /// The row's figure now.
    pub now: Figure,
    /// The accepted figure; `None` for a new row.
    pub accepted: Option<Figure>,
}

/// The rows of a group that are worse than their pins.
pub fn check(root: &Path, group: &Group) -> Result<Vec<Regression>> {
    let path = path(root, group);
    let pins: BTreeMap<String, Figure> = match std::fs::read_to_string(&path) {
        Ok(text) => toml::from_str(&text).with_context(|| path.display().to_string())?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
        Err(error) => return Err(error).context(path.display().to_string()),
    };
    Ok(compare(group, &pins))
}

/// Makes the group's figures its pins.
pub fn accept(root: &Path, group: &Group) -> Result<PathBuf> {
    let path = path(root, group);
    let pins: BTreeMap<_, _> = figures(group).map(|pinned| (pinned.row, pinned.now)).collect();
    let text = format!("{HEAD}{}", toml::to_string(&pins)?);
    output::write(&path, text.as_bytes())?;
    Ok(path)
}

fn path(root: &Path, group: &Group) -> PathBuf {
    root.join("benches").join("pins").join(format!("{}.{}.toml", group.name, group.board))
}

/// One of our figures.
struct Pinned {
    row: String,
    now: Figure,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Bytes,
    Cycles,
    Instructions,
}

impl Pinned {
    /// Returns a figure, with its instructions if it is a time.
    fn of(row: &str, figure: Option<Figure>, instructions: Option<Figure>) -> Vec<Self> {
        let what = if instructions.is_some() { What::Cycles } else { What::Bytes };
        let figure = figure.map(|now| Self { row: row.to_owned(), now, what });
        let instructions = instructions.map(|now| Self {
            row: format!("{row}, instructions"),
            now,
            what: What::Instructions,
        });
        figure.into_iter().chain(instructions).collect()
    }

    /// The most that passes where so much was accepted.
    fn bound(&self, Figure(accepted): Figure) -> f64 {
        accepted
            + match self.what {
                What::Bytes => 0.0,
                What::Cycles => MOVES_BY_CYCLES.max(accepted * MOVES_BY),
                What::Instructions => (accepted - SHORT).max(0.0) * MOVES_BY,
            }
    }
}

/// The figures of a group that are pinned: ours.
fn figures(group: &Group) -> impl Iterator<Item = Pinned> {
    group.rows.iter().flat_map(of_row)
}

fn of_row(row: &Row) -> impl Iterator<Item = Pinned> {
    let main = Pinned::of(&row.name, row.cycles, row.instructions);
    let forms = row.forms.iter().flat_map(|(form, column)| {
        Pinned::of(&format!("{} ({form})", row.name), column.cycles, column.instructions)
    });
    main.into_iter().chain(forms)
}

fn compare(group: &Group, pins: &BTreeMap<String, Figure>) -> Vec<Regression> {
    let worse = |pinned: Pinned| {
        let accepted = pins.get(&pinned.row).copied();
        let is_worse = accepted.is_none_or(|accepted| pinned.now.0 > pinned.bound(accepted));
        is_worse.then_some(Regression { row: pinned.row, now: pinned.now, accepted })
    };
    figures(group).filter_map(worse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Column;

    fn group(figures: &[(&str, f64)]) -> Group {
        let row = |&(name, figure): &(&str, f64)| Row {
            name: name.to_owned(),
            cycles: Some(Figure(figure)),
            ..Row::default()
        };
        Group {
            name: "group".to_owned(),
            board: "board".to_owned(),
            rows: figures.iter().map(row).collect(),
            ..Group::default()
        }
    }

    #[test]
    fn only_rows_that_got_worse_or_are_new_are_reported() {
        let pins = ["a", "b", "c"].map(|name| (name.to_owned(), Figure(4.0)));
        let now = group(&[("a", 4.5), ("b", 4.0), ("c", 3.0), ("d", 1.0)]);
        let found = compare(&now, &BTreeMap::from(pins));
        let names: Vec<_> = found.iter().map(|one| (one.row.as_str(), one.accepted)).collect();
        assert_eq!(names, [("a", Some(Figure(4.0))), ("d", None)]);
    }

    #[test]
    fn every_form_of_ours_is_compared_and_no_peer() {
        let column = |figure| Column { cycles: Some(Figure(figure)), ..Column::default() };
        let mut now = group(&[("a", 4.0)]);
        now.rows[0].forms = BTreeMap::from([("async".to_owned(), column(9.0))]);
        now.rows[0].peers = BTreeMap::from([("RTIC".to_owned(), column(50.0))]);
        let pins = [("a", 4.0), ("a (async)", 8.0)];
        let pins = pins.map(|(name, figure)| (name.to_owned(), Figure(figure)));
        let found = compare(&now, &BTreeMap::from(pins));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].row.as_str(), found[0].now), ("a (async)", Figure(9.0)));
    }

    #[test]
    fn cycles_may_be_a_few_more_where_the_instructions_are_not() {
        let pins = [("a", 40.0), ("a, instructions", 30.0), ("b", 40.0), ("c", 200.0)];
        let pins = pins.map(|(name, figure)| (name.to_owned(), Figure(figure)));
        let found = |cycles: [f64; 3], instructions: f64| {
            let mut now = group(&[("a", cycles[0]), ("b", cycles[1]), ("c", cycles[2])]);
            (now.rows[0].instructions, now.rows[2].instructions) =
                (Some(Figure(instructions)), Some(Figure(1.0)));
            let found = compare(&now, &BTreeMap::from(pins.clone()));
            found.into_iter().map(|one| one.row).collect::<Vec<_>>()
        };
        assert_eq!(found([42.0, 40.0, 206.0], 30.0), ["c, instructions"]);
        assert_eq!(found([42.0, 41.0, 206.0], 31.0), ["a, instructions", "b", "c, instructions"]);
        assert_eq!(found([43.0, 40.0, 207.0], 30.0), ["a", "c", "c, instructions"]);
    }

    #[test]
    fn long_stretches_may_be_interrupted_sooner_or_later() {
        let found = |accepted: f64, instructions: f64| {
            let mut now = group(&[("a", 1.0)]);
            now.rows[0].instructions = Some(Figure(instructions));
            let pins = [("a", 1.0), ("a, instructions", accepted)];
            let pins = pins.map(|(name, figure)| (name.to_owned(), Figure(figure)));
            compare(&now, &BTreeMap::from(pins)).len()
        };
        assert_eq!((found(100.0, 100.0), found(100.0, 101.0)), (0, 1));
        assert_eq!((found(1100.0, 1130.0), found(1100.0, 1131.0)), (0, 1));
    }

    #[test]
    fn what_is_accepted_is_checked_against_from_then_on() {
        let root = std::env::temp_dir().join(format!("quintet-pins-{}", std::process::id()));
        std::fs::create_dir_all(root.join("benches/pins")).unwrap();
        let before = group(&[("a row, with a comma", 5.0)]);
        assert_eq!(check(&root, &before).unwrap().len(), 1);
        accept(&root, &before).unwrap();
        assert_eq!(check(&root, &before).unwrap(), []);
        assert_eq!(check(&root, &group(&[("a row, with a comma", 6.0)])).unwrap().len(), 1);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
