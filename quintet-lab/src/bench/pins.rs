//! Figures that were accepted: a row may not get worse than its pin unnoticed.
//!
//! `benches/pins/GROUP.BOARD.toml` maps each row's name to its figure; further forms of ours stand
//! behind the row's name, as `ROW (FORM)`, and so do instructions where a group compares those:
//! `ROW, instructions`. `bench --check` fails where a row is above its pin or
//! has none; `bench --accept` writes the file anew, so that a change of a figure is a change in a
//! commit. Peers are not pinned: the versions in their lock files are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::figures::Figure;
use super::published::Compares;
use super::{Group, Row};

const HEAD: &str = "\
# Accepted figures. `cargo lab bench --check` fails when a row gets worse than this;
# `cargo lab bench --accept` writes the file anew.

";

/// A row that is worse than what was accepted.
#[derive(Clone, PartialEq, Debug)]
pub struct Regression {
    /// The row.
    pub row: String,
    /// Its figure now.
    pub now: Figure,
    /// What was accepted; none for a row that is new.
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
    let pins: BTreeMap<String, Figure> = figures(group).collect();
    let text = format!("{HEAD}{}", toml::to_string(&pins)?);
    std::fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
    Ok(path)
}

fn path(root: &Path, group: &Group) -> PathBuf {
    root.join("benches").join("pins").join(format!("{}.{}.toml", group.name, group.board))
}

/// The figures of a group that are pinned: ours.
fn figures(group: &Group) -> impl Iterator<Item = (String, Figure)> {
    group.rows.iter().flat_map(|row| of_row(row, group.compares))
}

fn of_row(row: &Row, compares: Compares) -> impl Iterator<Item = (String, Figure)> {
    let main = row.cycles.map(|figure| (row.name.clone(), figure));
    let instructions = row.instructions.filter(|_| compares == Compares::Instructions);
    let instructions = instructions.map(|figure| (format!("{}, instructions", row.name), figure));
    let forms = row.forms.iter().filter_map(|(form, column)| {
        column.cycles.map(|figure| (format!("{} ({form})", row.name), figure))
    });
    main.into_iter().chain(instructions).chain(forms)
}

fn compare(group: &Group, pins: &BTreeMap<String, Figure>) -> Vec<Regression> {
    let worse = |(row, now): (String, Figure)| {
        let accepted = pins.get(&row).copied();
        let is_worse = accepted.is_none_or(|accepted| now > accepted);
        is_worse.then_some(Regression { row, now, accepted })
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
    fn instructions_are_pinned_where_they_are_compared() {
        let mut now = group(&[("a", 4.0)]);
        now.rows[0].instructions = Some(Figure(3.0));
        assert_eq!(figures(&now).count(), 1);
        now.compares = Compares::Instructions;
        let pinned: Vec<_> = figures(&now).map(|(name, _)| name).collect();
        assert_eq!(pinned, ["a", "a, instructions"]);
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
