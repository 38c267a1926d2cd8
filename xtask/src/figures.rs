//! `cargo xtask figures`: figures in the documentation are printed by the tool, never typed, and
//! the shown code is code that is built.
//!
//! A generated place in a Markdown file names the command whose output it shows. An included place
//! names the file whose text it shows, or a part of that file:
//!
//! ```text
//! <!-- generated: cargo lab bench hardware -->
//! (a fenced block with the output)
//! <!-- end -->
//!
//! <!-- included: examples/src/bin/resources.rs#locks -->
//! (a fenced block with what stands between the lines `// begin: locks` and `// end: locks`)
//! <!-- end -->
//! ```
//!
//! A place of rows, `<!-- rows: docs/glance.toml -->`, has a table of a few rows of other tables.
//!
//! `@NAME` in a command stands for the ELF file of an example. With `; needs PATH` behind the
//! command, the place stays as it is if that file does not exist. This module finds the places,
//! runs the commands and inserts their output. Included files are shown without the comment at
//! their top and without the lines that mark parts.

mod rows;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use quintet_lab::toolchain::{self, Setup};

use crate::tidy::tree::{self, Tree};

const GENERATED: &str = "<!-- generated: ";
const INCLUDED: &str = "<!-- included: ";
const ROWS: &str = "<!-- rows: ";
const END: &str = "<!-- end -->";
/// What `cargo lab bench` prints of a peer without figures.
const NOT_BUILT: &str = " is not measured: ";
/// The target of the examples.
const EXAMPLES: &str = "thumbv7m-none-eabi";

/// Print the figures in the documentation anew
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Change nothing; fail when a figure is not what its command prints now
    #[arg(long)]
    pub check: bool,
    /// With --check: the tables with peers too, whose firmware is built for that, in minutes
    #[arg(long, requires = "check")]
    pub peers: bool,
}

impl Arguments {
    /// Refreshes or checks all Markdown files.
    pub fn run(&self) -> Result<()> {
        let root = tree::root();
        let tree = Tree::read(&root)?;
        let mut outdated = Vec::new();
        let mut files: Vec<_> =
            tree.files.iter().filter(|file| file.path.ends_with(".md")).collect();
        // Rows are taken of tables that are refreshed before.
        files.sort_by_key(|file| file.text.contains(ROWS));
        for file in files {
            let shown = |place: &Place, old: &str| match self.check {
                true if place.has_peers() && !self.peers => Ok(None),
                true => Ok(output(place, &root)?.and_then(|new| place.checked(new, old))),
                false => output(place, &root),
            };
            let refreshed = refresh(&file.text, shown).with_context(|| file.path.clone())?;
            if refreshed == file.text {
                continue;
            }
            if !self.check {
                std::fs::write(root.join(&file.path), &refreshed)?;
                println!("{} is refreshed", file.path);
            }
            outdated.push((&file.path, refreshed));
        }
        if self.check
            && let Some((path, refreshed)) = outdated.first()
        {
            bail!("{path} shows outdated figures; run `cargo xtask figures`. Now:\n{refreshed}");
        }
        Ok(())
    }
}

/// The head of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Place {
    /// The output of a command, if the files that it needs exist.
    Generated { command: String, needs: Option<String> },
    /// A file, or a part of it.
    Included { path: String, part: Option<String> },
    /// Rows of other tables, which a file names.
    Rows { path: String },
}

impl Place {
    fn parse(line: &str) -> Option<Self> {
        let line = line.trim().strip_suffix("-->")?;
        if let Some(inside) = line.strip_prefix(GENERATED) {
            let (command, needs) = cut(inside, "; needs ");
            return Some(Self::Generated { command, needs });
        }
        if let Some(path) = line.strip_prefix(ROWS) {
            return Some(Self::Rows { path: path.trim().to_owned() });
        }
        let (path, part) = cut(line.strip_prefix(INCLUDED)?, "#");
        Some(Self::Included { path, part })
    }

    /// Returns `true` if the place is a table with peers. Their figures may differ by a cycle if
    /// they are built in another directory. `bench --check` checks ours.
    fn has_peers(&self) -> bool {
        let Self::Generated { command, .. } = self else { return false };
        command.starts_with("cargo lab bench ") && !command.contains("--no-peers")
    }

    /// Returns the new text of the place, as [`settled`](Self::settled) does; `None` if the table
    /// lacks a peer that could not be built here, so that there is nothing to compare.
    fn checked(&self, new: String, old: &str) -> Option<String> {
        if let Self::Generated { command, .. } = self
            && new.contains(NOT_BUILT)
        {
            println!("not checked, as a peer does not build here: {command}");
            return None;
        }
        Some(self.settled(new, old))
    }

    /// Returns the new text of the place. The old text stays if it is a table with the same
    /// meaning. Included text must be the same to the letter.
    fn settled(&self, new: String, old: &str) -> String {
        let is_table = matches!(self, Self::Generated { .. });
        if is_table && agree(&new, old) { old.to_owned() } else { new }
    }

