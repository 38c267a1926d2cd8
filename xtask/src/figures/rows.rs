//! A few rows of many tables, as one small table: a TOML file names them, and the figures are those
//! that the tables in `benches/README.md` show.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// Where the tables are.
const TABLES: &str = "benches/README.md";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    row: Vec<Wanted>,
}

/// A row of the small table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// What begins the row.
    model: String,
    /// What is measured, in words for who doesn't know the group.
    what: String,
    /// The group and its row, as `cargo lab bench` prints them.
    group: String,
    row: String,
    /// The column of our figure.
    ours: String,
    /// The columns of the others, of which the least counts. None: `best peer`, and `its name`.
    #[serde(default)]
    peers: Vec<String>,
}

/// Returns the small table as Markdown.
pub fn table(file: &Path, root: &Path) -> Result<String> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let file: File = toml::from_str(&text).with_context(|| file.display().to_string())?;
    let tables = std::fs::read_to_string(root.join(TABLES)).context(TABLES)?;
    let mut markdown =
        String::from("| model | | Quintet | best of the others | |\n|---|---|---:|---:|---|\n");
    for wanted in &file.row {
        let row = wanted.find(&tables)?;
        let ours = row.cell(&wanted.ours)?;
        let (theirs, name) = wanted.best(&row)?;
        let Wanted { model, what, .. } = wanted;
        markdown.push_str(&format!("| {model} | {what} | {ours} | {theirs} | {name} |\n"));
    }
    Ok(markdown)
}

impl Wanted {
    /// Finds the row in its group's first table.
    fn find<'a>(&self, tables: &'a str) -> Result<Row<'a>> {
        let Self { group, row, .. } = self;
        let begin = format!("<!-- generated: cargo lab bench {group} ");
        let mut lines = tables.lines().skip_while(|line| !line.starts_with(&begin));
        let head = lines.by_ref().find(|line| line.starts_with(&format!(" {group} ")));
        let head = head.with_context(|| format!("{TABLES} has no table of the group {group}"))?;
        let columns = columns(head);
        let mut below = lines.skip(1).take_while(|line| line.starts_with(' '));
        let line = below.find(|line| cell(line, columns[0].1, columns[0].2) == row);
        let line = line.with_context(|| format!("the table of {group} has no row \"{row}\""))?;
        Ok(Row { columns, line })
    }

    /// The least figure of the others, and whose it is.
    fn best<'a>(&'a self, row: &Row<'a>) -> Result<(&'a str, &'a str)> {
        if self.peers.is_empty() {
            return Ok((row.cell("best peer")?, row.cell("its name")?));
        }
        let mut best: Option<(f64, &str, &str)> = None;
        for peer in &self.peers {
            let text = row.cell(peer)?;
            let Ok(figure) = text.parse::<f64>() else { continue };
            if best.is_none_or(|(least, ..)| figure < least) {
                best = Some((figure, text, peer.as_str()));
            }
        }
        let (_, text, peer) = best.with_context(|| format!("no peer has \"{}\"", self.row))?;
        Ok((text, peer))
    }
}

/// A row of a table that `cargo lab bench` has printed.
struct Row<'a> {
    /// Each column's name, and its first place and the place behind it.
    columns: Vec<(&'a str, usize, usize)>,
    line: &'a str,
}

impl<'a> Row<'a> {
    fn cell(&self, name: &str) -> Result<&'a str> {
        let column = self.columns.iter().find(|(other, ..)| *other == name);
        let (_, start, end) = column.with_context(|| format!("there is no column \"{name}\""))?;
        let cell = cell(self.line, *start, *end);
        ensure!(!cell.is_empty(), "the column \"{name}\" of \"{}\" is empty", self.line.trim());
        Ok(cell)
    }
}

/// The columns of a head: at least two spaces are between their names. The first has its text at
/// the left and goes on to the next one's; the others end with their names.
fn columns(head: &str) -> Vec<(&str, usize, usize)> {
    let mut columns: Vec<(&str, usize, usize)> = Vec::new();
    let mut place = 0;
    for part in head.split("  ") {
        let name = part.trim();
        if !name.is_empty() {
            let end = place + part.trim_end().len();
            let start = columns.last().map_or(0, |(_, _, end)| *end);
            columns.push((name, start, end));
        }
        place += part.len() + 2;
    }
    columns
}

/// What a line has between two places. The first column's text may be longer than its name.
fn cell(line: &str, start: usize, end: usize) -> &str {
    let indent = line.len() - line.trim_start().len();
    let label = line[indent..].find("  ").map_or(line.len(), |length| indent + length);
    match start {
        0 => line[indent..label].trim_end(),
        _ => line.get(start.max(label)..end.min(line.len())).unwrap_or("").trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &str = "\
<!-- generated: cargo lab bench waits -->
```text
waits, on a chip
 waits               Quintet  x best peer  best peer  its name   RTIC  Embassy
──────────────
 give, nobody waits       17  behind 1.89          9  ChibiOS     117       89
 give                     74                              120
```
";

    fn wanted(row: &str, peers: &[&str]) -> Wanted {
        let [model, what, group, ours] = ["m", "w", "waits", "Quintet"].map(str::to_owned);
        let peers = peers.iter().map(|peer| (*peer).to_owned()).collect();
        Wanted { model, what, group, row: row.to_owned(), ours, peers }
    }

    #[test]
    fn a_rows_cells_are_found_by_their_columns() {
        let wanted = wanted("give, nobody waits", &[]);
        let row = wanted.find(TABLES).unwrap();
        assert_eq!(row.cell("Quintet").unwrap(), "17");
        assert_eq!(wanted.best(&row).unwrap(), ("9", "ChibiOS"));
    }

    #[test]
    fn of_several_peers_the_least_counts() {
        let wanted = wanted("give, nobody waits", &["RTIC", "Embassy"]);
        let row = wanted.find(TABLES).unwrap();
        assert_eq!(wanted.best(&row).unwrap(), ("89", "Embassy"));
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let missing = |row: &str, column: &str| {
            let row = wanted(row, &[]).find(TABLES).map(|row| row.cell(column).map(str::to_owned));
            row.and_then(|cell| cell).unwrap_err().to_string()
        };
        assert!(missing("take", "Quintet").contains("no row \"take\""));
        assert!(missing("give", "FreeRTOS").contains("no column \"FreeRTOS\""));
        assert!(missing("give", "best peer").contains("is empty"));
        let other = Wanted { group: "none".to_owned(), ..wanted("give", &[]) };
        assert!(other.find(TABLES).err().unwrap().to_string().contains("no table of the group"));
    }
}
