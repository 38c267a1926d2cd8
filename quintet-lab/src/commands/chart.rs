//! `quintet chart`: the state machines of a source file, or of an image, as pictures.

use crate::chart::{
    self, Drawing, File, Found, Hidden, json, mermaid, outline, plantuml, scxml, svg,
};
use crate::exit::Outcome;
use crate::output;
use anyhow::{Context, bail};
use clap::ValueEnum;
use quintet_sim::files;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quintet chart src/door.rs                       the states and transitions, as text
  quintet chart src/door.rs -o door.svg           as a picture, which browsers show
  quintet chart src/door.rs --format mermaid      for Markdown that draws Mermaid
  quintet chart src/door.rs -o door.scxml         for editors of SCXML
  quintet chart app --machine Door -o door.svg    from an ELF file, without its source
  quintet chart app --machine Door#2              the second one of this name
  quintet chart app --json | jq '.machines[].states[].name'

FILE is a Rust source file with an impl block under `#[quintet::state_machine]`, or the
ELF file of firmware that was built with one. What the macro refuses in a source is said in
the macro's words, with exit code 120, and the machine is drawn as a draft. A machine that
another macro writes is in the ELF file only; where a source has one is said. The format
follows from the name of OUT (.svg, .mmd, .puml, .scxml, .txt, .json) where --format says
nothing; without OUT it is text.";

/// The largest picture's description that is read, in bytes.
const BYTES_MAX: u64 = 512 << 20;

/// Draw the state machines of a source file or of firmware
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// A Rust source file, or the firmware's ELF file
    file: PathBuf,
    /// Draw this machine only: the name of its type, with #2 if it is the second of that name
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

/// The formats of drawings.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// A picture
    Svg,
    /// The language of Mermaid
    Mermaid,
    /// The language of PlantUML
    Plantuml,
    /// The W3C's notation, for editors and other tools
    Scxml,
    /// An outline
    Text,
    /// An object
    Json,
}

impl Format {
    /// Returns the format for a file's name.
    fn of(path: &Path) -> anyhow::Result<Self> {
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        Ok(match end.to_ascii_lowercase().as_str() {
            "svg" => Self::Svg,
            "mmd" | "mermaid" => Self::Mermaid,
            "puml" | "plantuml" => Self::Plantuml,
            "scxml" => Self::Scxml,
            "txt" => Self::Text,
            "json" => Self::Json,
            _ => bail!(
                "the name {} says no format: end it with .svg, .mmd, .puml, .scxml, .txt or \
                 .json, or add --format",
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
        let File { found, hidden } = chart::read(&self.file, &bytes)?;
        self.complain(&hidden);
        let found = self.chosen(found)?;
        // One that is refused and has no state says only why.
        let drawn: Vec<_> = found.iter().filter(|one| !one.drawing.states.is_empty()).collect();
        if !drawn.is_empty() || format == Format::Json {
            let text = match format {
                Format::Svg => svg::text(self.only(&found)?),
                Format::Mermaid => mermaid::text(self.only(&found)?),
                Format::Plantuml => plantuml::text(self.only(&found)?),
                Format::Scxml => scxml::text(self.only(&found)?),
                Format::Text => {
                    let texts: Vec<_> =
                        drawn.iter().map(|one| outline::text(&one.drawing)).collect();
                    texts.join("\n")
                }
                Format::Json => self.json(&found, &hidden)?,
            };
            self.write(&text)?;
        }
        self.refused(&found)?;
        Ok(Outcome::Done)
    }

    fn write(&self, text: &str) -> anyhow::Result<()> {
        match &self.output {
            Some(path) => output::write(path, text.as_bytes()),
            None => output::print(text),
        }
    }

    fn json(&self, found: &[Found], hidden: &[Hidden]) -> anyhow::Result<String> {
        let machines: Vec<_> = found.iter().map(json::value).collect();
        let hidden: Vec<_> = hidden.iter().map(json::hidden).collect();
        let file = self.file.display().to_string();
        let report = json!({"file": file, "machines": machines, "hidden": hidden});
        Ok(format!("{}\n", serde_json::to_string_pretty(&report)?))
    }

    /// Reports the machines that aren't drawn, each at its place.
    fn complain(&self, hidden: &[Hidden]) {
        for one in hidden {
            let file = self.file.display();
            output::complain(&format!("{file}:{}:{}: {}", one.line, one.column, one.message()));
        }
    }

    /// Reports the refusals of the macro, each at its place.
    fn refused(&self, found: &[Found]) -> anyhow::Result<()> {
        let file = self.file.display();
        let lines: Vec<_> = found
            .iter()
            .flat_map(|one| &one.refusals)
            .map(|one| format!("{file}:{}:{}: {}", one.line, one.column, one.message))
            .collect();
        if lines.is_empty() { Ok(()) } else { bail!("{}", lines.join("\n")) }
    }

    /// The machine that was asked for, or all.
    fn chosen(&self, found: Vec<Found>) -> anyhow::Result<Vec<Found>> {
        let Some(asked) = &self.machine else { return Ok(found) };
        let (file, names) = (self.file.display(), names(&found));
        if let Some(place) = names.iter().position(|name| name == asked) {
            return Ok(found.into_iter().skip(place).take(1).collect());
        }
        let same: Vec<_> =
            names.iter().zip(&found).filter(|(_, one)| one.drawing.name == *asked).collect();
        if !same.is_empty() {
            let listed: Vec<_> = same
                .iter()
                .map(|(name, one)| match one.line {
                    Some(line) => format!("{name} (line {line})"),
                    None => (*name).clone(),
                })
                .collect();
            let (count, listed) = (same.len(), listed.join(", "));
            bail!("{file} has {count} state machines {asked}: choose by --machine among {listed}");
        }
        let near = names
            .iter()
            .map(|name| (strsim::jaro_winkler(asked, name), name))
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|one, other| one.0.total_cmp(&other.0))
            .map_or_else(String::new, |(_, near)| format!("; did you mean {near}?"));
        bail!("{file} has no state machine {asked}, only {}{near}", names.join(", "))
    }

    /// The machine of a format that holds one.
    fn only<'a>(&self, found: &'a [Found]) -> anyhow::Result<&'a Drawing> {
        match found {
            [one] => Ok(&one.drawing),
            _ => bail!(
                "{} has {} state machines, and a picture shows one: choose by --machine among {}",
                self.file.display(),
                found.len(),
                names(found).join(", ")
            ),
        }
    }
}

/// Returns the names by which you choose machines. Machines of the same name have a number.
fn names(found: &[Found]) -> Vec<String> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for one in found {
        counts.entry(&one.drawing.name).or_default().0 += 1;
    }
    let name = |one: &Found| {
        let name = one.drawing.name.clone();
        let (count, number) = counts.get_mut(name.as_str())?;
        *number += 1;
        Some(if *count == 1 { name } else { format!("{name}#{number}") })
    };
    found.iter().filter_map(name).collect()
}
