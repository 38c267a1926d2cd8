//! A group as people read it.

use super::figures::Figure;
use super::published::Compares;
use super::{Column, Group, Row, Unit};
use crate::report::table::table;

/// What a column shows of a row.
type Cell<'a> = Box<dyn Fn(&Row) -> String + 'a>;

/// The table of a group. Columns that no row has a figure for are left out.
pub fn render(group: &Group) -> String {
    let columns = columns(group);
    let heads: Vec<&str> = columns.iter().map(|(head, _)| head.as_str()).collect();
    let mut rendered = table(&heads);
    for row in &group.rows {
        rendered.add_row(columns.iter().map(|(_, cell)| cell(row)));
    }
    format!("{}, on {}\n{rendered}\n{}", group.title, group.board, notes(group))
}

/// The columns: head and cells. Those whose head begins with `>` hold numbers.
fn columns<'a>(group: &'a Group) -> Vec<(String, Cell<'a>)> {
    let has = |figure: fn(&Row) -> bool| group.rows.iter().any(figure);
    let mut columns: Vec<(String, Cell<'a>)> = Vec::new();
    let mut show = |head: String, cell: Cell<'a>| columns.push((head, cell));
    show(group.name.clone(), Box::new(|row| row.name.clone()));
    show(">instructions".into(), Box::new(|row| text(row.instructions)));
    let forms = names(group, |row| row.forms.keys().collect());
    let peers: Vec<&str> = group.measured_peers().collect();
    // Beside others ours needs its name.
    let is_alone = peers.is_empty() && forms.is_empty();
    let ours = match group.compares {
        Compares::Instructions => "cycles",
        Compares::Cycles if is_alone => "measured",
        Compares::Cycles => &group.column,
    };
    show(format!(">{ours}"), Box::new(|row| counted(row.cycles, row.unit)));
    if has(|row| row.undisturbed.is_some()) {
        show(">undisturbed".into(), Box::new(|row| text(row.undisturbed)));
    }
    if has(|row| row.bare.is_some()) {
        show(">bare handler".into(), Box::new(|row| text(row.bare)));
    }
    for name in forms {
        show(format!(">{name}"), Box::new(move |row| theirs(row, row.forms.get(name))));
    }
    if has(|row| row.best.is_some()) {
        show(">x best peer".into(), Box::new(|row| text(row.ratio)));
    }
    if has(|row| !row.published.is_empty()) {
        let best = |row: &Row| row.best.as_ref().map(|best| best.name.clone());
        show("best peer".into(), Box::new(move |row| text(best(row))));
    }
    for name in peers {
        let compared = |row: &Row| {
            let column = row.peers.get(name)?;
            group.compares.theirs(row, column)
        };
        show(format!(">{name}"), Box::new(move |row| counted(compared(row), row.unit)));
    }
    for name in &group.shown {
        let figure = |row: &Row| {
            let found = row.published.iter().find(|one| one.name == *name);
            found.map(|one| one.figure)
        };
        show(format!(">{name}"), Box::new(move |row| counted(figure(row), row.unit)));
    }
    if has(|row| row.document.is_some()) {
        show(">document".into(), Box::new(|row| text(row.document)));
        show(">difference".into(), Box::new(difference));
    }
    for name in names(group, |row| row.documents.iter().map(|one| &one.name).collect()) {
        let figure = move |row: &Row| {
            let found = row.documents.iter().find(|one| one.name == name);
            // Converted figures are as exact as the whole cycle, not more.
            text(found.map(|one| Figure(one.figure.0.round())))
        };
        show(format!(">{name}"), Box::new(figure));
    }
    if has(|row| row.floor.is_some()) {
        show(">floor".into(), Box::new(|row| text(row.floor)));
        show(">x floor".into(), Box::new(times_floor));
    }
    columns
}

/// The names that rows have, in the order in which they come first.
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
        (Some(bytes), Unit::Bytes) => format!("{bytes} bytes"),
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

/// What stands below the table: how it was measured, with which versions, and what rows have to
/// say.
fn notes(group: &Group) -> String {
    let mut notes = String::new();
    if group.rows.iter().any(|row| row.undisturbed.is_some()) {
        notes += "measured: by a debugger that halts at each mark, as the document did\n\
                  undisturbed: running freely\n";
    }
    for peer in &group.peers {
        let versions = peer.versions.iter().map(|(name, version)| format!("{name} {version}"));
        notes += &format!("{}: {}\n", peer.name, versions.collect::<Vec<_>>().join(", "));
        if let Some(reason) = &peer.missing {
            notes += &format!("{} is not measured: {reason}\n", peer.name);
        }
    }
    if group.measured_peers().next().is_some() {
        notes += &format!("all built by {}\n", group.build);
    }
    if group.compares == Compares::Instructions {
        notes += "other kernels' figures are instructions, and so is what `x best peer` divides; \
                  cycles, floor: ours\n";
    }
    if !group.shown.is_empty() {
        notes += &format!("best peer: of all published columns, not only of those shown ({})\n", {
            group.shown.join(", ")
        });
    }
    let mut said = Vec::new();
    for row in &group.rows {
        notes.extend(row.note.iter().map(|note| format!("{}: {note}\n", row.name)));
        notes.extend(places(group, row).map(|place| format!("{}, {place}\n", row.name)));
        for (column, reason) in &row.without {
            // Rows in a series have the same reason.
            if group.measured_peers().any(|peer| peer == column) && !said.contains(&reason) {
                notes += &format!("{}, {column}: {reason}\n", row.name);
                said.push(reason);
            }
        }
    }
    notes
}

/// The places of a row's figures in the code, each behind its column's name.
fn places<'a>(group: &'a Group, row: &'a Row) -> impl Iterator<Item = String> + 'a {
    let ours = (&group.column, row.place.as_ref());
    let others =
        row.forms.iter().chain(&row.peers).map(|(name, column)| (name, column.place.as_ref()));
    let all = std::iter::once(ours).chain(others);
    all.filter_map(|(name, place)| Some(format!("{name}: {}", place?)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::bench::{DocumentFigure, PeerFacts};

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
            build: "rustc 9".to_owned(),
            rows: vec![row],
            ..Group::default()
        }
    }

    fn peer(missing: Option<&str>) -> PeerFacts {
        PeerFacts {
            name: "RTIC".to_owned(),
            versions: BTreeMap::from([("rtic".to_owned(), "2.4.0".to_owned())]),
            missing: missing.map(str::to_owned),
        }
    }

    #[test]
    fn differences_carry_their_sign_and_empty_columns_are_left_out() {
        let text = render(&group(row()));
        assert!(text.contains("-2") && text.contains("measured"), "{text}");
        assert!(!text.contains("floor") && !text.contains("undisturbed"), "{text}");
        assert!(!text.contains("peer") && !text.contains("rustc"), "{text}");
    }

    #[test]
    fn floors_and_the_other_method_have_columns_where_they_exist() {
        let floor = Some(Figure(3.0));
        let text = render(&group(Row { floor, undisturbed: Some(Figure(5.0)), ..row() }));
        assert!(text.contains("1.33") && text.contains("undisturbed"), "{text}");
    }

    #[test]
    fn peers_have_columns_a_ratio_and_their_versions() {
        let place = Some("wake".to_owned());
        let column = Column { cycles: Some(Figure(16.0)), place, ..Column::default() };
        let peers = BTreeMap::from([("RTIC".to_owned(), column)]);
        let best = DocumentFigure { name: "RTIC".to_owned(), figure: Figure(16.0) };
        let row = Row { peers, best: Some(best), ratio: Some(Figure(0.25)), ..row() };
        let text = render(&Group { peers: vec![peer(None)], ..group(row) });
        for part in ["Quintet", "RTIC", "x best peer", "0.25", "rtic 2.4.0", "built by rustc 9"] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
        assert!(text.contains("lock, RTIC: wake\n"), "{text}");
    }

    #[test]
    fn a_peer_that_cannot_be_built_has_no_column_but_a_reason() {
        let text = render(&Group { peers: vec![peer(Some("no network"))], ..group(row()) });
        assert!(text.contains("RTIC is not measured: no network\n"), "{text}");
        assert!(!text.contains("x best peer") && text.contains("measured"), "{text}");
    }

    #[test]
    fn several_documents_have_a_column_each() {
        let document =
            |name: &str, figure| DocumentFigure { name: name.to_owned(), figure: Figure(figure) };
        let documents = vec![document("FreeRTOS, 2022", 533.16), document("RTIC, 2022", 117.1)];
        let text = render(&group(Row { documents, ..row() }));
        assert!(text.contains("FreeRTOS, 2022") && text.contains("533"), "{text}");
        assert!(!text.contains("533.16"), "{text}");
    }

    #[test]
    fn what_no_framework_would_take_stands_beside_ours() {
        let text = render(&group(Row { bare: Some(Figure(3.0)), ..row() }));
        assert!(text.contains("bare handler"), "{text}");
        assert!(!render(&group(row())).contains("bare"));
    }

    #[test]
    fn published_instructions_stand_beside_instructions() {
        let one = |name: &str, figure| DocumentFigure { name: name.into(), figure: Figure(figure) };
        let published = vec![one("ChibiOS", 51.0), one("unseen", 40.0)];
        let row = Row { published, best: Some(one("unseen", 40.0)), ..row() };
        let shown = vec!["ChibiOS".to_owned()];
        let text = render(&Group { compares: Compares::Instructions, shown, ..group(row) });
        let head = text.lines().nth(1).unwrap();
        assert!(head.contains("ChibiOS") && head.contains("cycles"), "{text}");
        assert!(!head.contains("unseen") && text.contains("unseen"), "{text}");
    }

    #[test]
    fn notes_stand_below_the_table() {
        let note = Some("read this".to_owned());
        assert!(render(&group(Row { note, ..row() })).ends_with("lock: read this\n"));
    }

    #[test]
    fn the_reason_of_a_series_without_figures_is_given_once() {
        let without = BTreeMap::from([("RTIC".to_owned(), "has none".to_owned())]);
        let row = Row { without, ..row() };
        let rows = vec![row.clone(), Row { name: "unlock".to_owned(), ..row }];
        let text = render(&Group { rows, peers: vec![peer(None)], ..group(super::Row::default()) });
        assert_eq!(text.matches("has none").count(), 1, "{text}");
        assert!(text.contains("lock, RTIC: has none\n"), "{text}");
    }

    #[test]
    fn bytes_say_that_they_are() {
        let text = render(&group(Row { unit: Unit::Bytes, ..row() }));
        assert!(text.contains("4 bytes"), "{text}");
    }
}
