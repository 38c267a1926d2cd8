//! A group as a table for people, no wider than the line.
//!
//! Each column has its head, its cells, and a rank that says how important it is if not all columns
//! fit; `fit` chooses.

use super::figures::Figure;
use super::fit::{self, GAP, MARGIN, Wanted};
use super::notes::notes;
use super::{Column, Group, Row, Unit};
use crate::report::table::{self, Table};

/// Makes the text of a row's cell.
type Cell<'a> = Box<dyn Fn(&Row) -> String + 'a>;

/// A column: its cells, and its head, which begins with `>` if the cells are numbers.
struct Shown<'a> {
    head: String,
    cell: Cell<'a>,
    /// The column's rank among those that need not be shown; `None` if it must be.
    rank: Option<u32>,
}

/// Returns the table of a group, in lines of this many characters, or without a limit. Columns
/// without a figure are left out.
pub fn render(group: &Group, line: Option<usize>) -> String {
    let columns = columns(group);
    let cells: Vec<Vec<String>> = columns
        .iter()
        .map(|column| group.rows.iter().map(|row| (column.cell)(row)).collect())
        .collect();
    let wanted = columns.iter().zip(&cells).map(|(column, cells)| {
        let head = column.head.trim_start_matches('>');
        let widths =
            cells.iter().map(String::as_str).chain([head]).map(|text| text.chars().count());
        Wanted { width: widths.max().unwrap_or(0), rank: column.rank }
    });
    let fit = fit::fit(&wanted.collect::<Vec<_>>(), line);
    let shown = || columns.iter().zip(&fit.shown).filter(|(_, shown)| **shown);
    let heads: Vec<&str> = shown().map(|(column, _)| column.head.as_str()).collect();
    let mut rendered = table::dense(&heads, MARGIN, GAP);
    for index in 0..group.rows.len() {
        let row = cells.iter().zip(&fit.shown).filter(|(_, shown)| **shown);
        let mut row: Vec<String> = row.map(|(cells, _)| cells[index].clone()).collect();
        if let Some(name) = row.first_mut() {
            *name = fit::fold(name, fit.first).join("\n");
        }
        rendered.add_row(row);
    }
    let mut notes = notes(group);
    notes.extend(left_out(&columns, &fit.shown));
    let notes: String = notes.iter().map(|note| below(note, line)).collect();
    format!("{}, on {}\n{}{notes}", group.title, group.board, table::text(&rendered))
}

/// The whole table: all columns, whatever their width.
pub fn whole(group: &Group) -> Table {
    let columns = columns(group);
    let heads: Vec<&str> = columns.iter().map(|column| column.head.as_str()).collect();
    let mut whole = table::table(&heads);
    for row in &group.rows {
        whole.add_row(columns.iter().map(|column| (column.cell)(row)));
    }
    whole
}

/// Says what `--wide` would add.
fn left_out(columns: &[Shown<'_>], shown: &[bool]) -> Option<String> {
    let hidden = columns.iter().zip(shown).filter(|(_, shown)| !**shown);
    let heads: Vec<&str> = hidden.map(|(column, _)| column.head.trim_start_matches('>')).collect();
    (!heads.is_empty()).then(|| format!("with --wide also: {}", heads.join(", ")))
}

/// Returns a note in lines of this many characters. Further lines are indented.
fn below(note: &str, line: Option<usize>) -> String {
    let Some(line) = line else { return format!("{note}\n") };
    fit::fold(note, line.saturating_sub(2)).join("\n  ") + "\n"
}

/// The columns of a group, in their order.
fn columns<'a>(group: &'a Group) -> Vec<Shown<'a>> {
    let mut columns = vec![Shown {
        head: group.name.clone(),
        cell: Box::new(|row| row.name.clone()),
        rank: None,
    }];
    let mut show = |head: String, rank, cell: Cell<'a>| columns.push(Shown { head, cell, rank });
    ours(group, &mut show);
    compared(group, &mut show);
    kernels(group, &mut show);
    documents(group, &mut show);
    columns
}

/// Takes a column: head, rank, cells.
type Show<'s, 'a> = &'s mut dyn FnMut(String, Option<u32>, Cell<'a>);

