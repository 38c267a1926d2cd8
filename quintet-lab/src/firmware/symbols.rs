//! Places in firmware, as people name them: `main`, `app::step`, `step+0x12`, `0x1a4`.

use super::names::{self, is_called, without_note, without_parameters};
use quintet_sim::image::{Image, Symbol, SymbolKind};
use std::collections::BTreeMap;
use thiserror::Error;

pub use super::names::demangle;

/// The most names that a message suggests.
const SUGGESTIONS: usize = 5;

/// The size of what has none of its own.
const WORD: u32 = 4;

/// Why a place could not be found.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlaceError {
    /// No symbol has the name.
    #[error("no symbol is named \"{name}\"{}", suggest(near))]
    Unknown {
        /// The name asked for.
        name: String,
        /// Those that come near.
        near: Vec<String>,
    },
    /// Several do.
    #[error(
        "\"{name}\" names several places: {}; write more of the path, the mangled name or the \
         address",
        list(candidates)
    )]
    Ambiguous {
        /// The name asked for.
        name: String,
        /// Each name with its address.
        candidates: Vec<String>,
    },
    /// The name belongs to a variable.
    #[error("\"{name}\" is data at {address:#010x}, which is never executed; name code")]
    Data {
        /// The name asked for.
        name: String,
        /// The address of the data.
        address: u32,
    },
    /// Not a number.
    #[error("\"{text}\" is not a number of 32 bits: write 0x1a4 or 420")]
    Number {
        /// The text as written.
        text: String,
    },
    /// The file has no symbols.
    #[error("the firmware has no symbols, so \"{name}\" cannot be found; give addresses (0x1a4)")]
    Stripped {
        /// The name asked for.
        name: String,
    },
}

fn suggest(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; the nearest: {}", near.join(", ")) }
}

fn list(candidates: &[String]) -> String {
    let shown = candidates.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
    match candidates.len().saturating_sub(8) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A number as people write addresses: `0x2000_0000`, `420`.
pub fn parse_number(text: &str) -> Result<u32, PlaceError> {
    let clean = text.replace('_', "");
    let value = match clean.strip_prefix("0x").or_else(|| clean.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => clean.parse(),
    };
    value.map_err(|_| PlaceError::Number { text: text.into() })
}

/// Returns the address of a place: a symbol (mangled, or the end of its demangled path, in C++ with
/// or without parameters), `symbol+offset`, or an address. If only clones or parts of a function
/// are left, the place is one of those. Bit 0, which marks Thumb code in a pointer, is no part of
/// the address.
pub fn resolve(image: &Image, text: &str) -> Result<u32, PlaceError> {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return parse_number(text).map(|address| address & !1);
    }
    // A `+` may be part of a path (`<T as Add+..>`), so the whole text is tried as a name first.
    match resolve_name(image, text) {
        Err(error @ PlaceError::Unknown { .. }) => {
            let Some((name, offset)) = text.rsplit_once('+') else { return Err(error) };
            let offset = parse_number(offset.trim())?;
            Ok(resolve_name(image, name.trim())?.wrapping_add(offset) & !1)
        }
        other => other,
    }
}

fn resolve_name(image: &Image, name: &str) -> Result<u32, PlaceError> {
    if image.symbols.is_empty() {
        return Err(PlaceError::Stripped { name: name.into() });
    }
    let mut matches: Vec<&Symbol> =
        image.symbols.iter().filter(|symbol| symbol.name == name).collect();
    if matches.is_empty() {
        matches = image.symbols.iter().filter(|symbol| is_called(&symbol.name, name)).collect();
        // A function and its clones have one name. If nothing is left of the function, the clones
        // still have it.
        let kind = |symbol: &&Symbol| names::split(&symbol.name).2;
        let best = matches.iter().map(kind).min();
        matches.retain(|symbol| best == Some(kind(symbol)));
    }
    // Of the firmware and the applications beside it, the firmware is meant.
    let is_own = |symbol: &&Symbol| !image.is_of_guest(symbol.address);
    if matches.iter().any(is_own) {
        matches.retain(is_own);
    }
    let mut code: BTreeMap<u32, &Symbol> = BTreeMap::new();
    for symbol in matches.iter().filter(|symbol| symbol.kind != SymbolKind::Data) {
        code.entry(symbol.address).or_insert(symbol);
    }
    if code.len() > 1 {
        let describe =
            |symbol: &&Symbol| format!("{} ({:#x})", demangle(&symbol.name), symbol.address);
        let candidates = code.values().map(describe).collect();
        return Err(PlaceError::Ambiguous { name: name.into(), candidates });
    }
    match (code.keys().next(), matches.first()) {
        (Some(&address), _) => Ok(address),
        (None, Some(data)) => Err(PlaceError::Data { name: name.into(), address: data.address }),
        (None, None) => Err(PlaceError::Unknown { name: name.into(), near: nearest(image, name) }),
    }
}

