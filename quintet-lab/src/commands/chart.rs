//! `quintet chart`: the state machines of a source file, or of an image, as pictures.

use crate::chart::{self, Drawing, json, mermaid, outline, svg};
use crate::exit::Outcome;
use crate::output;
use anyhow::{Context, bail};
use clap::ValueEnum;
use quintet_sim::files;
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quintet chart src/door.rs                       the states and transitions, as text
  quintet chart src/door.rs -o door.svg           as a picture, which browsers show
  quintet chart src/door.rs --format mermaid      for Markdown that draws Mermaid
  quintet chart app --machine Door -o door.svg    from an ELF file, without its source
  quintet chart app --json | jq '.machines[].states[].name'

FILE is a Rust source file with an impl block under `#[quintet::state_machine]`, or the
ELF file of firmware that was built with one. The format follows from the name of OUT
(.svg, .mmd, .txt, .json) where --format says nothing; without OUT it is text.";

/// The largest picture's description that is read, in bytes.
const BYTES_MAX: u64 = 512 << 20;

/// Draw the state machines of a source file or of firmware
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// A Rust source file, or the firmware's ELF file
    file: PathBuf,
    /// Draw this machine only: the name of its type
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// How it is drawn
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file, not to standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Print JSON: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// How machines are drawn.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// A picture
    Svg,
    /// The language of Mermaid
    Mermaid,
    /// An outline
    Text,
    /// An object
    Json,
}

impl Format {
    /// That of a file's name.
    fn of(path: &Path) -> anyhow::Result<Self> {
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        Ok(match end.to_ascii_lowercase().as_str() {
            "svg" => Self::Svg,
            "mmd" | "mermaid" => Self::Mermaid,
            "txt" => Self::Text,
            "json" => Self::Json,
            _ => bail!(
                "the name {} says no format: end it with .svg, .mmd, .txt or .json, or add \
                 --format",
                path.display()
            ),
        })
    }
}

impl Arguments {
    /// Draws.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let format = match (self.format, &self.output) {
            _ if self.json => Format::Json,
            (Some(format), _) => format,
            (None, Some(path)) => Format::of(path)?,
            (None, None) => Format::Text,
        };
        let bytes = files::read(&self.file, BYTES_MAX)
            .with_context(|| format!("cannot read {}", self.file.display()))?;
        let machines = chart::read(&self.file, &bytes)?;
        let machines = self.chosen(machines)?;
        let text = match format {
            Format::Svg => svg::text(self.only(&machines)?),
            Format::Mermaid => mermaid::text(self.only(&machines)?),
            Format::Text => machines.iter().map(outline::text).collect::<Vec<_>>().join("\n"),
            Format::Json => {
                let machines: Vec<_> = machines.iter().map(json::value).collect();
                let file = self.file.display().to_string();
                let report = json!({"file": file, "machines": machines});
                format!("{}\n", serde_json::to_string_pretty(&report)?)
            }
        };
        match &self.output {
            Some(path) => std::fs::write(path, text)
                .with_context(|| format!("cannot write {}", path.display()))?,
            None => output::print(&text)?,
        }
        Ok(Outcome::Done)
    }

    /// The machine that was asked for, or all.
    fn chosen(&self, machines: Vec<Drawing>) -> anyhow::Result<Vec<Drawing>> {
        let Some(name) = &self.machine else { return Ok(machines) };
        let names = named(&machines);
        let near = machines
            .iter()
            .map(|machine| (strsim::jaro_winkler(name, &machine.name), &machine.name))
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|one, other| one.0.total_cmp(&other.0))
            .map_or_else(String::new, |(_, near)| format!("; did you mean {near}?"));
        let mut found: Vec<Drawing> =
            machines.into_iter().filter(|machine| machine.name == *name).collect();
        if found.is_empty() {
            bail!("{} has no state machine {name}, only {names}{near}", self.file.display());
        }
        found.truncate(1);
        Ok(found)
    }

    /// The machine of a format that holds one.
    fn only<'a>(&self, machines: &'a [Drawing]) -> anyhow::Result<&'a Drawing> {
        match machines {
            [machine] => Ok(machine),
            _ => bail!(
                "{} has {} state machines, and a picture shows one: choose by --machine among {}",
                self.file.display(),
                machines.len(),
                named(machines)
            ),
        }
    }
}

fn named(machines: &[Drawing]) -> String {
    machines.iter().map(|machine| machine.name.as_str()).collect::<Vec<_>>().join(", ")
}
