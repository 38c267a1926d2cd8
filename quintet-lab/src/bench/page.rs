//! The tables of groups as a page for a browser.

use super::notes::notes;
use super::{Group, table};
use crate::report::page::{Page, Section};

/// The page.
pub fn text(groups: &[Group]) -> String {
    let mut facts = vec![("Made by", format!("quintet {}", env!("CARGO_PKG_VERSION")))];
    let mut builds: Vec<&str> = groups.iter().map(|group| group.build.as_str()).collect();
    builds.dedup();
    facts.extend(builds.into_iter().map(|build| ("Built by", build.to_owned())));
    let sections = groups.iter().map(section).collect();
    Page { title: "What everything costs".to_owned(), facts, sections }.text()
}

fn section(group: &Group) -> Section {
    // The name of a group is that of its file: letters, digits and signs that stay in an address.
    let section = Section::new(&group.name, &group.title);
    let section =
        section.table(&format!("{}, on {}", group.name, group.board), &table::whole(group));
    let notes = notes(group);
    if notes.is_empty() { section } else { section.lists(&notes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Row;
    use crate::bench::figures::Figure;

    #[test]
    fn a_page_has_a_table_and_the_notes_of_each_group() {
        let row = |name: &str| Row {
            name: name.to_owned(),
            cycles: Some(Figure(12.0)),
            floor: Some(Figure(10.0)),
            note: Some("why <so>".to_owned()),
            ..Row::default()
        };
        let group = |name: &str| Group {
            name: name.to_owned(),
            title: format!("the {name}"),
            board: "stm32f100".to_owned(),
            build: "rustc 1".to_owned(),
            rows: vec![row("lock & unlock")],
            ..Group::default()
        };
        let page = text(&[group("locks"), group("tasks")]);
        for part in ["<section id=\"locks\"", "<section id=\"tasks\"", "the tasks</a>"] {
            assert!(page.contains(part), "no {part} in\n{page}");
        }
        assert_eq!(page.matches("lock &amp; unlock</td>").count(), 2, "{page}");
        assert_eq!(page.matches("<td class=\"number\">1.20</td>").count(), 2, "x floor: {page}");
        assert!(page.contains("<li>lock &amp; unlock: why &lt;so&gt;</li>"), "{page}");
        assert_eq!(page.matches("rustc 1").count(), 1, "a build that all share is said once");
    }
}
