//! `quintet map`: the priority line of an image, with the cost of each entry.
//!
//! The application's expansion leaves the facts in a section that isn't loaded. The memory comes
//! from the symbols of their statics.

mod beside;
mod guards;
mod line;

use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::firmware::facts::{self, SECTION};
use crate::firmware::symbols::demangle;
use crate::input;
use crate::output;
use crate::report::table::{self, Table, grouped, table};
use crate::simulated::open_any;
use anyhow::{Context, bail};
use guards::Guard;
use line::{Entry, Line, Resource};
use quintet_sim::image::{Image, SymbolKind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quintet map target/thumbv7m-none-eabi/release/app
  quintet map app --json | jq '.line[] | select(.stack)'

From the most urgent to idle: interrupts, the switch of threads, threads, idle.
RAM counts what the framework keeps for each (control block, ready bits, the
future or the arguments that wait), without its stack and its resources.";

/// The ends of the paths of the counters of regions that guard stacks: one for the case of a region
/// for each stack, and one for a region that moves from stack to stack.
const COUNTER_OF_EACH: &str = "thread::guard::each::CLAIMED";
const COUNTER_OF_ONE: &str = "thread::guard::moving::MOVING";

/// Show an application's priority line: who runs where, at which cost
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware's ELF file
    elf: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The map of an application.
#[derive(Serialize)]
pub(super) struct Report {
    file: String,
    scheduler: String,
    priority_bits: u8,
    line: Vec<Row>,
    resources: Vec<Resource>,
    /// Warnings about code of other crates that is wrong beside threads.
    pub(super) warnings: Vec<&'static str>,
    /// The stacks without a guard, in words.
    #[serde(skip)]
    pub(super) unguarded: String,
}

/// An entry of the line, with facts that follow from the whole line.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    entry: Entry,
    /// Null without a stack, and where no region guards stacks.
    guard: Option<Guard>,
}

impl Arguments {
    /// Prints the map.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let firmware = open_any(&self.elf)?;
        let bytes = input::firmware(&self.elf)?;
        let Some(report) = report(&firmware, &self.elf, &bytes)? else {
            bail!(
                "{} has no map: `#[quintet::app]` leaves one in the ELF file. If it is an \
                 application, build it anew, and don't strip the section {SECTION}",
                self.elf.display()
            );
        };
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&format!("{}{}", text(&report), report.unguarded))?;
        }
        Ok(Outcome::Done)
    }
}

/// Returns the map of an ELF file with these bytes; `None` if the file contains no application.
pub(super) fn report(
    firmware: &Firmware,
    elf: &Path,
    bytes: &[u8],
) -> anyhow::Result<Option<Report>> {
    let Some(facts) = facts::read(bytes)? else { return Ok(None) };
    let Line { scheduler, priority_bits, entries, resources } =
        line::read(&facts, &sizes(&firmware.image))
            .with_context(|| format!("the map of {} is damaged", elf.display()))?;
    let file = firmware.path.display().to_string();
    let guards = match guarded(firmware) {
        Some(most) => guards::of(&entries, most),
        None => vec![None; entries.len()],
    };
    let has_threads = entries.iter().any(|entry| entry.start.is_some());
    let warnings = if has_threads { beside::warnings(firmware, elf) } else { Vec::new() };
    let unguarded = guards::text(&entries, &guards);
    let line = entries.into_iter().zip(guards).map(|(entry, guard)| Row { entry, guard });
    let line = line.collect();
    Ok(Some(Report { file, scheduler, priority_bits, line, resources, warnings, unguarded }))
}

/// Returns the most stacks that have a guard, if regions of the memory protection unit guard them:
/// the framework counts them then.
fn guarded(firmware: &Firmware) -> Option<usize> {
    let has = |path: &str| {
        let name = path.rsplit("::").next().unwrap_or(path);
        let mut names = firmware.image.symbols.iter().map(|symbol| &symbol.name);
        // The compiler may put a number behind it.
        names.any(|symbol| symbol.contains(name) && demangle(symbol).contains(path))
    };
    if has(COUNTER_OF_ONE) {
        return Some(usize::MAX);
    }
    has(COUNTER_OF_EACH).then_some(guards::REGIONS)
}

/// Returns the sizes of variables, by the last part of their paths. Statics of one name add up.
/// Quintet's own variables have their whole path, because an application may use such names.
fn sizes(image: &Image) -> BTreeMap<String, u32> {
    let mut sizes = BTreeMap::new();
    for symbol in &image.symbols {
        if symbol.size == 0 || symbol.kind == SymbolKind::Function {
            continue;
        }
        let path = demangle(&symbol.name);
        let of_quintet = path.strip_prefix("quintet::");
        if let Some(name) = of_quintet.or_else(|| path.rsplit("::").next()) {
            *sizes.entry(name.to_owned()).or_insert(0) += symbol.size;
        }
    }
    sizes
}

fn bytes(count: u32) -> String {
    if count == 0 { String::new() } else { grouped(u64::from(count)) }
}

/// The scheduler and the chip, in a sentence.
pub(super) fn heading(report: &Report) -> String {
    let Report { scheduler, priority_bits, .. } = report;
    format!("The scheduler is {scheduler}; the chip has {priority_bits} priority bits.")
}

/// The priority line.
pub(super) fn line_table(report: &Report) -> Table {
    let mut line = table(&[">priority", "what", "runs in", ">RAM", ">stack"]);
    for Row { entry, .. } in &report.line {
        let priority = entry.priority.map_or_else(String::new, |priority| priority.to_string());
        let what = format!("{}{}", "  ".repeat(usize::from(entry.depth)), entry.what);
        line.add_row([priority, what, entry.runs_in.clone(), bytes(entry.ram), bytes(entry.stack)]);
    }
    let total = |of: fn(&Entry) -> u32| bytes(report.line.iter().map(|row| of(&row.entry)).sum());
    let totals = [total(|entry| entry.ram), total(|entry| entry.stack)];
    line.add_row([String::new(), "total".into(), String::new()].into_iter().chain(totals));
    line
}

/// Returns the table of shared resources; `None` if there are none.
pub(super) fn resource_table(report: &Report) -> Option<Table> {
    let mut resources = table(&["resource", "ceiling", "a lock holds off", ">RAM", "users"]);
    for one in &report.resources {
        resources.add_row([
            one.name.clone(),
            one.ceiling.clone(),
            one.holds_off.clone(),
            bytes(one.ram),
            one.users.join(", "),
        ]);
    }
    (!report.resources.is_empty()).then_some(resources)
}

fn text(report: &Report) -> String {
    let mut text = format!("{}\n\n{}", heading(report), table::text(&line_table(report)));
    if let Some(resources) = resource_table(report) {
        text.push_str(&format!("\n{}", table::text(&resources)));
    }
    for warning in &report.warnings {
        text.push_str(&format!("\nWarning: {warning}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::image::Symbol;

    #[test]
    fn an_application_may_use_the_names_of_quintet() {
        let symbol = |path: &str, size| {
            let parts = path.split("::").map(|part| format!("{}{part}", part.len()));
            let name = format!("_ZN{}17h0123456789abcdefE", parts.collect::<String>());
            Symbol { name, address: 0x2000_0000, size, kind: SymbolKind::Data, absolute: false }
        };
        let idle = symbol("quintet::core::record::scheduler::IDLE", 56);
        let symbols = vec![idle, symbol("app::IDLE", 1000)];
        let sizes = sizes(&Image { symbols, ..Image::default() });
        assert_eq!((sizes["core::record::scheduler::IDLE"], sizes["IDLE"]), (56, 1000));
    }
}
