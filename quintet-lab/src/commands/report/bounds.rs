//! The most that functions can take, in cycles and in stack, beside what the run has shown.

use super::Content;
use super::gather::Findings;
use crate::report::page::Section;
use crate::report::table::{Table, grouped, table};

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let section = Section::new("bounds", "Bounds");
    let bounds = match &content.now.bounds {
        Ok(bounds) => bounds,
        Err(why) => return Ok(Some(section.lacks(why))),
    };
    let mut section =
        section.table("Handlers, in cycles and bytes of stack", &entries(&content.now));
    section = match bounds.main_stack {
        Some(bytes) => section.table("Stacks, in bytes", &stacks(&content.now, bytes)),
        None => section.says(
            "The main stack has no bound: that of a handler or of Reset is open. `quintet bounds` \
             says what is in the way.",
        ),
    };
    section = section.says(
        "A bound holds for every run, as long as nothing interrupts the function; what was \
         observed is this run. What is open has no bound: `quintet bounds --suggest` prints the \
         annotations that close it.",
    );
    for row in bounds.rows.iter().filter(|row| !row.open.is_empty()) {
        let lines: Vec<&str> = row.open.iter().map(|open| open.what.as_str()).collect();
        section = section.folded(&format!("{} is open", row.function), &lines.join("\n"));
    }
    Ok(Some(section))
}

/// The handlers, with what the run has shown of them.
fn entries(now: &Findings) -> Table {
    let heads =
        ["function", "of", "verdict", ">cycles", ">observed cycles", ">stack", ">observed stack"];
    let mut rows = table(&heads);
    let Ok(bounds) = &now.bounds else { return rows };
    for row in &bounds.rows {
        let seen = bounds.seen.get(&row.entry);
        let number = |number: Option<u64>| number.map_or("?".into(), grouped);
        let observed = |number: Option<u64>| number.map_or(String::new(), grouped);
        rows.add_row([
            row.function.clone(),
            exceptions(&row.exceptions),
            row.verdict.word().to_owned(),
            number(row.cycles),
            observed(seen.map(|seen| seen.cycles)),
            number(row.stack.map(u64::from)),
            observed(seen.map(|seen| u64::from(seen.stack))),
        ]);
    }
    rows
}

/// The first and the last of a handler's exceptions.
fn exceptions(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [one, .., last] => format!("{one} to {last}"),
    }
}

/// The main stack as it can be, and as it was.
fn stacks(now: &Findings, most: u32) -> Table {
    let mut rows = table(&["stack", ">bound", ">observed"]);
    let main = now.stacks.iter().find(|stack| stack.name().starts_with("main"));
    let seen = main.map_or(String::new(), |stack| grouped(u64::from(stack.used)));
    rows.add_row(["main stack".to_owned(), grouped(u64::from(most)), seen]);
    rows
}
