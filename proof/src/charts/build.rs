//! A crate with charts, built for the host beside a tree's `quintet`, and the runs of its machines.

use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::chart::{Chart, Event};
use super::interpret::SEEN;
use super::print::{self, FORMS, Form};
use crate::firmware::output;

/// The common code of all machines.
pub const SUPPORT: &str = include_str!("../../tests/charts/support.rs");

/// Reads steps from the standard input, two bytes each, and writes the observations after each.
const MAIN: &str = "
use std::io::{Read, Write};

use support::{Driven, event, observe};

fn main() {
    let index = std::env::args().nth(1).and_then(|index| index.parse().ok());
    let mut driven = machine(index.unwrap_or(usize::MAX));
    let mut steps = Vec::new();
    std::io::stdin().read_to_end(&mut steps).unwrap();
    let mut output = std::io::BufWriter::new(std::io::stdout());
    let mut seen = Vec::new();
    for (step, pair) in steps.chunks(2).enumerate() {
        let event = (pair[0] != u8::MAX).then(|| event(pair[0], pair[1]));
        observe(&mut *driven, step, event, &mut seen);
        seen.iter().for_each(|value| output.write_all(&value.to_le_bytes()).unwrap());
    }
}
";

/// A machine's input: its start, or an event.
pub type Step = Option<Event>;

/// Built charts.
pub struct Built {
    binary: PathBuf,
}

/// The run of a machine.
pub struct Ran {
    /// The observations after each step.
    pub seen: Vec<Vec<u16>>,
    /// The failure at its end, if there was one.
    pub failure: Option<String>,
}

/// Returns the directory of crates with charts.
pub fn scratch() -> PathBuf {
    output().with_file_name("charts")
}

impl Built {
    /// Builds a crate of a name with the charts against the `quintet` of a tree.
    pub fn new(tree: &Path, name: &str, charts: &[Chart]) -> Result<Self> {
        let directory = scratch().join(name);
        write(&directory, tree, charts)
            .with_context(|| format!("writing to {}", directory.display()))?;
        let target = scratch().join("target");
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet"])
            .current_dir(&directory)
            .env("CARGO_TARGET_DIR", &target)
            .output()
            .context("cargo could not be started")?;
        if !built.status.success() {
            let said = String::from_utf8_lossy(&built.stderr);
            let directory = directory.display();
            bail!("the charts in {directory} don't build:\n{said}");
        }
        // The name is unique, because the next crate of the same name replaces the binary.
        Ok(Self { binary: target.join("debug").join(name) })
    }

    /// Lets the machine of a chart take steps, in one of its forms.
    pub fn run(&self, index: usize, form: Form, steps: &[Step]) -> Result<Ran> {
        let form = FORMS.iter().position(|one| *one == form).unwrap_or_default();
        let index = index * FORMS.len() + form;
        let path = scratch().join("steps");
        let bytes = |step: &Step| step.map_or([u8::MAX, 0], |e| [e.event as u8, e.payload]);
        std::fs::write(&path, steps.iter().flat_map(bytes).collect::<Vec<_>>())?;
        let ran = Command::new(&self.binary)
            .arg(index.to_string())
            .stdin(File::open(&path)?)
            .output()
            .with_context(|| format!("running {}", self.binary.display()))?;
        let words: Vec<_> =
            ran.stdout.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        let mut words = words.as_slice();
        let mut seen = Vec::new();
        while let Some(length) = words.first() {
            let Some((first, rest)) = words.split_at_checked(usize::from(*length) + SEEN) else {
                break;
            };
            seen.push(first.to_vec());
            words = rest;
        }
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        Ok(Ran { seen, failure: (!ran.status.success()).then_some(said) })
    }
}

/// Writes the crate.
fn write(directory: &Path, tree: &Path, charts: &[Chart]) -> Result<()> {
    let source = directory.join("src");
    if source.exists() {
        std::fs::remove_dir_all(&source)?;
    }
    std::fs::create_dir_all(&source)?;
    let tree = tree.canonicalize()?;
    let name = directory.file_name().context("a directory without a name")?.to_string_lossy();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[dependencies]\n\
         quintet = {{ path = {:?} }}\n\n[profile.dev]\ndebug = false\nincremental = false\n\n\
         [workspace]\n",
        tree.join("quintet")
    );
    std::fs::write(directory.join("Cargo.toml"), manifest)?;
    std::fs::copy(tree.join("Cargo.lock"), directory.join("Cargo.lock"))?;
    std::fs::write(source.join("support.rs"), SUPPORT)?;
    let mut modules = "#![allow(dead_code, unused_variables)]\nmod support;\n".to_owned();
    let mut arms = String::new();
    for (index, chart) in charts.iter().enumerate() {
        let title = format!("Chart {index}.");
        for (place, form) in FORMS.into_iter().enumerate() {
            let index = index * FORMS.len() + place;
            let path = source.join(format!("chart_{index}.rs"));
            std::fs::write(path, print::module(chart, &title, form))?;
            writeln!(modules, "mod chart_{index};")?;
            writeln!(arms, "        {index} => Box::new(chart_{index}::Driver::NEW),")?;
        }
    }
    let machine = format!(
        "\nfn machine(index: usize) -> Box<dyn Driven> {{\n    match index {{\n{arms}        \
         _ => panic!(\"there is no such chart\"),\n    }}\n}}\n"
    );
    ensure!(!charts.is_empty(), "there are no charts");
    std::fs::write(source.join("main.rs"), modules + MAIN + &machine)?;
    Ok(())
}