    /// The text as it stands in the file: in a fenced block, unless it is Markdown.
    fn fenced(&self, text: &str) -> String {
        let language = match self {
            Self::Generated { .. } => "text",
            Self::Included { path, .. } => match path.rsplit_once('.') {
                Some((_, "rs")) => "rust",
                Some((_, "toml")) => "toml",
                _ => "text",
            },
            Self::Rows { .. } => return format!("\n{text}\n\n"),
        };
        format!("```{language}\n{text}\n```\n")
    }
}

/// Returns the text before the separator, and the text behind it.
fn cut(text: &str, separator: &str) -> (String, Option<String>) {
    match text.trim().split_once(separator) {
        Some((before, behind)) => (before.to_owned(), Some(behind.to_owned())),
        None => (text.trim().to_owned(), None),
    }
}

/// Returns the text with the output of each place's command, if there is one. `output` gets the
/// place's old text, without its fence.
fn refresh(
    text: &str,
    mut output: impl FnMut(&Place, &str) -> Result<Option<String>>,
) -> Result<String> {
    let mut refreshed = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        refreshed.push_str(line);
        refreshed.push('\n');
        let Some(place) = Place::parse(line) else { continue };
        let old: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != END).collect();
        match output(&place, &without_fence(&old))? {
            Some(output) => {
                let trimmed: Vec<&str> = output.trim_end().lines().map(str::trim_end).collect();
                refreshed.push_str(&place.fenced(&trimmed.join("\n")));
            }
            None => old.iter().for_each(|line| refreshed.push_str(&format!("{line}\n"))),
        }
        refreshed.push_str(&format!("{END}\n"));
    }
    Ok(refreshed)
}

/// The lines between those of a fence.
fn without_fence(lines: &[&str]) -> String {
    match lines {
        [first, inside @ .., last] if first.starts_with("```") && *last == "```" => {
            inside.join("\n")
        }
        _ => lines.join("\n"),
    }
}

/// Returns the text for the place; `None` if a file that its command needs does not exist.
fn output(place: &Place, root: &Path) -> Result<Option<String>> {
    match place {
        Place::Generated { command, needs: Some(path) } if !root.join(path).exists() => {
            println!("not refreshed, {path} is not there: {command}");
            Ok(None)
        }
        Place::Generated { command, .. } => printed(command, root).map(Some),
        Place::Rows { path } => rows::table(&root.join(path), root).map(Some),
        Place::Included { path, part } => {
            let text = std::fs::read_to_string(root.join(path)).with_context(|| path.clone())?;
            included(&text, part.as_deref()).map(Some).with_context(|| path.clone())
        }
    }
}

/// Returns the shown text of a file: a part of it, or all but the comment at its top.
fn included(text: &str, part: Option<&str>) -> Result<String> {
    let is_mark = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("// begin: ") || line.starts_with("// end: ")
    };
    let Some(part) = part else {
        let below = text.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
        return Ok(below.filter(|line| !is_mark(line)).collect::<Vec<_>>().join("\n"));
    };
    let (begin, end) = (format!("// begin: {part}"), format!("// end: {part}"));
    let mut behind = text.lines().skip_while(|line| line.trim() != begin);
    ensure!(behind.next().is_some(), "there is no line `{begin}`");
    let lines: Vec<&str> = behind.by_ref().take_while(|line| line.trim() != end).collect();
    let lines: Vec<&str> = lines.into_iter().filter(|line| !is_mark(line)).collect();
    ensure!(!lines.is_empty(), "nothing stands behind `{begin}`");
    let indent = lines.iter().filter(|line| !line.is_empty());
    let indent = indent.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let shown = lines.iter().map(|line| line.get(indent..).unwrap_or(""));
    Ok(shown.collect::<Vec<_>>().join("\n"))
}

/// Returns the output of the command, run at the root.
fn printed(line: &str, root: &Path) -> Result<String> {
    let mut words = line.split_whitespace();
    ensure!(words.next() == Some("cargo"), "only cargo's commands are run: {line}");
    let mut arguments = Vec::new();
    for word in words {
        arguments.push(match word.strip_prefix('@') {
            Some(name) => example(name, root)?.into_os_string(),
            None => word.into(),
        });
    }
    let mut command = cargo();
    command.args(arguments).current_dir(root);
    run(command, line)
}

/// Builds an example. Returns its ELF file.
fn example(name: &str, root: &Path) -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root.join("target"), PathBuf::from).join("firmware");
    let workspace = root.join("examples");
    let setup = Setup { workspace: &workspace, target: EXAMPLES, profile: "release", flags: &[] };
    let mut command = toolchain::cargo(&setup)?;
    command.args(["build", "--quiet", "--release", "--bin", name, "--target-dir"]).arg(&target);
    run(command, name)?;
    Ok(target.join(EXAMPLES).join("release").join(name))
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Returns the output of a command. `name` stands in the message if it fails.
fn run(mut command: Command, name: &str) -> Result<String> {
    let output = command.output().context("cargo could not be started")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} failed:\n{errors}");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns `true` if two texts are the same, but for figures that are a few cycles apart, and for
