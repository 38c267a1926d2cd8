//! `quintet man`: manual pages, made from the help of each command.

use crate::commands::Cli;
use crate::exit::Outcome;
use crate::output;
use anyhow::{Context, Error, Result, anyhow, ensure};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quintet man | man -l -                         reads the page of quintet
  quintet man ~/.local/share/man/man1            writes all pages, a file a command
  man quintet-run                                reads one of those
  quintet man --json | jq -r '.[].file'          their names

Without FOLDER, the page of quintet is printed, which names all commands. With FOLDER,
there is also a page for each of them, as quintet-run.1. man looks in the folders that
`manpath` prints, in man1 of each; for all users that is /usr/local/share/man/man1.
The pages are of this version: write them again after an update.";

/// What to do where the pages can't be written.
const WAY_OUT: &str = "name a folder that you may write, such as ~/.local/share/man/man1";

/// Print the manual page, or write one for each command
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Where the pages go, a file a command; it is made if it isn't there
    folder: Option<PathBuf>,
    /// Print JSON: the pages, or with FOLDER the files
    #[arg(long)]
    json: bool,
}

/// The page of a command.
#[derive(Serialize)]
struct Page {
    command: String,
    file: String,
    /// The page itself, for `man`; null if it is in the file.
    text: Option<String>,
}

impl Arguments {
    /// Prints the page, or writes all.
    pub fn run(&self) -> Result<Outcome> {
        let mut pages = Vec::new();
        let mut root = Cli::command().disable_help_subcommand(true);
        root.build();
        collect(&root, &mut pages)?;
        if let Some(folder) = &self.folder {
            write(folder, &mut pages)?;
        }
        match (&self.folder, self.json) {
            (_, true) => output::print_json(&pages)?,
            (Some(folder), _) => {
                let count = pages.len();
                output::print(&format!("{count} pages in {}\n", folder.display()))?;
            }
            (None, _) => {
                let first = pages.first().and_then(|page| page.text.as_deref());
                output::print(first.unwrap_or_default())?;
            }
        }
        Ok(Outcome::Done)
    }
}

/// Makes the page of a command, and those of its subcommands behind it.
fn collect(command: &Command, pages: &mut Vec<Page>) -> Result<()> {
    let man = Man::new(command.clone()).source(concat!("quintet ", env!("CARGO_PKG_VERSION")));
    let text = String::from_utf8(render(&man, command)?)?;
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    pages.push(Page { command: name, file: man.get_filename(), text: Some(text) });
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        collect(inner, pages)?;
    }
    Ok(())
}

/// Renders a page. What `--help` has at its end keeps its lines, as the examples are in columns.
fn render(man: &Man, command: &Command) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    man.render_title(&mut bytes)?;
    man.render_name_section(&mut bytes)?;
    man.render_synopsis_section(&mut bytes)?;
    man.render_description_section(&mut bytes)?;
    man.render_options_section(&mut bytes)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut bytes)?;
    }
    if let Some(help) = command.get_after_help() {
        let mut notes = Roff::new();
        notes.control("SH", ["NOTES"]);
        notes.control("nf", []);
        for line in help.to_string().lines() {
            notes.text([roman(line)]);
        }
        notes.control("fi", []);
        notes.to_writer(&mut bytes)?;
    }
    Ok(bytes)
}

/// Writes the pages into a folder. Then each has the path of its file, and no text.
fn write(folder: &Path, pages: &mut [Page]) -> Result<()> {
    ensure!(
        folder.is_dir() || !folder.exists(),
        "{} is a file and no folder; {WAY_OUT}",
        folder.display()
    );
    let with_way_out = |error: Error| anyhow!("{}; {WAY_OUT}", output::in_words(&error));
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
        .map_err(with_way_out)?;
    for page in pages {
        let path = folder.join(&page.file);
        let text = page.text.take().unwrap_or_default();
        output::write(&path, text.as_bytes()).map_err(with_way_out)?;
        page.file = path.display().to_string();
    }
    Ok(())
}
