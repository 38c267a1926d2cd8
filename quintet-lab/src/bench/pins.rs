//! Figures that were accepted: a row may not get worse than its pin unnoticed.
//!
//! `benches/pins/GROUP.BOARD.toml` maps each row's name to its figure. `bench --check` fails where
//! a row is above its pin or has none; `bench --accept` writes the file anew, so that a change of a
//! figure is a change in a commit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::Group;

const HEAD: &str = "\
# Accepted figures. `cargo lab bench --check` fails when a row gets worse than this;
# `cargo lab bench --accept` writes the file anew.

";

/// A row that is worse than what was accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regression {
    /// The row.
    pub row: String,
    /// Its figure now.
    pub now: u64,
    /// What was accepted; none for a row that is new.
    pub accepted: Option<u64>,
}

/// The rows of a group that are worse than their pins.
pub fn check(root: &Path, group: &Group) -> Result<Vec<Regression>> {
    let path = path(root, group);
    let pins: BTreeMap<String, u64> = match std::fs::read_to_string(&path) {
        Ok(text) => toml::from_str(&text).with_context(|| path.display().to_string())?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
        Err(error) => return Err(error).context(path.display().to_string()),
    };
    Ok(compare(group, &pins))
}

/// Makes the group's figures its pins.
pub fn accept(root: &Path, group: &Group) -> Result<PathBuf> {
    let path = path(root, group);
    let pins: BTreeMap<&str, u64> =
        group.rows.iter().filter_map(|row| Some((row.name.as_str(), row.cycles?))).collect();
    let text = format!("{HEAD}{}", toml::to_string(&pins)?);
    std::fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
    Ok(path)
}

fn path(root: &Path, group: &Group) -> PathBuf {
    root.join("benches").join("pins").join(format!("{}.{}.toml", group.name, group.board))
}

fn compare(group: &Group, pins: &BTreeMap<String, u64>) -> Vec<Regression> {
    let worse = |row: &super::Row| {
        let now = row.cycles?;
        let accepted = pins.get(&row.name).copied();
        let is_worse = accepted.is_none_or(|accepted| now > accepted);
        is_worse.then(|| Regression { row: row.name.clone(), now, accepted })
    };
    group.rows.iter().filter_map(worse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Row, Unit};

    fn group(figures: &[(&str, u64)]) -> Group {
        let row = |&(name, figure): &(&str, u64)| Row {
            name: name.to_owned(),
            unit: Unit::Cycles,
            instructions: None,
            cycles: Some(figure),
            undisturbed: None,
            document: None,
            floor: None,
            note: None,
            peers: BTreeMap::new(),
        };
        Group {
            name: "group".to_owned(),
            title: String::new(),
            board: "board".to_owned(),
            rows: figures.iter().map(row).collect(),
        }
    }

    #[test]
    fn only_rows_that_got_worse_or_are_new_are_reported() {
        let pins = BTreeMap::from([("a".to_owned(), 4), ("b".to_owned(), 4), ("c".to_owned(), 4)]);
        let found = compare(&group(&[("a", 5), ("b", 4), ("c", 3), ("d", 1)]), &pins);
        let names: Vec<_> = found.iter().map(|one| (one.row.as_str(), one.accepted)).collect();
        assert_eq!(names, [("a", Some(4)), ("d", None)]);
    }

    #[test]
    fn what_is_accepted_is_checked_against_from_then_on() {
        let root = std::env::temp_dir().join(format!("quintet-pins-{}", std::process::id()));
        std::fs::create_dir_all(root.join("benches/pins")).unwrap();
        let before = group(&[("a row, with a comma", 5)]);
        assert_eq!(check(&root, &before).unwrap().len(), 1);
        accept(&root, &before).unwrap();
        assert_eq!(check(&root, &before).unwrap(), []);
        assert_eq!(check(&root, &group(&[("a row, with a comma", 6)])).unwrap().len(), 1);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
