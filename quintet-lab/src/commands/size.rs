//! `quintet size`: the flash and RAM that firmware takes, by section and by symbol.

use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use crate::output;
use crate::report::table::{self, Table, grouped, table};
use crate::simulated::open_any;
use quintet_sim::image::{Section, SymbolKind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  quintet size target/thumbv7m-none-eabi/release/app
  quintet size app --top 5            the five heaviest symbols
  quintet size app --json | jq .ram

Flash counts what is stored without power: code, constants and the initial
values of variables. RAM counts variables (with and without initial value) and
code that is copied to RAM, not the stack (see `quintet stack`).";

/// Show what firmware takes in flash and RAM, by section and by symbol
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware's ELF file
    elf: PathBuf,
    /// How many of the heaviest symbols to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The sizes of the firmware.
#[derive(Serialize)]
pub(super) struct Report {
    file: String,
    pub(super) flash: u64,
    pub(super) ram: u64,
    pub(super) sections: Vec<SectionSize>,
    symbols: Vec<SymbolSize>,
}

/// The size of a section.
#[derive(Serialize)]
pub(super) struct SectionSize {
    pub(super) name: String,
    pub(super) address: u32,
    pub(super) load_address: Option<u32>,
    pub(super) size: u32,
    pub(super) flash: u32,
    pub(super) ram: u32,
}

#[derive(Serialize)]
struct SymbolSize {
    name: String,
    symbol: String,
    address: u32,
    size: u32,
    section: Option<String>,
    kind: &'static str,
}

impl Arguments {
    /// Prints the sizes.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let firmware = open_any(&self.elf)?;
        let report = report(&firmware, self.top);
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&text(&report))?;
        }
        Ok(Outcome::Done)
    }
}

/// The sizes, with the `top` heaviest symbols.
pub(super) fn report(firmware: &Firmware, top: usize) -> Report {
    let sections: Vec<SectionSize> = sections(firmware)
        .into_iter()
        .map(|section| SectionSize {
            flash: section.flash_bytes(),
            ram: section.ram_bytes(),
            name: section.name,
            address: section.address,
            load_address: section.load_address,
            size: section.size,
        })
        .collect();
    Report {
        file: firmware.path.display().to_string(),
        flash: sections.iter().map(|section| u64::from(section.flash)).sum(),
        ram: sections.iter().map(|section| u64::from(section.ram)).sum(),
        symbols: heaviest(firmware, top),
        sections,
    }
}

/// The sections, or the segments in their place where the file has no section table.
fn sections(firmware: &Firmware) -> Vec<Section> {
    let image = &firmware.image;
    if !image.sections.is_empty() {
        return image.sections.clone();
    }
    let from_segment = |segment: &quintet_sim::image::Segment| Section {
        name: format!("segment {}", segment.index),
        address: segment.address,
        load_address: (!segment.bytes.is_empty()).then_some(segment.load_address),
        size: segment.memory_size,
        executable: false,
        writable: segment.bytes.is_empty(),
    };
    image.segments.iter().map(from_segment).collect()
}

/// The heaviest symbols. Several names for the same bytes count once.
fn heaviest(firmware: &Firmware, top: usize) -> Vec<SymbolSize> {
    let mut by_address = BTreeMap::new();
    for symbol in &firmware.image.symbols {
        if symbol.size > 0 && symbol.kind != SymbolKind::Label {
            by_address.entry(symbol.address).or_insert(symbol);
        }
    }
    let mut symbols: Vec<_> = by_address.into_values().collect();
    symbols.sort_by_key(|symbol| std::cmp::Reverse(symbol.size));
    let sections = &firmware.image.sections;
    let size = |symbol: &quintet_sim::image::Symbol| SymbolSize {
        name: demangle(&symbol.name),
        symbol: symbol.name.clone(),
        address: symbol.address,
        size: symbol.size,
        section: sections
            .iter()
            .find(|section| symbol.address.wrapping_sub(section.address) < section.size)
            .map(|section| section.name.clone()),
        kind: if symbol.kind == SymbolKind::Function { "function" } else { "data" },
    };
    symbols.into_iter().take(top).map(size).collect()
}

/// The sections.
pub(super) fn section_table(report: &Report) -> Table {
    let mut sections = table(&["section", ">address", ">flash", ">RAM"]);
    let bytes = |count: u32| if count == 0 { String::new() } else { grouped(u64::from(count)) };
    for section in &report.sections {
        let address = format!("{:#010x}", section.address);
        sections.add_row([section.name.clone(), address, bytes(section.flash), bytes(section.ram)]);
    }
    let totals = [grouped(report.flash), grouped(report.ram)];
    sections.add_row(["total".into(), String::new(), totals[0].clone(), totals[1].clone()]);
    sections
}

/// The heaviest symbols.
pub(super) fn symbol_table(report: &Report) -> Table {
    let mut symbols = table(&[">bytes", "section", "symbol"]);
    for symbol in &report.symbols {
        let section = symbol.section.clone().unwrap_or_default();
        symbols.add_row([grouped(u64::from(symbol.size)), section, symbol.name.clone()]);
    }
    symbols
}

fn text(report: &Report) -> String {
    let mut text = table::text(&section_table(report));
    if !report.symbols.is_empty() {
        let symbols = table::text(&symbol_table(report));
        text.push_str(&format!("\nThe heaviest symbols:\n{symbols}"));
    }
    text
}
