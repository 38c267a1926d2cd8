//! The crate of a symbol, and the sizes of crates.
//!
//! Names of Rust begin with their crate. A name without a path (of C, of assembly, of a symbol that
//! firmware exports) doesn't tell the crate, but the file of its first line does. The directory
//! around `src` has the name of the crate. A file in `src/bin` is a crate of its own.

use super::Firmware;
use super::symbols::demangle;
use quintet_sim::image::{Section, Symbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};

/// The entry for symbols of no known crate.
const UNKNOWN: &str = "(no crate known)";
/// The entry for bytes without a symbol.
const UNNAMED: &str = "(without a symbol)";

/// The size of a crate, in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
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
        of_file(places.last()?.file.as_deref()?)
    };
    of_name(&name).or_else(by_file).unwrap_or_else(|| UNKNOWN.to_owned())
}

/// The crate that a name begins with: in `<a::B as c::D>::e` that of the type, or of the trait
/// where the type is one of the language.
fn of_name(name: &str) -> Option<String> {
    let starts = name.split(['<', ' ', '&', '*', '(', '[', ',']).filter(|part| part.contains("::"));
    let first = starts.filter_map(|part| part.split("::").next()).find(|first| is_word(first))?;
    Some(first.to_owned())
}

fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The crate of a file: of the compiler's library, of the registry, or of the firmware's own tree.
fn of_file(file: &str) -> Option<String> {
    if let Some((_, path)) = file.split_once("/library/") {
        return path.split('/').next().map(written);
    }
    if let Some((_, path)) = file.split_once("/registry/src/") {
        let (name, _version) = path.split('/').nth(1)?.rsplit_once('-')?;
        return Some(written(name));
    }
    let (directory, path) = file.rsplit_once("/src/")?;
    match path.strip_prefix("bin/") {
        Some(binary) => Some(written(binary.split(['/', '.']).next()?)),
        None => directory.rsplit('/').next().map(written),
    }
}

/// The name of a package as the compiler writes it.
fn written(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_begins_with_its_crate() {
        let cases = [
            ("quintet::core::lock::kernel", Some("quintet")),
            ("<quintet::sync::Signal<u32> as core::fmt::Debug>::fmt", Some("quintet")),
            ("<&T as core::fmt::Display>::fmt", Some("core")),
            ("<[u8; 4] as core::fmt::Debug>::fmt", Some("core")),
            ("core::fmt::num::<impl core::fmt::Debug for u32>::fmt", Some("core")),
            ("memcpy", None),
            ("__quintet_serve_call", None),
        ];
        for (name, expected) in cases {
            assert_eq!(of_name(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_file_of_the_registry_is_in_the_directory_of_its_crate() {
        let file = "/x/.cargo/registry/src/index.crates.io-1949/cortex-m-rt-0.7.5/src/lib.rs";
        assert_eq!(of_file(file).as_deref(), Some("cortex_m_rt"));
        assert_eq!(of_file("/rustc/123/library/core/src/fmt/mod.rs").as_deref(), Some("core"));
        let builtins = "/rustc/123/library/compiler-builtins/src/mem.rs";
        assert_eq!(of_file(builtins).as_deref(), Some("compiler_builtins"));
    }

    #[test]
    fn a_file_of_the_tree_is_in_the_directory_of_its_crate() {
        assert_eq!(of_file("/x/my-app/src/main.rs").as_deref(), Some("my_app"));
        assert_eq!(of_file("quintet/src/core/lock.rs").as_deref(), Some("quintet"));
        assert_eq!(of_file("/x/quintet/src/core/lock.rs").as_deref(), Some("quintet"));
        assert_eq!(of_file("/x/examples/src/bin/two_tasks.rs").as_deref(), Some("two_tasks"));
        assert_eq!(of_file("/x/main.c"), None);
    }
}