/// The ranks of columns that need not be shown.
mod rank {
    /// The floor, beside several columns of ours.
    pub const FLOOR: u32 = 0;
    pub const UNDISTURBED: u32 = 1;
    pub const BARE: u32 = 2;
    pub const DOCUMENTS: u32 = 3;
    /// The ratios of our columns to their own peers.
    pub const RATIOS: u32 = 4;
    pub const BUILD: u32 = 5;
    pub const INSTRUCTIONS: u32 = 6;
    /// The first kernel; the others follow.
    pub const KERNELS: u32 = 7;
}

/// Our figures.
fn ours<'a>(group: &'a Group, show: Show<'_, 'a>) {
    let has = |figure: fn(&Row) -> bool| group.rows.iter().any(figure);
    let instructions = Box::new(|row: &Row| text(row.instructions));
    show(">instructions".into(), Some(rank::INSTRUCTIONS), instructions);
    let forms = names(group, |row| row.forms.keys().collect());
    // Beside others ours needs its name.
    let is_alone = group.peers.iter().all(|peer| peer.missing.is_some()) && forms.is_empty();
    let head = if is_alone { "measured" } else { &group.column };
    show(format!(">{head}"), None, Box::new(|row| counted(row.cycles, row.unit)));
    if has(|row| row.undisturbed.is_some()) {
        let undisturbed = Box::new(|row: &Row| text(row.undisturbed));
        show(">undisturbed".into(), Some(rank::UNDISTURBED), undisturbed);
    }
    if has(|row| row.bare.is_some()) {
        show(">bare handler".into(), Some(rank::BARE), Box::new(|row| text(row.bare)));
    }
    let floor = (!forms.is_empty()).then_some(rank::FLOOR);
    for name in forms {
        show(format!(">{name}"), None, Box::new(move |row| theirs(row, row.forms.get(name))));
        let ratio = move |row: &Row| row.forms.get(name).and_then(|column| column.ratio);
        if group.rows.iter().any(|row| ratio(row).is_some()) {
            let ratio = Box::new(move |row: &Row| times(row.forms.get(name)));
            show(">x its peer".into(), Some(rank::RATIOS), ratio);
        }
    }
    if has(|row| row.floor.is_some()) {
        show(">floor".into(), floor, Box::new(|row| text(row.floor)));
        show(">x floor".into(), floor, Box::new(times_floor));
    }
}

/// The best of the others, and the others that were measured now.
fn compared<'a>(group: &'a Group, show: Show<'_, 'a>) {
    let has = |figure: fn(&Row) -> bool| group.rows.iter().any(figure);
    if has(|row| row.best.is_some()) {
        show(">x best peer".into(), None, Box::new(times_best));
    }
    if group.kernels().next().is_some() {
        let figure = |row: &Row| row.best.as_ref().map(|best| best.figure);
        show(">best peer".into(), None, Box::new(move |row| counted(figure(row), row.unit)));
        let name = |row: &Row| text(row.best.as_ref().map(|best| best.name.clone()));
        show("its name".into(), None, Box::new(name));
        let build = |row: &Row| text(row.best.as_ref().and_then(|best| best.build.clone()));
        show("its build".into(), Some(rank::BUILD), Box::new(build));
    }
    for name in group.measured_peers() {
        show(format!(">{name}"), None, Box::new(move |row| theirs(row, row.peers.get(name))));
    }
}

/// Each kernel, as shipped and its best build.
fn kernels<'a>(group: &'a Group, show: Show<'_, 'a>) {
    for (rank, (peer, kernel)) in (rank::KERNELS..).zip(group.kernels()) {
        let name = &peer.name;
        let shipped = move |row: &Row| {
            let builds = row.peers.get(name).and_then(|column| column.builds.as_ref());
            counted(builds.and_then(|builds| builds.shipped), row.unit)
        };
        let head = format!(">{name} {}", kernel.shipped);
        show(head, Some(rank), Box::new(shipped));
        let best = move |row: &Row| theirs(row, row.peers.get(name));
        show(format!(">{name} best"), Some(rank), Box::new(best));
    }
}

