//! The charts that `cargo test` runs: `proof/tests/charts/chart_*.rs`, with their events and the
//! interpreter's observations.
//!
//! So `quintet`'s own tests, Miri included, need neither the interpreter nor a build of a crate.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::build::Step;
use super::chart::Chart;
use super::interpret::Machine;
use super::mutants::directory;
use super::print::{self, Form};
use super::{generate, steps};

/// The numbers of the charts in the stream: together they have each feature of the language.
pub const CHARTS: [u64; 4] = [0, 101, 125, 135];
/// The events of each.
const EVENTS: usize = 400;
/// The number of steps with one digest of their observations.
const A_DIGEST: usize = 20;
/// The stream of charts.
const SEED: u64 = 22;

/// Writes the files.
pub fn write() -> Result<()> {
    for (path, text) in files()? {
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    let charts = CHARTS.len();
    println!("wrote {charts} charts with {EVENTS} events each to proof/tests/charts");
    Ok(())
}

/// Returns the files, with their contents.
pub fn files() -> Result<Vec<(PathBuf, String)>> {
    let mut files = Vec::new();
    for (number, index) in CHARTS.into_iter().enumerate() {
        let name = format!("chart_{number:02}.rs");
        files.push((directory().join(name), module(&chart(index), index)?));
    }
    Ok(files)
}

/// The chart with a number.
pub fn chart(index: u64) -> Chart {
    generate::chart(SEED, index, 4 + (index % 12) as u32)
}

fn module(chart: &Chart, index: u64) -> Result<String> {
    let title = "Printed by `cargo proof charts --write`: a random chart, its events, and what the \
                 rules\n//! say of them.";
    let mut text = print::module(chart, title, Form::Default);
    let steps = steps(SEED, index, 0, EVENTS);
    writeln!(text, "\n/// The steps: `.` is the start, an event is its name and number.")?;
    writeln!(text, "pub const STEPS: &str = \"\\")?;
    let names: String = steps.iter().map(name).collect();
    for line in names.as_bytes().chunks(90) {
        writeln!(text, "    {}\\", String::from_utf8_lossy(line))?;
    }
    writeln!(text, "\";\n")?;
    writeln!(text, "/// A digest of what is seen in each {A_DIGEST} steps.")?;
    writeln!(text, "pub const SEEN: &[u32] = &[")?;
    let mut machine = Machine::new(chart);
    let mut digests = Vec::new();
    for (first, steps) in steps.chunks(A_DIGEST).enumerate() {
        let mut digest = 0;
        for (step, event) in steps.iter().enumerate() {
            let seen = machine.observe(first * A_DIGEST + step, *event);
            digest = seen.iter().fold(digest, |digest, value| mix(digest, *value));
        }
        digests.push(format!("{digest:#010x},"));
    }
    for line in digests.chunks(7) {
        writeln!(text, "    {}", line.join(" "))?;
    }
    writeln!(text, "];")?;
    Ok(text)
}

/// Returns a step as the source has it.
fn name(step: &Step) -> String {
    step.map_or_else(|| ".".to_owned(), |event| event.to_string().replace(['(', ')'], ""))
}

/// Returns a digest with one more value, computed as in the test.
const fn mix(digest: u32, value: u16) -> u32 {
    (digest.rotate_left(5) ^ value as u32).wrapping_mul(0x9e37_79b9)
}
