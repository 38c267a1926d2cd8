//! What has changed since another image: sizes, cycles, masks, stacks.

use super::{Content, Findings};
use crate::deadlines::report::Report;
use crate::report::page::Section;
use crate::report::table::{Table, grouped, table};
use std::collections::{BTreeMap, BTreeSet};

/// Figures by name.
type Figures = BTreeMap<String, u64>;
/// Reads them.
type Read = fn(&Findings) -> Figures;

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let Some(before) = &content.before else { return Ok(None) };
    let now = &content.now;
    let mut section = Section::new("against", &format!("Compared with {}", before.name));
    let tables: [(&str, Read); 9] = [
        ("The whole", whole),
        ("Sections, in bytes of flash and RAM together", sections),
        ("Crates, in bytes of flash and RAM together", crates),
        ("Cycles of what runs, without those of what is more urgent", cycles),
        ("Longest masks by place, in cycles", masks),
        ("Stacks, in bytes used", stacks),
        ("Bounds of handlers, in cycles", bounds_of_cycles),
        ("Bounds of stacks, in bytes", bounds_of_stacks),
        ("Longest responses of tasks, in cycles", responses),
    ];
    for (caption, figures) in tables {
        let (now, before) = (figures(now), figures(before));
        section = match compare(&before, &now) {
            Some(table) => section.table(caption, &table),
            None => section.says(&format!("{caption}: nothing has changed.")),
        };
    }
    Ok(Some(section))
}

/// What differs; none where nothing does.
fn compare(before: &Figures, now: &Figures) -> Option<Table> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let mut changes: Vec<(&String, Option<u64>, Option<u64>)> = names
        .into_iter()
        .map(|name| (name, before.get(name).copied(), now.get(name).copied()))
        .filter(|(_, before, now)| before != now)
        .collect();
    // The largest difference first.
    changes.sort_by_key(|(_, before, now)| {
        std::cmp::Reverse(before.unwrap_or(0).abs_diff(now.unwrap_or(0)))
    });
    let mut rows = table(&["what", ">before", ">now", ">difference", ">in percent"]);
    for (name, before, now) in &changes {
        let figure = |figure: Option<u64>| figure.map(grouped).unwrap_or_default();
        let (was, is) = (before.unwrap_or(0), now.unwrap_or(0));
        let sign = if is >= was { "+" } else { "-" };
        let percent = match (before, now) {
            (Some(was), Some(is)) if *was > 0 => {
                format!("{:+.2} %", (*is as f64 / *was as f64 - 1.0) * 100.0)
            }
            _ => String::new(),
        };
        let difference = format!("{sign}{}", grouped(is.abs_diff(was)));
        rows.add_row([(*name).clone(), figure(*before), figure(*now), difference, percent]);
    }
    (!changes.is_empty()).then_some(rows)
}

fn whole(of: &Findings) -> Figures {
    Figures::from([
        ("flash, bytes".to_owned(), of.sizes.flash),
        ("RAM, bytes".to_owned(), of.sizes.ram),
        ("cycles".to_owned(), of.cycles),
        ("instructions".to_owned(), of.instructions),
        ("cycles with interrupts held off".to_owned(), of.masked_cycles),
    ])
}

fn sections(of: &Findings) -> Figures {
    let one = |section: &super::super::size::SectionSize| {
        (section.name.clone(), u64::from(section.flash) + u64::from(section.ram))
    };
    of.sizes.sections.iter().map(one).collect()
}

fn crates(of: &Findings) -> Figures {
    of.crates.iter().map(|one| (one.name.clone(), one.flash + one.ram)).collect()
}

fn cycles(of: &Findings) -> Figures {
    let costs = of.costs.iter().filter(|row| row.group != "output");
    costs.map(|row| (format!("{} ({})", row.name, row.group), row.own_cycles)).collect()
}

fn masks(of: &Findings) -> Figures {
    let mut longest = Figures::new();
    for mask in &of.masks {
        let place = format!("{} ({})", mask.words, mask.register);
        let cycles = longest.entry(place).or_default();
        *cycles = mask.cycles.max(*cycles);
    }
    longest
}

fn stacks(of: &Findings) -> Figures {
    let mut used = Figures::new();
    for stack in &of.stacks {
        let bytes = used.entry(stack.name()).or_default();
        *bytes = u64::from(stack.used).max(*bytes);
    }
    used
}

fn bounds_of_cycles(of: &Findings) -> Figures {
    let rows = of.bounds.iter().flat_map(|bounds| &bounds.rows);
    rows.filter_map(|row| Some((row.function.clone(), row.cycles?))).collect()
}

fn bounds_of_stacks(of: &Findings) -> Figures {
    let rows = of.bounds.iter().flat_map(|bounds| &bounds.rows);
    let stacks = rows.filter_map(|row| Some((row.function.clone(), row.stack?.into())));
    let main = of.bounds.iter().filter_map(|bounds| bounds.main_stack);
    stacks.chain(main.map(|bytes| ("main stack, all of it".to_owned(), bytes.into()))).collect()
}

/// By the analysis with this run's costs, and the bounds of all runs.
fn responses(of: &Findings) -> Figures {
    of.deadlines.iter().flat_map(Report::responses).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::text;

    fn figures(all: &[(&str, u64)]) -> Figures {
        all.iter().map(|(name, figure)| ((*name).to_owned(), *figure)).collect()
    }

    #[test]
    fn what_differs_is_shown_the_most_first() {
        let before = figures(&[("a", 100), ("same", 5), ("gone", 7)]);
        let now = figures(&[("a", 50), ("same", 5), ("new", 9)]);
        let text = text(&compare(&before, &now).unwrap());
        let names: Vec<&str> =
            text.lines().skip(2).filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names, ["a", "new", "gone"], "{text}");
        let words: Vec<&str> = text.split_whitespace().collect();
        let row = ["a", "100", "50", "-50", "-50.00", "%"];
        assert!(words.windows(row.len()).any(|part| part == row), "{text}");
        assert!(words.contains(&"+9") && words.contains(&"-7"), "{text}");
        assert!(compare(&now, &now).is_none());
    }
}
