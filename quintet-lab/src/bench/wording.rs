//! The wording of a group: titles, rows' names, notes, and the reasons of empty cells.
//!
//! A sentence that is typed goes stale unseen when the data change. So a sentence here says what a
//! row is, and the data say the rest. [`check`] refuses
//!
//! - a figure in a note. A note takes figures from the data, and [`filled`] puts them in:
//!   `{floors.pool_get.0}` is from `hardware-floors.toml`, `{figures.qp.group3.publish_constant}`
//!   from `figures.toml`;
//! - the name of a system or a document that has no figure in the group;
//! - the name of a build in which no system has a figure in the group;
//! - a comparison in a note: columns compare.
//!
//! The notes that name systems, versions and builds, and count rows, are made from the rows
//! (the module `notes`).

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};

use super::figures::{Figure, Figures};
use super::kernels::Kernels;
use super::row::RowScenario;
use super::scenario::Scenario;

/// Words that compare.
const COMPARES: [&str; 7] = ["ahead", "best", "faster", "fastest", "least", "slower", "slowest"];

/// The names of other systems, documents and builds. Our own columns are common words.
#[derive(Debug, Default)]
struct Names {
    columns: BTreeSet<String>,
    builds: BTreeSet<String>,
}

impl Names {
    /// Those that have a figure in a group.
    fn of(scenario: &Scenario, kernels: &Kernels) -> Result<Self> {
        let kernels = kernels.of_group(&scenario.kernels)?;
        let mut names = Self::default();
        names.columns.extend(scenario.peers.iter().map(|peer| peer.name.clone()));
        for row in &scenario.rows {
            names.columns.extend(row.documents.iter().map(|[name, _]| name.clone()));
            let Some(key) = &row.published else { continue };
            for (name, column) in kernels.row(key, &row.columns)? {
                names.columns.insert(name);
                let builds = column.builds.into_iter();
                names.builds.extend(builds.flat_map(|builds| builds.cycles.into_keys()));
            }
        }
        Ok(names)
    }

    /// Those of all kernels that come with the tool.
    fn of_kernels(kernels: &Kernels) -> Self {
        let mut names = Self::default();
        for kernel in kernels.iter() {
            names.columns.insert(kernel.name.clone());
            names.builds.extend(kernel.builds.iter().map(|build| build.name.clone()));
        }
        names
    }
}

/// Refuses groups whose wording says what the data don't.
///
/// # Errors
/// The first such sentence, with its group and row, the reason and the way out.
pub fn check(scenarios: &[Scenario]) -> Result<()> {
    let (figures, kernels) = (Figures::built_in()?, Kernels::built_in()?);
    let mut known = Names::of_kernels(&kernels);
    let mut groups = Vec::new();
    for scenario in scenarios {
        let file = || format!("benches/scenarios/{}.toml", scenario.name);
        let here = Names::of(scenario, &kernels).with_context(file)?;
        known.columns.extend(here.columns.iter().cloned());
        groups.push((scenario, here));
    }
    for (scenario, here) in groups {
        let file = || format!("benches/scenarios/{}.toml", scenario.name);
        check_group(scenario, &figures, |text| without_names(text, &known, &here))
            .with_context(file)?;
    }
    Ok(())
}

/// Checks a group. `named` checks the names in a text, and returns the rest of the text.
fn check_group(
    scenario: &Scenario,
    figures: &Figures,
    named: impl Fn(&str) -> Result<String>,
) -> Result<()> {
    named(&scenario.title).context("the title")?;
    for row in &scenario.rows {
        let of_row = || format!("row \"{}\"", row.name);
        named(&row.name).with_context(of_row)?;
        for text in texts(row) {
            let check = || -> Result<()> {
                filled(text, figures)?;
                says_what_a_row_is(&named(&typed(text)?)?)
            };
            check().with_context(of_row)?;
        }
    }
    Ok(())
}

/// The sentences of a row that are printed below the table.
fn texts(row: &RowScenario) -> impl Iterator<Item = &String> {
    row.note.iter().chain(row.without.values())
}

/// Returns a note with the figures that it takes from the data.
///
/// # Errors
/// What it asks for isn't there.
pub fn filled(text: &str, figures: &Figures) -> Result<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, key, behind)) = next(rest)? {
        filled += before;
        filled += &figure(key, figures)?.to_string();
        rest = behind;
    }
    Ok(filled + rest)
}

/// Returns the part of a note that is not from the data.
fn typed(text: &str) -> Result<String> {
    let mut typed = String::new();
    let mut rest = text;
    while let Some((before, _, behind)) = next(rest)? {
        typed += before;
        rest = behind;
    }
    Ok(typed + rest)
}

/// Returns what is before, in and behind the first pair of braces.
fn next(text: &str) -> Result<Option<(&str, &str, &str)>> {
    let Some((before, inside)) = text.split_once('{') else { return Ok(None) };
    let (key, behind) = inside.split_once('}').context("the note has a `{` without `}`")?;
    Ok(Some((before, key, behind)))
}

fn figure(key: &str, figures: &Figures) -> Result<Figure> {
    match key.split_once('.') {
        Some(("floors", path)) => figures.floor(path),
        Some(("figures", path)) => figures.document(path),
        _ => bail!("the note asks for `{{{key}}}`: write `{{floors.KEY}}` or `{{figures.KEY}}`"),
    }
}

/// Returns the text without the names of systems, documents and builds of the group.
fn without_names(text: &str, known: &Names, here: &Names) -> Result<String> {
    let mut text = text.to_owned();
    for (name, is_build) in by_length(known) {
        let Some(rest) = without(&text, name) else { continue };
        let list = |names: &BTreeSet<String>| {
            names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
        };
        if is_build {
            ensure!(
                here.builds.contains(name),
                "the text names the build {name}, in which nobody has a figure in this group: \
                 leave it out, or choose from {}",
                list(&here.builds)
            );
        } else {
            ensure!(
                here.columns.contains(name),
                "the text names {name}, which has no figure in this group: leave it out, or \
                 choose from {}",
                list(&here.columns)
            );
        }
        text = rest;
    }
    Ok(text)
}

