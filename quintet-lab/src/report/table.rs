//! Tables of one look: a header, a rule, columns of numbers flush right.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, TableStyle};

use crate::output;

pub use comfy_table::Table;

/// A table whose columns are named; those whose name begins with `>` are numbers, flush right.
pub fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    let rule = LineStyle::none().fill('─').junction('─');
    table.load_style(TableStyle::new().header_separator(rule));
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|name| name.trim_start_matches('>')));
    for (index, name) in columns.iter().enumerate() {
        if let (true, Some(column)) = (name.starts_with('>'), table.column_mut(index)) {
            column.set_cell_alignment(CellAlignment::Right);
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
}

/// The same with so many spaces left of the first column, and between columns.
pub fn dense(columns: &[&str], margin: usize, gap: usize) -> Table {
    let mut table = table(columns);
    squeeze(&mut table, margin, gap);
    table
}

/// Sets the spaces left of the first column, and between columns.
pub fn squeeze(table: &mut Table, margin: usize, gap: usize) {
    for (index, column) in table.column_iter_mut().enumerate() {
        // A space stands between columns without that.
        let left = if index == 0 { margin } else { gap.saturating_sub(1) };
        column.set_padding((u16::try_from(left).unwrap_or(1), 0));
    }
}

/// The table as text, without spaces at the ends of lines and with a line's end at its own. On a
/// terminal, long names are folded so that a row isn't broken in the middle of its numbers.
pub fn text(table: &Table) -> String {
    match output::terminal_width() {
        Some(width) => folded(table, width),
        None => format!("{}\n", table.trim_fmt()),
    }
}

/// The table with lines of at most `width` characters, as far as its numbers leave room for names.
fn folded(table: &Table, width: usize) -> String {
    let mut table = table.clone();
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    format!("{}\n", table.trim_fmt())
}

/// A part of all in per cent, with two places; none of nothing.
pub fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { (part as f64 / all as f64 * 10_000.0).round() / 100.0 }
}

/// A number with its thousands apart, as `1 234 567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let cases = [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_narrow_terminal_folds_names_and_no_numbers() {
        let mut table = table(&["function", ">self", ">total"]);
        let name = "core::ptr::drop_in_place::<quintet::sync::channel::Channel<u32, 8>>";
        table.add_row([name, "1 234 567", "89 123 456"]);
        let text = folded(&table, 50);
        assert!(text.lines().all(|line| line.chars().count() <= 50), "{text}");
        assert!(text.contains("1 234 567") && text.contains("89 123 456"), "{text}");
        assert!(!folded(&table, 120).lines().nth(2).unwrap_or_default().is_empty());
        assert_eq!(folded(&table, 120).lines().count(), 3, "where there is room it is one line");
    }

    #[test]
    fn numbers_are_flush_right() {
        let mut table = table(&["name", ">bytes"]);
        table.add_row(["a", "1"]).add_row(["b", "1000"]);
        let text = text(&table);
        assert!(text.lines().any(|line| line.ends_with("    1")), "{text}");
    }
}
