//! Fits a table into a line: chooses the columns, and the width of the first.
//!
//! Some columns are always shown. The first column, with the rows' names, is folded until they fit.
//! The others follow in the order of their ranks, if they leave the names a comfortable width.
//! Columns of one rank are shown together or not at all.

use std::collections::BTreeSet;

/// The spaces between two columns.
pub const GAP: usize = 2;
/// The spaces left of the first column.
pub const MARGIN: usize = 1;
/// The least width to which names are folded.
const NARROWEST: usize = 16;
/// Names are folded to no less for columns that need not be there.
const COMFORTABLE: usize = 40;

/// A column that may be shown.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The width of the column's widest cell.
    pub width: usize,
    /// The column's rank among those that need not be shown; `None` if it must be.
    pub rank: Option<u32>,
}

/// The columns that fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fit {
    /// For each column, `true` if it is shown.
    pub shown: Vec<bool>,
    /// The most characters of the first column.
    pub first: usize,
}

/// Chooses the columns that fit into a line of this many characters. Without a limit, all columns
/// fit.
pub fn fit(columns: &[Wanted], line: Option<usize>) -> Fit {
    let natural = columns.first().map_or(0, |first| first.width);
    let Some(line) = line else { return Fit { shown: vec![true; columns.len()], first: natural } };
    let mut shown: Vec<bool> = columns.iter().map(|column| column.rank.is_none()).collect();
    let ranks: BTreeSet<u32> = columns.iter().filter_map(|column| column.rank).collect();
    for rank in ranks {
        let is_new = columns.iter().map(|column| column.rank == Some(rank));
        let more: Vec<bool> = shown.iter().zip(is_new).map(|(old, new)| *old || new).collect();
        if left(columns, &more, line) >= natural.min(COMFORTABLE) {
            shown = more;
        }
    }
    let first = left(columns, &shown, line).clamp(NARROWEST.min(natural), natural);
    Fit { shown, first }
}

/// Returns the characters that the other columns leave for the first.
fn left(columns: &[Wanted], shown: &[bool], line: usize) -> usize {
    let others = columns.iter().zip(shown).skip(1).filter(|(_, shown)| **shown);
    let taken: usize = others.map(|(column, _)| column.width + GAP).sum();
    line.saturating_sub(MARGIN + taken)
}

/// Folds a text into lines of this many characters. A longer word has a line of its own.
pub fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(first: usize) -> Vec<Wanted> {
        let wanted = |width, rank| Wanted { width, rank };
        vec![wanted(first, None), wanted(10, None), wanted(12, Some(2)), wanted(14, Some(1))]
    }

    #[test]
    fn everything_stands_in_a_line_without_an_end() {
        let all = Fit { shown: vec![true; 4], first: 50 };
        assert_eq!(fit(&columns(50), None), all);
        assert_eq!(fit(&columns(50), Some(93)), all);
    }

    #[test]
    fn what_need_not_be_there_goes_by_rank_before_names_are_folded_much() {
        let of = |line| fit(&columns(50), Some(line));
        assert_eq!(of(83), Fit { shown: vec![true; 4], first: 40 });
        assert_eq!(of(82), Fit { shown: vec![true, true, false, true], first: 50 });
        assert_eq!(of(68), Fit { shown: vec![true, true, true, false], first: 41 });
        assert_eq!(of(66), Fit { shown: vec![true, true, false, false], first: 50 });
    }

    #[test]
    fn names_are_folded_where_the_rest_has_to_be_there() {
        let of = |line| fit(&columns(50), Some(line)).first;
        assert_eq!((of(53), of(40), of(10)), (40, 27, 16));
        assert_eq!(fit(&columns(8), Some(10)).first, 8);
    }

    #[test]
    fn columns_of_a_rank_stand_together() {
        let mut all = columns(20);
        all.push(Wanted { width: 5, rank: Some(1) });
        // There is room for 14 or for 5, and so for the columns behind them.
        assert_eq!(fit(&all, Some(54)).shown, [true, true, true, false, false]);
        assert_eq!(fit(&all, Some(56)).shown, [true, true, false, true, true]);
    }

    #[test]
    fn texts_are_folded_between_words() {
        assert_eq!(fold("one two three", 7), ["one two", "three"]);
        assert_eq!(fold("incomprehensible it", 5), ["incomprehensible", "it"]);
        assert!(fold("", 5).is_empty());
    }
}
