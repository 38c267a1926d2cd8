//! Other systems' figures beside ours: which is the best of a row, and how far ours is from it.
//!
//! What a group compares is its `compares`: cycles where other systems' firmware is run here,
//! instructions where their figures are published as such. Rows that count bytes compare bytes.

use serde::{Deserialize, Serialize};

use super::figures::Figure;
use super::{Column, DocumentFigure, Row, Unit};

/// What a group compares with other systems.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compares {
    /// Processor cycles.
    #[default]
    Cycles,
    /// Executed instructions: without what the hardware does when an exception comes and goes.
    Instructions,
}

impl Compares {
    /// Our figure in a row.
    pub fn ours(self, row: &Row) -> Option<Figure> {
        self.pick(row.unit, row.instructions, row.cycles)
    }

    /// Another column's figure in a row.
    pub fn theirs(self, row: &Row, column: &Column) -> Option<Figure> {
        self.pick(row.unit, column.instructions, column.cycles)
    }

    /// The best of the other systems in a row, be it measured here or published.
    pub fn best(self, row: &Row) -> Option<DocumentFigure> {
        let measured = row.peers.iter().filter_map(|(name, column)| {
            let figure = self.theirs(row, column)?;
            Some(DocumentFigure { name: name.clone(), figure })
        });
        let all = row.published.iter().cloned().chain(measured);
        all.reduce(|best, one| if one.figure < best.figure { one } else { best })
    }

    /// Our figure divided by the best of the others; none where that is nothing.
    pub fn ratio(self, row: &Row) -> Option<Figure> {
        let (ours, best) = (self.ours(row)?, row.best.as_ref()?.figure);
        (best.0 > 0.0).then(|| Figure((ours.0 / best.0 * 100.0).round() / 100.0))
    }

    fn pick(
        self,
        unit: Unit,
        instructions: Option<Figure>,
        figure: Option<Figure>,
    ) -> Option<Figure> {
        if self == Self::Instructions && unit == Unit::Cycles { instructions } else { figure }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn row() -> Row {
        let column = |figure| Column { cycles: Some(Figure(figure)), ..Column::default() };
        let peers = [("A", column(50.0)), ("B", column(40.0)), ("C", Column::default())];
        let peers = BTreeMap::from(peers.map(|(name, column)| (name.to_owned(), column)));
        Row { cycles: Some(Figure(30.0)), peers, ..Row::default() }
    }

    fn ratio(compares: Compares, row: &Row) -> Option<Figure> {
        compares.ratio(&Row { best: compares.best(row), ..row.clone() })
    }

    #[test]
    fn the_best_is_the_one_to_be_compared_with() {
        assert_eq!(ratio(Compares::Cycles, &row()), Some(Figure(0.75)));
        let alone = Row { peers: BTreeMap::new(), ..row() };
        assert_eq!(ratio(Compares::Cycles, &alone), None);
    }

    #[test]
    fn published_instructions_are_compared_with_instructions() {
        let one = |name: &str, figure| DocumentFigure { name: name.into(), figure: Figure(figure) };
        let published = vec![one("slow", 80.0), one("fast", 20.0)];
        let row = Row { published, instructions: Some(Figure(10.0)), ..row() };
        let best = Compares::Instructions.best(&row).unwrap();
        assert_eq!((best.name.as_str(), best.figure), ("fast", Figure(20.0)));
        assert_eq!(ratio(Compares::Instructions, &row), Some(Figure(0.5)));
        let bytes = Row { unit: Unit::Bytes, instructions: None, ..row };
        assert_eq!(ratio(Compares::Instructions, &bytes), Some(Figure(1.5)));
    }
}
