//! Scenario files: which rows a group has, and between which marks of the firmware each is
//! measured.
//!
//! ```toml
//! name = "hardware"
//! title = "what the processor's own mechanisms cost"
//! binary = "hardware"             # benches/src/bin/hardware.rs
//! board = "stm32f100"
//! order = 1                       # where the table stands among the others
//! halting = true                  # optional: measured by a halting debugger too
//!
//! [[row]]
//! name = "call and return"
//! marks = [["before", "inside"], ["inside", "after"]]  # cycles, added up
//! document = "rtfm.function_call.0"                     # optional key of figures.toml
//! note = "what a reader should know"                     # optional, printed below the table
//! floor = "thread_switch_as_a_call.0"                   # optional key of hardware-floors.toml
//!
//! [[row]]
//! name = "stack per suspended task"
//! stack = ["pend", "inside"]      # bytes by which the stack pointer is lower at the second mark
//!
//! [[row]]
//! name = "size of a job"
//! constant = "JOB_BYTES"          # bytes, the value of a word of the firmware's memory
//! ```

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// A group's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The group's name.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The binary of the firmware workspace.
    pub binary: String,
    /// The board that its figures are for.
    pub board: String,
    /// Where the table stands among the others.
    pub order: u32,
    /// Whether the firmware can be built with a BKPT at each mark.
    #[serde(default)]
    pub halting: bool,
    /// The rows.
    #[serde(rename = "row")]
    pub rows: Vec<RowScenario>,
}

/// A row's part of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowScenario {
    /// What is measured.
    pub name: String,
    marks: Option<Vec<[String; 2]>>,
    stack: Option<[String; 2]>,
    constant: Option<String>,
    /// The key of the document's figure.
    pub document: Option<String>,
    /// The key of the floor.
    pub floor: Option<String>,
    /// What a reader should know about the row.
    pub note: Option<String>,
}

/// How a row is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What<'a> {
    /// Cycles between marks, of several pairs together.
    Marks(&'a [[String; 2]]),
    /// Stack between two marks.
    Stack(&'a [String; 2]),
    /// A word of memory.
    Constant(&'a str),
}

impl RowScenario {
    /// How the row is measured.
    pub fn what(&self) -> Result<What<'_>> {
        match (&self.marks, &self.stack, &self.constant) {
            (Some(marks), None, None) if !marks.is_empty() => Ok(What::Marks(marks)),
            (None, Some(marks), None) => Ok(What::Stack(marks)),
            (None, None, Some(symbol)) => Ok(What::Constant(symbol)),
            _ => bail!("row \"{}\" needs one of `marks`, `stack` and `constant`", self.name),
        }
    }
}

impl Scenario {
    fn parse(text: &str) -> Result<Self> {
        let scenario: Self = toml::from_str(text)?;
        for row in &scenario.rows {
            row.what()?;
        }
        Ok(scenario)
    }

    /// The names of all marks, each once, in order.
    pub fn marks(&self) -> Vec<&str> {
        let mut marks: Vec<&str> = Vec::new();
        for row in &self.rows {
            let pairs = row.marks.iter().flatten().chain(&row.stack);
            marks.extend(pairs.flatten().map(String::as_str));
        }
        marks.sort_unstable();
        marks.dedup();
        marks
    }
}

/// The scenarios of the firmware workspace under `root`: those named, or all.
pub fn load(root: &Path, names: &[String]) -> Result<Vec<Scenario>> {
    let directory = root.join("benches").join("scenarios");
    let mut all = Vec::new();
    let files = std::fs::read_dir(&directory)
        .with_context(|| format!("no benchmark scenarios in {}", directory.display()))?;
    for file in files {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = std::fs::read_to_string(&path)?;
            all.push(Scenario::parse(&text).with_context(|| path.display().to_string())?);
        }
    }
    all.sort_by(|left, right| (left.order, &left.name).cmp(&(right.order, &right.name)));
    if names.is_empty() {
        return Ok(all);
    }
    names
        .iter()
        .map(|name| match all.iter().find(|scenario| scenario.name == *name) {
            Some(scenario) => Ok(scenario.clone()),
            None => {
                let known: Vec<&str> = all.iter().map(|scenario| scenario.name.as_str()).collect();
                bail!("no group is named \"{name}\"; there are {}", known.join(", "))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "name = 'a'\ntitle = 'b'\nbinary = 'a'\nboard = 'stm32f100'\norder = 1\n";

    #[test]
    fn a_row_is_measured_in_exactly_one_way() {
        let parse = |row: &str| Scenario::parse(&format!("{HEAD}[[row]]\nname = 'r'\n{row}"));
        let scenario = parse("marks = [['x', 'y'], ['y', 'z']]").unwrap();
        assert_eq!(scenario.marks(), ["x", "y", "z"]);
        assert!(matches!(scenario.rows[0].what().unwrap(), What::Marks(marks) if marks.len() == 2));
        assert!(parse("constant = 'X'").is_ok());
        assert!(parse("").unwrap_err().to_string().contains("needs one of"));
        assert!(parse("constant = 'X'\nstack = ['x', 'y']").is_err());
        assert!(parse("marks = []").is_err());
        assert!(parse("mark = [['x', 'y']]").is_err(), "unknown fields are refused");
    }
}