/// The figures of documents.
fn documents<'a>(group: &'a Group, show: Show<'_, 'a>) {
    if group.rows.iter().any(|row| row.document.is_some()) {
        show(">document".into(), None, Box::new(|row| text(row.document)));
        show(">difference".into(), None, Box::new(difference));
    }
    for name in names(group, |row| row.documents.iter().map(|one| &one.name).collect()) {
        let figure = move |row: &Row| {
            let found = row.documents.iter().find(|one| one.name == name);
            // Converted figures are as exact as the whole cycle, not more.
            text(found.map(|one| Figure(one.figure.0.round())))
        };
        show(format!(">{name}"), Some(rank::DOCUMENTS), Box::new(figure));
    }
}

/// Returns the names that rows use, in the order of their first use.
fn names(group: &Group, of: impl Fn(&Row) -> Vec<&String>) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in group.rows.iter().flat_map(of) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

fn text(figure: Option<impl ToString>) -> String {
    figure.map(|figure| figure.to_string()).unwrap_or_default()
}

fn counted(figure: Option<Figure>, unit: Unit) -> String {
    match (figure, unit) {
        (Some(bytes), Unit::Bytes) => format!("{bytes} B"),
        (cycles, Unit::Cycles) => text(cycles),
        (None, Unit::Bytes) => String::new(),
    }
}

fn theirs(row: &Row, column: Option<&Column>) -> String {
    counted(column.and_then(|column| column.cycles), row.unit)
}

fn difference(row: &Row) -> String {
    match (row.cycles, row.document) {
        (Some(now), Some(document)) => match now.0 - document.0 {
            0.0 => "0".to_owned(),
            difference => format!("{:+}", (difference * 100.0).round() / 100.0),
        },
        _ => String::new(),
    }
}

fn times_floor(row: &Row) -> String {
    match (row.cycles, row.floor) {
        (Some(now), Some(floor)) if floor.0 > 0.0 => format!("{:.2}", now.0 / floor.0),
        _ => String::new(),
    }
}

/// Returns a form's figure divided by the best of the peers beside the form, with a mark if that
/// peer is ahead.
fn times(column: Option<&Column>) -> String {
    let Some(Column { cycles: Some(ours), best: Some(best), ratio, .. }) = column else {
        return String::new();
    };
    let behind = if *ours > best.figure { "behind" } else { "" };
    format!("{behind} {}", text(*ratio)).trim().to_owned()
}

