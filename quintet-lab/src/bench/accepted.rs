//! Rows in which a peer may be ahead: such a row names the decision record with the reason.
//!
//! `bench --check` checks this in both directions: no row falls behind unseen, and no row says that
//! it is behind when it isn't any more. Rows that are about equal may do either, because their
//! cycles change a little with the place of functions in the image. Peers that would have to be
//! built are left out.

use std::path::Path;

use anyhow::{Context, Result};

use super::figures::Figure;
use super::published::{MOVES_BY, MOVES_BY_CYCLES};
use super::{Best, Group, Row, Unit};

/// Returns the errors in a group's rows, in words.
pub fn check(root: &Path, group: &Group) -> Result<Vec<String>> {
    let directory = root.join("docs").join("decisions");
    let records = std::fs::read_dir(&directory).with_context(|| directory.display().to_string())?;
    let records: Vec<String> = records
        .map(|record| Ok(record?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    Ok(group.rows.iter().filter_map(|row| wrong(row, &records)).collect())
}

/// One of our columns in a row, and the best peer of those that it is compared with.
struct Compared<'a> {
    name: String,
    ours: Figure,
    best: &'a Best,
}

impl Compared<'_> {
    /// Returns by how many our column is behind. A negative number means that it is ahead.
    fn behind_by(&self) -> f64 {
        self.ours.0 - self.best.figure.0
    }

    fn in_words(&self) -> String {
        let Self { name, ours, best } = self;
        let build = best.build.as_ref().map_or(String::new(), |build| format!(", {build}"));
        format!("{name}: {ours}, and {} in {}{build}", best.figure, best.name)
    }
}

/// Our columns in a row that are compared with somebody, the main one first.
fn compared(row: &Row) -> Vec<Compared<'_>> {
    let main = (row.name.clone(), row.cycles, row.best.as_ref());
    let forms = row.forms.iter().map(|(form, column)| {
        (format!("{} ({form})", row.name), column.cycles, column.best.as_ref())
    });
    let both = std::iter::once(main).chain(forms);
    both.filter_map(|(name, ours, best)| Some(Compared { name, ours: ours?, best: best? }))
        .collect()
}

fn wrong(row: &Row, records: &[String]) -> Option<String> {
    let all = compared(row);
    let by = |one: &Compared<'_>| tolerance(row.unit, one.best);
    let Some(number) = &row.behind_by else {
        let behind = all.iter().find(|one| one.behind_by() > by(one))?;
        return Some(format!(
            "{}: no record says why it is ahead; get ahead again, or name the record in the row's \
             `behind`",
            behind.in_words()
        ));
    };
    let first = all.first()?;
    if all.iter().all(|one| one.behind_by() < -by(one)) {
        return Some(format!(
            "{}, which isn't ahead any more: leave `behind` out of the row",
            first.in_words()
        ));
    }
    let name = &row.name;
    (!is_record(number, records))
        .then(|| format!("{name}: `behind` names {number}, and docs/decisions has no such record"))
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
    use crate::bench::Column;

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
    fn every_column_that_is_compared_is_looked_at() {
        let with_form = |ours: f64, form: f64, behind| {
            let row = row(ours, 9.0, behind);
            let (cycles, best) = (Some(Figure(form)), row.best.clone());
            let column = Column { cycles, best, ..Column::default() };
            Row { forms: [("QV".to_owned(), column)].into(), ..row }
        };
        let behind = said(&with_form(5.0, 17.0, None)).unwrap();
        assert!(
            behind.starts_with("give (QV): 17, and 9 in ChibiOS, -O3 LTO: no record"),
            "{behind}"
        );
        assert_eq!(said(&with_form(5.0, 17.0, Some("0028"))), None);
        assert_eq!(said(&with_form(5.0, 5.0, None)), None);
        let ahead = said(&with_form(5.0, 5.0, Some("0028"))).unwrap();
        assert!(ahead.starts_with("give: 5, and 9 in ChibiOS, -O3 LTO, which isn't"), "{ahead}");
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
