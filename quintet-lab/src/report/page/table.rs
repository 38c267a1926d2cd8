//! The tables of the command line in a page: the same heads, the same cells.

use crate::report::markup::escaped;
use comfy_table::{Cell, Row, Table};

/// The table. A column whose cells are all numbers is flush right.
pub fn html(table: &Table, caption: &str) -> String {
    let caption = escaped(caption);
    let heads: Vec<String> = table.header().map(cells).unwrap_or_default();
    let rows: Vec<Vec<String>> = table.row_iter().map(cells).collect();
    let numbers: Vec<bool> = (0..heads.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).all(|cell| is_number(cell)))
        .collect();
    let class = |column: usize| match numbers.get(column) {
        Some(true) => " class=\"number\"",
        _ => "",
    };
    let mut html = format!(
        "<div class=\"wide\" role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">\n<table>\n\
         <caption>{caption}</caption>\n<thead>\n<tr>"
    );
    for (column, head) in heads.iter().enumerate() {
        html.push_str(&format!("<th scope=\"col\"{}>{}</th>", class(column), escaped(head)));
    }
    html.push_str("</tr>\n</thead>\n<tbody>\n");
    for row in &rows {
        html.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            html.push_str(&format!("<td{}>{}</td>", class(column), indented(cell)));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n</div>\n");
    html
}

fn cells(row: &Row) -> Vec<String> {
    row.cell_iter().map(Cell::content).collect()
}

/// Returns `true` if it is a number, perhaps with a unit, or says that there is none.
fn is_number(cell: &str) -> bool {
    let cell = cell.trim_start_matches("behind ");
    let first = cell.trim_start_matches(['+', '-', '−']).chars().next();
    first.is_none_or(|first| first.is_ascii_digit()) || matches!(cell, "?" | "OVERFLOW")
}

/// A cell; spaces that it begins with are kept.
fn indented(cell: &str) -> String {
    let text = cell.trim_start_matches(' ');
    let spaces = cell.len() - text.len();
    format!("{}{}", "\u{a0}".repeat(spaces), escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::table;

    #[test]
    fn numbers_are_flush_right_and_indents_stay() {
        let mut rows = table(&["what", ">bytes", "since"]);
        rows.add_row(["  a<", "1 000", "3 later"]).add_row(["b", "?", "never"]);
        let html = html(&rows, "it");
        assert!(html.contains("<th scope=\"col\" class=\"number\">bytes</th>"), "{html}");
        assert!(html.contains("<td>\u{a0}\u{a0}a&lt;</td><td class=\"number\">1 000</td>"));
        assert!(html.contains("<td>never</td>"), "one that is none makes the column text: {html}");
    }

    #[test]
    fn what_numbers_look_like() {
        for cell in ["", "1 234", "-5", "+2.50 %", "0x2000", "?", "OVERFLOW", "behind 1.2", "12 B"]
        {
            assert!(is_number(cell), "{cell}");
        }
        for cell in ["idle", "4 bytes of".trim_start_matches("4 "), "- none"] {
            assert!(!is_number(cell), "{cell}");
        }
    }
}
