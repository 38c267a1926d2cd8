//! A group as people read it.

use super::{Group, Row, Unit};
use crate::report::table::table;

/// The table of a group. Columns that no row has a figure for are left out.
pub fn render(group: &Group) -> String {
    let has = |figure: fn(&Row) -> bool| group.rows.iter().any(figure);
    let (undisturbed, floor) =
        (has(|row| row.undisturbed.is_some()), has(|row| row.floor.is_some()));
    let mut columns = vec![group.name.as_str(), ">instructions", ">measured"];
    if undisturbed {
        columns.push(">undisturbed");
    }
    columns.extend([">document", ">difference"]);
    if floor {
        columns.extend([">floor", ">x floor"]);
    }
    let mut rendered = table(&columns);
    for row in &group.rows {
        let mut cells = vec![row.name.clone(), text(row.instructions), measured(row)];
        if undisturbed {
            cells.push(text(row.undisturbed));
        }
        cells.extend([text(row.document), difference(row)]);
        if floor {
            cells.extend([text(row.floor), times_floor(row)]);
        }
        rendered.add_row(cells);
    }
    let mut notes = String::new();
    if undisturbed {
        notes += "measured: by a debugger that halts at each mark, as the document did\n\
                  undisturbed: running freely\n";
    }
    for row in &group.rows {
        if let Some(note) = &row.note {
            notes += &format!("{}: {note}\n", row.name);
        }
    }
    format!("{}, on {}\n{rendered}\n{notes}", group.title, group.board)
}

fn text(figure: Option<impl ToString>) -> String {
    figure.map(|figure| figure.to_string()).unwrap_or_default()
}

fn measured(row: &Row) -> String {
    match (row.cycles, row.unit) {
        (Some(bytes), Unit::Bytes) => format!("{bytes} bytes"),
        (cycles, _) => text(cycles),
    }
}

fn difference(row: &Row) -> String {
    match (row.cycles, row.document) {
        (Some(now), Some(document)) => match now as f64 - document.0 {
            0.0 => "0".to_owned(),
            difference => format!("{difference:+}"),
        },
        _ => String::new(),
    }
}

fn times_floor(row: &Row) -> String {
    match (row.cycles, row.floor) {
        (Some(now), Some(floor)) if floor.0 > 0.0 => format!("{:.2}", now as f64 / floor.0),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::bench::figures::Figure;

    fn row() -> Row {
        Row {
            name: "lock".to_owned(),
            unit: Unit::Cycles,
            instructions: Some(3),
            cycles: Some(4),
            undisturbed: None,
            document: Some(Figure(6.0)),
            floor: None,
            note: None,
            peers: BTreeMap::new(),
        }
    }

    fn group(row: Row) -> Group {
        Group {
            name: "locks".to_owned(),
            title: "locks".to_owned(),
            board: "stm32f100".to_owned(),
            rows: vec![row],
        }
    }

    #[test]
    fn differences_carry_their_sign_and_empty_columns_are_left_out() {
        let text = render(&group(row()));
        assert!(text.contains("-2"), "{text}");
        assert!(!text.contains("floor") && !text.contains("undisturbed"), "{text}");
    }

    #[test]
    fn floors_and_the_other_method_have_columns_where_they_exist() {
        let text = render(&group(Row { floor: Some(Figure(3.0)), undisturbed: Some(5), ..row() }));
        assert!(text.contains("1.33") && text.contains("undisturbed"), "{text}");
    }

    #[test]
    fn notes_stand_below_the_table() {
        let note = Some("read this".to_owned());
        assert!(render(&group(Row { note, ..row() })).ends_with("lock: read this\n"));
    }

    #[test]
    fn bytes_say_that_they_are() {
        let text = render(&group(Row { unit: Unit::Bytes, ..row() }));
        assert!(text.contains("4 bytes"), "{text}");
    }
}