/// All names, the longest first, each with `true` if it is a build's.
fn by_length(names: &Names) -> Vec<(&str, bool)> {
    let columns = names.columns.iter().map(|name| (name.as_str(), false));
    let builds = names.builds.iter().map(|name| (name.as_str(), true));
    let mut all: Vec<_> = columns.chain(builds).collect();
    all.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    all
}

/// Returns the text without a name; `None` if the name is not in it as a word.
fn without(text: &str, name: &str) -> Option<String> {
    let is_within = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    let mut rest = String::new();
    let mut begin = 0;
    for (place, _) in text.match_indices(name) {
        let end = place + name.len();
        let (before, behind) = (&text[..place], &text[end..]);
        if !is_within(before.chars().next_back()) && !is_within(behind.chars().next()) {
            rest += &text[begin..place];
            begin = end;
        }
    }
    (begin > 0).then(|| rest + &text[begin..])
}

/// Refuses figures and comparisons in the typed part of a note.
fn says_what_a_row_is(text: &str) -> Result<()> {
    let is_edge = |character: char| character.is_ascii_punctuation();
    for word in text.split_whitespace().map(|word| word.trim_matches(is_edge)) {
        ensure!(
            word.parse::<f64>().is_err() || word.starts_with(char::is_alphabetic),
            "the note says {word}, which nothing compares with the data: take the figure from \
             them by `{{floors.KEY}}` or `{{figures.KEY}}`, give it a row, or leave it out"
        );
        ensure!(
            !COMPARES.contains(&word),
            "the note says \"{word}\", which nothing compares with the data: columns compare, a \
             note says what its row is"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::scenario;

    const GROUP: &str = "name = 'a'\ntitle = 'b'\nbinary = 'a'\nboard = 'stm32f100'\norder = 1\n\
        kernels = ['QV 8.1.5', 'QK 7.3.4']\n[[peer]]\nname = 'RTIC'\ncrate = 'p'\n\
        [[row]]\nname = 'r'\nmarks = [['x', 'y']]\npublished = 'cycles.dpp_post'\n";

    /// What is said of a group with these further lines, beside another one with other columns.
    fn refused(lines: &str) -> Option<String> {
        let other = GROUP.replace("'a'", "'c'").replace("RTIC", "Embassy");
        let parse = |text: &str| Scenario::parse(text).unwrap();
        let group = parse(&format!("{GROUP}{lines}"));
        let said = check(&[group, parse(&other)]).err().map(|error| format!("{error:#}"))?;
        Some(said.strip_prefix("benches/scenarios/a.toml: ").unwrap().to_owned())
    }

    #[test]
    fn a_figure_comes_from_the_data() {
        assert_eq!(
            refused("note = 'both take 68'").unwrap(),
            "row \"r\": the note says 68, which nothing compares with the data: take the figure \
             from them by `{floors.KEY}` or `{figures.KEY}`, give it a row, or leave it out"
        );
        assert_eq!(refused("note = 'both take {floors.actor_post_dispatch_return.0}'"), None);
        assert_eq!(refused("note = 'the 16-bit timer of QV 8.1.5'"), None);
        let said = refused("note = 'both take {floors.nap}'").unwrap();
        assert_eq!(said, "row \"r\": no floor `nap` in hardware-floors.toml");
        let said = refused("note = 'both take {floor}'").unwrap();
        assert!(said.contains("asks for `{floor}`: write `{floors.KEY}` or"), "{said}");
        assert!(refused("note = 'both take {floors.x'").unwrap().contains("a `{` without `}`"));
        let figures = Figures::built_in().unwrap();
        let text = filled("{figures.qp.group3.publish_constant} and {floors.pool_get.0}", &figures);
        assert_eq!(text.unwrap(), "63 and 10");
    }

    #[test]
    fn only_systems_of_the_group_are_named() {
        assert_eq!(refused("note = 'as in RTIC'"), None);
        assert_eq!(
            refused("note = 'as in RTX5'").unwrap(),
            "row \"r\": the text names RTX5, which has no figure in this group: leave it out, or \
             choose from QK 7.3.4, QV 8.1.5, RTIC"
        );
        let said = refused("without = { RTIC = 'Embassy has one' }").unwrap();
        assert!(said.contains("names Embassy, which has no figure"), "{said}");
        let said = refused("[[row]]\nname = 'as Mark3 does'\nconstant = 'X'").unwrap();
        assert!(said.starts_with("row \"as Mark3 does\": the text names Mark3"), "{said}");
    }

    #[test]
    fn only_builds_with_a_figure_are_named() {
        assert_eq!(refused("note = 'as at -Os'"), None);
        assert_eq!(
            refused("note = 'as at -O3 LTO unchecked'").unwrap(),
            "row \"r\": the text names the build -O3 LTO unchecked, in which nobody has a figure \
             in this group: leave it out, or choose from -O2, -O2 unchecked, -Os"
        );
    }

    #[test]
    fn columns_compare_and_notes_do_not() {
        assert_eq!(
            refused("note = 'the least of all'").unwrap(),
            "row \"r\": the note says \"least\", which nothing compares with the data: columns \
             compare, a note says what its row is"
        );
    }

    #[test]
    fn the_groups_of_the_tree_say_what_the_data_say() {
        // `load` checks them.
        assert!(scenario::load(&crate::project::root().unwrap(), &[]).unwrap().len() > 10);
    }
}