/// the marks of figures that are behind another one.
///
/// The place of functions in an image depends on the directory of the build, and some figures
/// depend on that place. `bench --check` refuses figures that get worse.
fn agree(one: &str, other: &str) -> bool {
    let lines = |text: &str| -> Vec<Vec<String>> {
        let lines = text.trim_end().lines();
        let words = |line: &str| {
            let words = line.split_whitespace().filter(|word| *word != "behind");
            words.map(str::to_owned).collect()
        };
        lines.map(words).collect()
    };
    let (one, other) = (lines(one), lines(other));
    let same_line = |(one, other): (&Vec<String>, &Vec<String>)| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_word(one, other))
    };
    one.len() == other.len() && one.iter().zip(&other).all(same_line)
}

/// Returns `true` if two words are equal, or figures that are close, or lines that are drawn.
fn same_word(one: &str, other: &str) -> bool {
    let is_drawn = |word: &str| word.chars().all(|character| character == '─');
    let close = |(one, other): (f64, f64)| (one - other).abs() <= 4.0_f64.max(one * 0.03);
    let figures = one.parse().ok().zip(other.parse().ok());
    one == other || is_drawn(one) && is_drawn(other) || figures.is_some_and(close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_may_be_a_few_cycles_apart_and_nothing_else() {
        let text = " timer expiry   179   2.16   ChibiOS\n ───────\n";
        assert!(agree(text, " timer expiry   176   2.12  ChibiOS\n ──────\n"));
        assert!(agree(text, " timer expiry   176   2.12  ChibiOS\n ──────\n\n"));
        assert!(agree(text, " timer expiry   179   behind 1.01   ChibiOS\n ──────\n"));
        assert!(!agree(text, " timer expiry   279   2.16   ChibiOS\n ───────\n"));
        assert!(!agree(text, " timer expiry   179   2.16   uCOS2\n ───────\n"));
        assert!(!agree(text, " timer expiry   179   2.16   ChibiOS\n"));
    }

    #[test]
    fn a_table_is_checked_unless_a_peer_is_missing() {
        let place = Place::parse("<!-- generated: cargo lab bench charts -->").unwrap();
        let old = " deep  51  48  70\n";
        assert_eq!(place.checked(" deep  51  48  71\n".to_owned(), old).unwrap(), old);
        let worse = " deep  51  48  86\n";
        assert_eq!(place.checked(worse.to_owned(), old).unwrap(), worse);
        let missing = format!(" deep  51  48\nstatig{NOT_BUILT}the firmware does not build\n");
        assert_eq!(place.checked(missing, old), None);
    }

    #[test]
    fn included_code_is_the_same_to_the_letter() {
        let place = |line| Place::parse(line).expect("it is the head of a place");
        let (old, new) = ("    delay( 100 );", "delay( 101 );");
        let table = place("<!-- generated: cargo lab bench -->");
        assert_eq!(table.settled(new.to_owned(), old), old);
        assert_eq!(table.settled("delay( 200 );".to_owned(), old), "delay( 200 );");
        let included = place("<!-- included: a.rs -->");
        assert_eq!(included.settled(new.to_owned(), old), new);
    }

    const TEXT: &str = "before\n<!-- generated: cargo lab bench -->\n```text\nold\n```\n\
                        <!-- end -->\nafter\n";

    #[test]
    fn the_output_takes_the_place_of_the_old_one() {
        let refreshed = refresh(TEXT, |place, old| {
            assert_eq!(old, "old");
            assert!(
                matches!(place, Place::Generated { command, .. } if command == "cargo lab bench")
            );
            Ok(Some("new  \n  figure\n\n".to_owned()))
        });
        assert_eq!(refreshed.unwrap(), TEXT.replace("old", "new\n  figure"));
    }

    #[test]
    fn without_output_the_place_stays() {
        assert_eq!(refresh(TEXT, |_, _| Ok(None)).unwrap(), TEXT);
        let place = Place::parse("<!-- generated: cargo lab validate; needs no/file -->").unwrap();
        let needs = Some("no/file".to_owned());
        assert_eq!(place, Place::Generated { command: "cargo lab validate".to_owned(), needs });
        assert!(output(&place, Path::new(".")).unwrap().is_none());
    }

    #[test]
    fn only_cargo_is_run() {
        assert!(printed("rm x", Path::new(".")).is_err());
    }

    #[test]
    fn a_file_is_included_without_its_head_and_marks() {
        let place = Place::parse("<!-- included: a/b.rs#part -->").unwrap();
        let part = Some("part".to_owned());
        assert_eq!(place, Place::Included { path: "a/b.rs".to_owned(), part });
        assert_eq!(place.fenced("b"), "```rust\nb\n```\n");
        let text = "//! Head.\n\nfn a() {\n    // begin: part\n    b();\n\n    c();\n    \
                    // end: part\n}\n";
        assert_eq!(included(text, None).unwrap(), "fn a() {\n    b();\n\n    c();\n}");
        assert_eq!(included(text, Some("part")).unwrap(), "b();\n\nc();");
    }

    #[test]
    fn a_part_that_is_not_there_is_an_error() {
        assert!(included("a", Some("part")).is_err());
        assert!(included("// begin: part\n// end: part", Some("part")).is_err());
    }
}