/// Ours divided by the best peer's, and whether that one is ahead.
fn times_best(row: &Row) -> String {
    let behind = if row.behind == Some(true) { "behind" } else { "" };
    format!("{behind} {}", text(row.ratio)).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::bench::kernels::Build;
    use crate::bench::{Best, Builds, DocumentFigure, KernelFacts, PeerFacts, published};

    fn row() -> Row {
        Row {
            name: "lock".to_owned(),
            instructions: Some(Figure(3.0)),
            cycles: Some(Figure(4.0)),
            document: Some(Figure(6.0)),
            ..Row::default()
        }
    }

    fn group(row: Row) -> Group {
        Group {
            name: "locks".to_owned(),
            title: "locks".to_owned(),
            board: "stm32f100".to_owned(),
            column: "Quintet".to_owned(),
            rows: vec![row],
            ..Group::default()
        }
    }

    fn wide(group: &Group) -> String {
        render(group, None)
    }

    fn peer(name: &str, missing: Option<&str>, kernel: Option<KernelFacts>) -> PeerFacts {
        let missing = missing.map(str::to_owned);
        PeerFacts { name: name.to_owned(), versions: BTreeMap::new(), missing, kernel }
    }

    /// Kernels of so many names, each as shipped and faster, in rows of some length of name.
    fn kernels(names: &[&str], rows: &[(&str, f64)]) -> Group {
        let build = |name: &str| Build { name: name.to_owned(), checks: false, options: None };
        let builds = vec![build("-O2"), build("-O3 LTO")];
        let facts = KernelFacts { about: "port".into(), shipped: "-O2".into(), builds };
        let column = |theirs: f64| {
            let cycles = [("-O2", 2.0 * theirs), ("-O3 LTO", theirs)];
            let cycles = cycles.map(|(name, figure)| (name.to_owned(), Figure(figure)));
            let builds = Builds {
                best: "-O3 LTO".to_owned(),
                checks: false,
                shipped: Some(Figure(2.0 * theirs)),
                cycles: BTreeMap::from(cycles),
            };
            Column { cycles: Some(Figure(theirs)), builds: Some(builds), ..Column::default() }
        };
        let row = |(name, ours): &(&str, f64)| {
            let peers = (100_u32..)
                .zip(names)
                .map(|(figure, peer)| ((*peer).to_owned(), column(f64::from(figure))));
            let mut row = Row {
                name: (*name).to_owned(),
                instructions: Some(Figure(5.0)),
                cycles: Some(Figure(*ours)),
                floor: Some(Figure(40.0)),
                peers: peers.collect(),
                ..Row::default()
            };
            row.best = published::best(&row);
            row.ratio = published::ratio(row.cycles, row.best.as_ref());
            row.behind = published::behind(row.cycles, row.best.as_ref());
            row
        };
        let peers = names.iter().map(|name| peer(name, None, Some(facts.clone()))).collect();
        Group { rows: rows.iter().map(row).collect(), peers, ..group(Row::default()) }
    }

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap()
    }

    const LONG: &str = "clock's interrupt to delayed thread running, with a tick";
    const SEVEN: [&str; 7] = ["ChibiOS", "FreeRTOS", "Mark3", "QXK", "RTX5", "ThreadX", "uC/OS-II"];

    #[test]
    fn differences_carry_their_sign_and_empty_columns_are_left_out() {
        let text = wide(&group(row()));
        assert!(text.contains("-2") && text.contains("measured"), "{text}");
        assert!(!text.contains("floor") && !text.contains("undisturbed"), "{text}");
        assert!(!text.contains("peer"), "{text}");
    }

    #[test]
    fn floors_and_the_other_method_have_columns_where_they_exist() {
        let floor = Some(Figure(3.0));
        let text = wide(&group(Row { floor, undisturbed: Some(Figure(5.0)), ..row() }));
        assert!(text.contains("1.33") && text.contains("undisturbed"), "{text}");
    }

    #[test]
    fn measured_peers_have_columns_and_a_ratio() {
        let column = Column { cycles: Some(Figure(16.0)), ..Column::default() };
        let peers = BTreeMap::from([("RTIC".to_owned(), column)]);
        let best = Best { name: "RTIC".to_owned(), figure: Figure(16.0), build: None };
        let row = Row { peers, best: Some(best), ratio: Some(Figure(0.25)), ..row() };
        let text = wide(&Group { peers: vec![peer("RTIC", None, None)], ..group(row) });
        for part in ["Quintet", "RTIC", "x best peer", "0.25"] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
        assert!(!text.contains("its name"), "{text}");
    }

    #[test]
    fn a_form_has_a_ratio_of_its_own_where_it_stands_beside_a_peer() {
        let best = Best { name: "QV".to_owned(), figure: Figure(20.0), build: None };
        let (cycles, ratio) = (Some(Figure(30.0)), Some(Figure(1.5)));
        let form = Column { cycles, ratio, best: Some(best), ..Column::default() };
        let forms = BTreeMap::from([("ours, QV".to_owned(), form)]);
        let text = wide(&group(Row { forms: forms.clone(), ..row() }));
        assert!(text.contains("x its peer") && text.contains("behind 1.5"), "{text}");
        let alone = Column { best: None, ratio: None, ..forms["ours, QV"].clone() };
        let forms = BTreeMap::from([("ours, QV".to_owned(), alone)]);
        assert!(!wide(&group(Row { forms, ..row() })).contains("x its peer"));
    }

    #[test]
    fn a_peer_that_cannot_be_built_has_no_column() {
        let peers = vec![peer("RTIC", Some("no network"), None)];
        let text = wide(&Group { peers, ..group(row()) });
        assert!(!text.contains("x best peer") && text.contains("measured"), "{text}");
    }

    #[test]
    fn a_row_says_which_peer_is_ahead() {
        let text = render(&kernels(&SEVEN, &[("give", 189.0), ("take", 50.0)]), Some(64));
        let line = |name: &str| {
            let words = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
            words.split_whitespace().collect::<Vec<_>>()
        };
        assert_eq!(line("give"), ["give", "189", "40", "4.72", "behind", "1.89", "100", "ChibiOS"]);
        assert_eq!(line("take"), ["take", "50", "40", "1.25", "0.5", "100", "ChibiOS"]);
        assert!(text.contains("\nbehind: a peer is ahead, in 1 of 2 rows"), "{text}");
    }

    #[test]
    fn a_table_fits_into_its_line() {
        let group = kernels(&SEVEN, &[(LONG, 120.0), ("give", 50.0)]);
        for line in [80, 100, 120, 200] {
            let text = render(&group, Some(line));
            assert!(widest(&text) <= line, "{} of {line}:\n{text}", widest(&text));
            let head = text.lines().nth(1).unwrap();
            for part in ["Quintet", "floor", "x floor", "x best peer", "best peer", "its name"] {
                assert!(head.contains(part), "no {part} in {line} characters:\n{text}");
            }
        }
        assert!(widest(&render(&group, None)) > 200);
    }

    #[test]
    fn what_a_narrow_line_leaves_out_is_named() {
        let group = kernels(&SEVEN, &[("give", 50.0)]);
        let narrow = render(&group, Some(60));
        let said = narrow.split("with --wide also: ").nth(1).unwrap().replace("\n  ", " ");
        for part in ["instructions, its build, ChibiOS -O2, ChibiOS best, ", "uC/OS-II best"] {
            assert!(said.contains(part), "no {part} in {said}");
        }
        let broad = render(&group, Some(120));
        assert!(broad.lines().nth(1).unwrap().contains("its build"), "{broad}");
        let wide = render(&group, None);
        assert!(!wide.contains("--wide"), "{wide}");
        let give = wide.lines().find(|line| line.contains("give")).unwrap();
        assert!(give.contains("-O3 LTO") && give.contains("200") && give.contains("206"), "{wide}");
    }

    #[test]
    fn a_long_name_is_folded_and_its_figures_stand_once() {
        let text = render(&kernels(&["ChibiOS"], &[(LONG, 120.0)]), Some(80));
        let lines: Vec<&str> = text.lines().skip(3).take(2).collect();
        assert!(lines[0].contains("120") && lines[0].starts_with(" clock's"), "{text}");
        assert!(!lines[1].contains("120") && lines[1].starts_with(" "), "{text}");
        let name = |line: &str| line.chars().take(26).collect::<String>().trim().to_owned();
        let folded: Vec<String> = text.lines().skip(3).map(name).collect();
        assert!(LONG.starts_with(&format!("{} {}", folded[0], folded[1])), "{folded:?}");
    }

    #[test]
    fn several_documents_have_a_column_each() {
        let document =
            |name: &str, figure| DocumentFigure { name: name.to_owned(), figure: Figure(figure) };
        let documents = vec![document("FreeRTOS, 2022", 533.16), document("RTIC, 2022", 117.1)];
        let text = wide(&group(Row { documents, ..row() }));
        assert!(text.contains("FreeRTOS, 2022") && text.contains("533"), "{text}");
        assert!(!text.contains("533.16"), "{text}");
    }

    #[test]
    fn what_no_framework_would_take_stands_beside_ours() {
        let text = wide(&group(Row { bare: Some(Figure(3.0)), ..row() }));
        assert!(text.contains("bare handler"), "{text}");
        assert!(!wide(&group(row())).contains("bare"));
    }

    #[test]
    fn notes_stand_below_the_table_within_its_line() {
        let note = Some("a note that says more than there is room for in a line".to_owned());
        let group = group(Row { note, ..row() });
        assert!(
            wide(&group)
                .ends_with("lock: a note that says more than there is room for in a line\n")
        );
        let folded = "lock: a note that says more than\n  there is room for in a line\n";
        assert!(render(&group, Some(36)).contains(folded), "{}", render(&group, Some(36)));
    }

    #[test]
    fn bytes_say_that_they_are() {
        let text = wide(&group(Row { unit: Unit::Bytes, ..row() }));
        assert!(text.contains("4 B"), "{text}");
    }
}
