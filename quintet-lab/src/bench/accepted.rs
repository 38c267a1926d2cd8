//! Where a peer may be ahead: a row that is behind names the decision record that says why.
//!
//! `bench --check` holds the rows to it, both ways: no row falls behind unseen, and none says that
//! it is when it isn't any more. Rows that are about equal may do either, as their cycles move a
//! little with the place of functions in the image. Peers that would have to be built are not
//! looked at.

use std::path::Path;

use anyhow::{Context, Result};

use super::published::{MOVES_BY, MOVES_BY_CYCLES};
use super::{Best, Group, Row, Unit};

/// What the rows of a group say wrongly, in words.
pub fn check(root: &Path, group: &Group) -> Result<Vec<String>> {
    let directory = root.join("docs").join("decisions");
    let records = std::fs::read_dir(&directory).with_context(|| directory.display().to_string())?;
    let records: Vec<String> = records
        .map(|record| Ok(record?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    Ok(group.rows.iter().filter_map(|row| wrong(row, &records)).collect())
}

fn wrong(row: &Row, records: &[String]) -> Option<String> {
    let (ours, best) = (row.cycles?, row.best.as_ref()?);
    let by = tolerance(row.unit, best);
    let peer = match &best.build {
        Some(build) => format!("{}, {build}", best.name),
        None => best.name.clone(),
    };
    let (theirs, name) = (best.figure, &row.name);
    match &row.behind_by {
        None if ours.0 > theirs.0 + by => Some(format!(
            "{name}: {ours}, and {theirs} in {peer}: no record says why it is ahead; get ahead \
             again, or name the record in the row's `behind`"
        )),
        Some(_) if ours.0 < theirs.0 - by => Some(format!(
            "{name}: {ours}, and {theirs} in {peer}, which isn't ahead any more: leave `behind` \
             out of the row"
        )),
        Some(number) => (!is_record(number, records)).then(|| {
            format!("{name}: `behind` names {number}, and docs/decisions has no such record")
        }),
        None => None,
    }
}

fn is_record(number: &str, records: &[String]) -> bool {
    records
        .iter()
        .any(|record| record.strip_prefix(number).is_some_and(|rest| rest.starts_with('-')))
}

/// By how much a figure may be above or below the best and still be about equal.
fn tolerance(unit: Unit, best: &Best) -> f64 {
    match unit {
        Unit::Bytes => 0.0,
        Unit::Cycles => MOVES_BY_CYCLES.max(best.figure.0 * MOVES_BY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::figures::Figure;

    fn row(ours: f64, best: f64, behind_by: Option<&str>) -> Row {
        let build = Some("-O3 LTO".to_owned());
        let best = Best { name: "ChibiOS".to_owned(), figure: Figure(best), build };
        Row {
            name: "give".to_owned(),
            cycles: Some(Figure(ours)),
            best: Some(best),
            behind_by: behind_by.map(str::to_owned),
            ..Row::default()
        }
    }

    fn said(row: &Row) -> Option<String> {
        wrong(row, &["0028-where.md".to_owned()])
    }

    #[test]
    fn a_row_that_falls_behind_is_named() {
        assert_eq!(
            said(&row(17.0, 9.0, None)).unwrap(),
            "give: 17, and 9 in ChibiOS, -O3 LTO: no record says why it is ahead; get ahead again, \
             or name the record in the row's `behind`"
        );
        assert_eq!(said(&row(17.0, 9.0, Some("0028"))), None);
        assert_eq!(said(&row(8.0, 9.0, None)), None);
    }

    #[test]
    fn a_row_that_is_ahead_again_does_not_say_otherwise() {
        assert_eq!(
            said(&row(6.0, 9.0, Some("0028"))).unwrap(),
            "give: 6, and 9 in ChibiOS, -O3 LTO, which isn't ahead any more: leave `behind` out of \
             the row"
        );
    }

    #[test]
    fn times_that_are_about_equal_may_say_either() {
        for ours in [98.0, 100.0, 103.0] {
            assert_eq!(said(&row(ours, 100.0, None)), None);
            assert_eq!(said(&row(ours, 100.0, Some("0028"))), None);
        }
        let bytes = |ours, behind| Row { unit: Unit::Bytes, ..row(ours, 100.0, behind) };
        assert!(said(&bytes(101.0, None)).is_some() && said(&bytes(99.0, Some("0028"))).is_some());
    }

    #[test]
    fn the_record_exists() {
        assert_eq!(
            said(&row(17.0, 9.0, Some("0099"))).unwrap(),
            "give: `behind` names 0099, and docs/decisions has no such record"
        );
    }
}
