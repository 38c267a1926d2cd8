//! The crate of a symbol, and the sizes of crates.
//!
//! Names of Rust begin with their crate. A name without a path (of C, of assembly, of a symbol that
//! firmware exports) doesn't tell the crate, but the file of its first line does. The directory
//! around `src` has the name of the crate. A file in `src/bin` is a crate of its own.

use super::Firmware;
use super::symbols::demangle;
use crate::debug::owner::{Source, crate_of_name};
use quintet_sim::image::{Section, Symbol, SymbolKind};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The entry for symbols of no known crate.
const UNKNOWN: &str = "(no crate known)";
/// The entry for bytes without a symbol.
const UNNAMED: &str = "(without a symbol)";

/// The size of a crate, in bytes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CrateSize {
    /// The crate's name.
    pub name: String,
    /// In flash.
    pub flash: u64,
    /// In RAM.
    pub ram: u64,
}

/// Returns the sizes of crates, the largest first. Their sum is the size of the sections.
pub fn sizes(firmware: &Firmware) -> Vec<CrateSize> {
    let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut rest: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let sections = &firmware.image.sections;
    for section in sections {
        let sizes = (u64::from(section.flash_bytes()), u64::from(section.ram_bytes()));
        let (flash, ram) = rest.entry(&section.name).or_default();
        (*flash, *ram) = (*flash + sizes.0, *ram + sizes.1);
    }
    let mut known = BTreeSet::new();
    for symbol in &firmware.image.symbols {
        // Several names for the same bytes count once.
        if symbol.size == 0 || symbol.kind == SymbolKind::Label || !known.insert(symbol.address) {
            continue;
        }
        let Some(section) = sections.iter().find(|section| holds(section, symbol)) else {
            continue;
        };
        let Some((flash, ram)) = rest.get_mut(section.name.as_str()) else { continue };
        let take = |from: &mut u64, counts: bool| {
            let bytes = if counts { u64::from(symbol.size).min(*from) } else { 0 };
            *from -= bytes;
            bytes
        };
        let sum = sums.entry(crate_of(firmware, symbol)).or_default();
        sum.0 += take(flash, section.flash_bytes() > 0);
        sum.1 += take(ram, section.ram_bytes() > 0);
    }
    let unnamed = sums.entry(UNNAMED.to_owned()).or_default();
    for (flash, ram) in rest.values() {
        *unnamed = (unnamed.0 + flash, unnamed.1 + ram);
    }
    let sizes = sums.into_iter().filter(|(_, (flash, ram))| flash + ram > 0);
    let mut sizes: Vec<CrateSize> =
        sizes.map(|(name, (flash, ram))| CrateSize { name, flash, ram }).collect();
    sizes.sort_by_key(|size| std::cmp::Reverse((size.flash + size.ram, size.ram)));
    sizes
}

fn holds(section: &Section, symbol: &Symbol) -> bool {
    (symbol.address & !1).wrapping_sub(section.address) < section.size
}

fn crate_of(firmware: &Firmware, symbol: &Symbol) -> String {
    let name = demangle(&symbol.name);
    let by_file = || {
        let places = firmware.debug.locate(symbol.address & !1);
        // The last is the function that the others were inlined into.
        Source::of(places.last()?.file.as_deref()?).crate_name()
    };
    crate_of_name(&name).map(str::to_owned).or_else(by_file).unwrap_or_else(|| UNKNOWN.to_owned())
}