/// Returns the address and the size of a variable: a symbol, by its mangled name or the end of its
/// path, or `symbol+offset`. The size of a part is a word, or what is left of the variable.
pub fn variable(image: &Image, text: &str) -> Result<(u32, u32), PlaceError> {
    match variable_by_name(image, text) {
        Err(error @ PlaceError::Unknown { .. }) => {
            let Some((name, offset)) = text.rsplit_once('+') else { return Err(error) };
            let offset = parse_number(offset.trim())?;
            let (address, size) = variable_by_name(image, name.trim())?;
            Ok((address.wrapping_add(offset), size.saturating_sub(offset).clamp(1, WORD)))
        }
        other => other,
    }
}

fn variable_by_name(image: &Image, name: &str) -> Result<(u32, u32), PlaceError> {
    if image.symbols.is_empty() {
        return Err(PlaceError::Stripped { name: name.into() });
    }
    let data = image.symbols.iter().filter(|symbol| {
        symbol.kind == SymbolKind::Data && !symbol.absolute && !image.is_of_guest(symbol.address)
    });
    let mut found: BTreeMap<u32, &Symbol> = BTreeMap::new();
    for symbol in data.clone().filter(|symbol| symbol.name == name) {
        found.insert(symbol.address, symbol);
    }
    // The optimiser calls what it has left of a variable `NAME.0`.
    let part = |symbol: &str| {
        let (whole, number) = symbol.rsplit_once('.')?;
        number.bytes().all(|digit| digit.is_ascii_digit()).then(|| whole.to_owned())
    };
    if found.is_empty() {
        for symbol in data {
            let is_it = |symbol: &str| is_called(symbol, name);
            if is_it(&symbol.name) || part(&symbol.name).is_some_and(|whole| is_it(&whole)) {
                found.insert(symbol.address, symbol);
            }
        }
    }
    let mut all = found.values();
    match (all.next(), all.next()) {
        (Some(one), None) => Ok((one.address, if one.size == 0 { WORD } else { one.size })),
        (None, _) => Err(PlaceError::Unknown { name: name.into(), near: nearest(image, name) }),
        (Some(_), Some(_)) => {
            let describe =
                |symbol: &&Symbol| format!("{} ({:#x})", demangle(&symbol.name), symbol.address);
            let candidates = found.values().map(describe).collect();
            Err(PlaceError::Ambiguous { name: name.into(), candidates })
        }
    }
}

/// The clones and parts of the function at `address`, each with its address.
pub fn clones_of(image: &Image, address: u32) -> Vec<String> {
    let here = image.symbols.iter().filter(|symbol| symbol.address == address);
    let names: Vec<&str> = here.map(|symbol| symbol.name.as_str()).collect();
    let is_clone = |symbol: &&Symbol| {
        let (base, _, kind) = names::split(&symbol.name);
        kind != names::Kind::Whole && names.contains(&base)
    };
    let clones = image.symbols.iter().filter(is_clone).take(SUGGESTIONS);
    clones.map(|symbol| format!("{} ({:#x})", demangle(&symbol.name), symbol.address)).collect()
}

/// The names most like `name`, best first.
fn nearest(image: &Image, name: &str) -> Vec<String> {
    let wanted = last_segment(name).to_lowercase();
    let mut scored: BTreeMap<String, f64> = BTreeMap::new();
    for symbol in image.symbols.iter().filter(|symbol| is_interesting(symbol)) {
        let path = demangle(&symbol.name);
        let segment = last_segment(without_parameters(without_note(&path))).to_lowercase();
        let likeness = strsim::jaro_winkler(&segment, &wanted);
        let contains = wanted.len() > 2 && segment.contains(&wanted);
        let score = if contains { likeness.max(0.95) } else { likeness };
        if score > 0.7 {
            scored.insert(path, score);
        }
    }
    let mut ranked: Vec<_> = scored.into_iter().collect();
    ranked.sort_by(|left, right| right.1.total_cmp(&left.1));
    ranked.into_iter().take(SUGGESTIONS).map(|(path, _)| path).collect()
}

fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn is_interesting(symbol: &Symbol) -> bool {
    symbol.kind != SymbolKind::Label || !symbol.name.starts_with(['.', '$'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Image {
        let symbol = |name: &str, address| Symbol {
            name: name.into(),
            address,
            size: 4,
            kind: SymbolKind::Function,
            absolute: false,
        };
        Image {
            symbols: vec![
                symbol("main", 0x100),
                symbol("_ZN3app4step17h0123456789abcdefE", 0x110),
                symbol("_ZN5other4step17h0123456789abcdefE", 0x120),
                symbol("_ZN3app4tick17h0123456789abcdefE", 0x130),
                symbol("operator+4", 0x140),
                symbol("twice", 0x150),
                symbol("twice", 0x160),
                Symbol { kind: SymbolKind::Data, ..symbol("counter", 0x2000_0000) },
            ],
            ..Image::default()
        }
    }

    #[test]
    fn places_are_found_by_name_path_offset_and_address() {
        let find = |text: &str| resolve(&image(), text).unwrap();
        assert_eq!(find("main"), 0x100);
        assert_eq!(find("tick"), 0x130);
        assert_eq!(find("app::tick"), 0x130);
        assert_eq!(find("app::step"), 0x110);
        assert_eq!(find("app::step::h0123456789abcdef"), 0x110);
        assert_eq!(find("_ZN3app4step17h0123456789abcdefE"), 0x110);
        assert_eq!(find("main+0x10"), 0x110);
        assert_eq!(find("app::step+2"), 0x112);
        assert_eq!(find("app::step+3"), 0x112);
        assert_eq!(find("operator+4"), 0x140);
        assert_eq!(find("0x1A5"), 0x1a4);
        assert_eq!(find("256"), 0x100);
    }

    #[test]
    fn clones_and_parts_are_found_by_their_functions_name() {
        let symbol = |name: &str, address| Symbol {
            name: name.into(),
            address,
            size: 4,
            kind: SymbolKind::Function,
            absolute: false,
        };
        let image = Image {
            symbols: vec![
                symbol("_ZN6Sensor4readEi.isra.0", 0x100),
                symbol("_ZN6Sensor4readEi.cold", 0x110),
                symbol("_ZN6Sensor5writeEi", 0x120),
                symbol("_ZN6Sensor5writeEi.constprop.0", 0x130),
                symbol("_ZN6Sensor5writeEPKc", 0x140),
                symbol("send.constprop.0", 0x150),
                symbol("send.constprop.1", 0x160),
                symbol("rare.part.0", 0x170),
            ],
            ..Image::default()
        };
        let find = |text: &str| resolve(&image, text).map_err(|error| error.to_string());
        for text in ["read", "Sensor::read", "Sensor::read(int)", "_ZN6Sensor4readEi"] {
            assert_eq!(find(text), Ok(0x100), "{text}");
        }
        assert_eq!(find("Sensor::read(int) [part .cold]"), Ok(0x110));
        assert_eq!(find("Sensor::read+4"), Ok(0x104));
        assert_eq!(find("write(int)"), Ok(0x120));
        assert_eq!(find("rare"), Ok(0x170));
        let several = find("send").unwrap_err();
        let both = "send [clone .constprop.0] (0x150), send [clone .constprop.1] (0x160)";
        assert!(several.contains(both), "{several}");
        assert_eq!(find("send.constprop.1"), Ok(0x160));
        let clones = ["Sensor::write(int) [clone .constprop.0] (0x130)"];
        assert_eq!(clones_of(&image, 0x120), clones);
        assert!(clones_of(&image, 0x140).is_empty());
        let overloaded = find("Sensor::write").unwrap_err();
        let both = "Sensor::write(int) (0x120), Sensor::write(char const*) (0x140)";
        assert!(overloaded.contains(both), "{overloaded}");
        assert!(find("Sensor::raed").unwrap_err().contains("the nearest: Sensor::read(int)"));
    }

    #[test]
    fn what_is_not_found_is_explained() {
        let fail = |text: &str| resolve(&image(), text).unwrap_err();
        assert!(fail("step").to_string().contains("app::step (0x110), other::step (0x120)"));
        assert!(fail("stap").to_string().contains("the nearest: app::step, other::step"));
        assert!(fail("maim").to_string().contains("main"));
        assert!(fail("pp::tick").to_string().contains("app::tick"), "half a segment is no path");
        assert_eq!(fail("main+zwei"), PlaceError::Number { text: "zwei".into() });
        assert_eq!(fail("0xgg"), PlaceError::Number { text: "0xgg".into() });
        assert!(fail("twice").to_string().contains("twice (0x150), twice (0x160)"));
        assert!(fail("counter").to_string().contains("is data at 0x20000000"));
        assert_eq!(fail("qqqqq").to_string(), "no symbol is named \"qqqqq\"");
        let stripped = resolve(&Image::default(), "main").unwrap_err();
        assert!(stripped.to_string().contains("has no symbols"));
    }

    #[test]
    fn numbers_may_have_underscores() {
        assert_eq!(parse_number("0x2000_0000"), Ok(0x2000_0000));
        assert!(parse_number("0x1_0000_0000").is_err());
        assert!(parse_number("").is_err());
    }
}
