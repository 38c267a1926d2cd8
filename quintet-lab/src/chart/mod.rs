//! State machines as pictures: `quintet chart` reads, places and writes them.
//!
//! A machine comes from a [`source`] file, or from an image that was built with one. Both have the
//! same [`description`], so the picture shows the machine as the macro has understood it. A
//! [`Drawing`] is a machine as data: states in a tree, and the transitions between them. The
//! [`layout`] gives every box, line and label its place. [`svg`], [`mermaid`], [`plantuml`],
//! [`scxml`], [`outline`] and [`json`] write the drawing.

pub mod description;
pub mod drawing;
pub mod json;
pub mod layout;
pub mod mermaid;
pub mod outline;
pub mod plantuml;
pub mod scxml;
pub mod source;
pub mod svg;
mod words;

pub use drawing::{Drawing, Edge, Initial, Kind, Reaction, State};

use crate::firmware::facts;
use anyhow::{Context, bail};
use quintet_sim::files::TEXT_BYTES_MAX;
use std::path::Path;

/// The first bytes of an ELF file.
const ELF: &[u8] = b"\x7fELF";

/// The content of a file.
#[derive(Clone, Debug)]
pub struct File {
    /// The machines, at least one.
    pub found: Vec<Found>,
    /// Those that macros write, in the order of the text of a source file.
    pub hidden: Vec<Hidden>,
}

/// The attribute inside a macro of a source file. The macro's output isn't known.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// The line, from 1 on.
    pub line: usize,
    /// The column, from 1 on.
    pub column: usize,
    /// The macro.
    pub name: String,
}

impl Hidden {
    /// Returns the message about the hidden machine.
    #[must_use]
    pub fn message(&self) -> String {
        format!(
            "what the macro `{}` makes of `#[state_machine]` here isn't drawn, as only the \
             compiler knows it: draw it from the ELF file of firmware that was built with it",
            self.name
        )
    }
}

/// A machine of a file.
#[derive(Clone, Debug)]
pub struct Found {
    /// The machine. It has no state if it can't be drawn.
    pub drawing: Drawing,
    /// The line of the machine's attribute, in a source file.
    pub line: Option<usize>,
    /// The machine's errors, in the order of the text.
    pub refusals: Vec<Refusal>,
}

/// Why the macro refuses a machine.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The line, from 1 on.
    pub line: usize,
    /// The column, from 1 on.
    pub column: usize,
    /// The macro's words.
    pub message: String,
}

/// Reads the machines of a file, a Rust source file or an ELF file. There is at least one.
pub fn read(path: &Path, bytes: &[u8]) -> anyhow::Result<File> {
    let name = path.display();
    if bytes.starts_with(ELF) {
        let lines = facts::charts(bytes).with_context(|| format!("cannot read {name}"))?;
        let machines = description::read(&lines)
            .with_context(|| format!("the state machines of {name} are damaged"))?;
        if machines.is_empty() {
            bail!(
                "{name} has no state machine: `#[quintet::state_machine]` leaves one in the \
                 section {} of the ELF file. If there is one in the source, build it anew, and \
                 don't strip the section",
                facts::SECTION
            );
        }
        let found = |drawing| Found { drawing, line: None, refusals: Vec::new() };
        let found = machines.into_iter().map(found).collect();
        return Ok(File { found, hidden: Vec::new() });
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        bail!("{name} is neither an ELF file nor a Rust source file: it is no text in UTF-8");
    };
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        bail!("{name} has more than {TEXT_BYTES_MAX} bytes, too many for a Rust source file");
    }
    let file = source::read(path, text)?;
    if file.found.is_empty() {
        let hidden = file.hidden.first().map_or_else(String::new, |one| {
            format!(". {name}:{}:{}: {}", one.line, one.column, one.message())
        });
        bail!(
            "{name} has no state machine: no impl block in it stands under \
             `#[quintet::state_machine(..)]`{hidden}"
        );
    }
    Ok(file)
}
