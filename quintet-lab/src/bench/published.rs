//! Other systems' figures beside ours: the best in a row, and its distance from ours.
//!
//! Peers that are built and run here have one build, by the same compiler and settings as ours.
//! [Kernels](super::kernels) have several. One rule applies to all: a row is compared with the
//! least figure of any build of any peer, row by row. So ours, which is one build, must be good in
//! all rows at once, but no peer must.

use super::figures::Figure;
use super::scenario::Scenario;
use super::{Best, Column, Row};

/// The cycles, or the share, by which a time may be above or below another before it counts as more
/// or less. The place of functions in an image changes times by as much.
pub const MOVES_BY_CYCLES: f64 = 2.0;
/// See [`MOVES_BY_CYCLES`].
pub const MOVES_BY: f64 = 0.03;

/// Returns the best of the other systems in a row; of equals the first by name.
pub fn best(row: &Row) -> Option<Best> {
    best_where(row, |_| true)
}

/// The same among those that `counts`.
fn best_where(row: &Row, counts: impl Fn(&String) -> bool) -> Option<Best> {
    let peers = row.peers.iter().filter(|(name, _)| counts(name));
    let all = peers.filter_map(|(name, column)| best_of(name, column));
    all.reduce(|best, one| if one.figure < best.figure { one } else { best })
}

fn best_of(name: &str, column: &Column) -> Option<Best> {
    let build = column.builds.as_ref().map(|builds| builds.best.clone());
    Some(Best { name: name.to_owned(), figure: column.cycles?, build })
}

/// Returns our figure divided by the best of the others; `None` if theirs is 0.
pub fn ratio(ours: Option<Figure>, best: Option<&Best>) -> Option<Figure> {
    let (ours, best) = (ours?, best?.figure);
    (best.0 > 0.0).then(|| Figure((ours.0 / best.0 * 100.0).round() / 100.0))
}

/// Returns `true` if a peer is ahead; `None` if there is no peer to compare with.
pub fn behind(ours: Option<Figure>, best: Option<&Best>) -> Option<bool> {
    Some(ours? > best?.figure)
}

/// Compares our figures, and those of our forms that stand beside a kernel.
pub fn compare(row: &mut Row, scenario: &Scenario) {
    row.best = best(row);
    row.ratio = ratio(row.cycles, row.best.as_ref());
    row.behind = behind(row.cycles, row.best.as_ref());
    for form in scenario.forms.iter().filter(|form| !form.beside.is_empty()) {
        let best = best_where(row, |name| form.beside.contains(name));
        let Some(column) = row.forms.get_mut(&form.name) else { continue };
        column.ratio = ratio(column.cycles, best.as_ref());
        column.best = best;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::bench::Builds;

    fn ratio(row: &Row) -> Option<Figure> {
        super::ratio(row.cycles, row.best.as_ref())
    }

    fn behind(row: &Row) -> Option<bool> {
        super::behind(row.cycles, row.best.as_ref())
    }

    #[test]
    fn each_column_is_compared_with_its_own() {
        let text = "name = 'a'\ntitle = 'b'\nbinary = 'a'\nboard = 'stm32f100'\norder = 1\n\
                    kernels = ['A', 'B']\n\
                    [[form]]\nname = 'f'\nbinary = 'f'\nbeside = ['B']\n\
                    [[form]]\nname = 'g'\nbinary = 'g'\n[[row]]\nname = 'r'\nconstant = 'X'\n";
        let mut row = row(&[("A", 20.0), ("B", 60.0)]);
        let form = Column { cycles: Some(Figure(30.0)), ..Column::default() };
        row.forms = ["f", "g"].map(|name| (name.to_owned(), form.clone())).into();
        compare(&mut row, &Scenario::parse(text).unwrap());
        // Ours is compared with all: a form that has peers of its kind takes none away from it.
        assert_eq!((row.ratio, row.behind), (Some(Figure(1.5)), Some(true)));
        assert_eq!(row.forms["f"].ratio, Some(Figure(0.5)));
        assert_eq!(row.forms["f"].best.as_ref().unwrap().name, "B");
        assert!(row.forms["g"].best.is_none());
    }

    fn row(peers: &[(&str, f64)]) -> Row {
        let column = |figure| Column { cycles: Some(Figure(figure)), ..Column::default() };
        let peers = peers.iter().map(|(name, figure)| ((*name).to_owned(), column(*figure)));
        let mut row = Row { cycles: Some(Figure(30.0)), peers: peers.collect(), ..Row::default() };
        row.best = best(&row);
        row
    }

    #[test]
    fn the_best_is_the_one_to_be_compared_with() {
        let compared = row(&[("A", 50.0), ("B", 40.0)]);
        assert_eq!(compared.best.as_ref().unwrap().name, "B");
        assert_eq!((ratio(&compared), behind(&compared)), (Some(Figure(0.75)), Some(false)));
        let alone = row(&[]);
        assert_eq!((ratio(&alone), behind(&alone)), (None, None));
    }

    #[test]
    fn a_peer_is_ahead_only_where_it_takes_less() {
        assert_eq!(behind(&row(&[("A", 30.0)])), Some(false));
        assert_eq!(behind(&row(&[("A", 29.0)])), Some(true));
        // There is no ratio to 0, but a system that takes 0 is ahead.
        let nothing = row(&[("A", 0.0)]);
        assert_eq!((ratio(&nothing), behind(&nothing)), (None, Some(true)));
    }

    #[test]
    fn the_best_names_its_build() {
        let mut of_builds = row(&[("A", 20.0), ("B", 25.0)]);
        let cycles = BTreeMap::from([("-O3".to_owned(), Figure(20.0))]);
        let builds = Builds { best: "-O3".to_owned(), checks: false, shipped: None, cycles };
        of_builds.peers.get_mut("A").unwrap().builds = Some(builds);
        let best = best(&of_builds).unwrap();
        assert_eq!((best.name.as_str(), best.build.as_deref()), ("A", Some("-O3")));
    }
}
