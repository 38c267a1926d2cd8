//! Code of other crates in an image that is wrong beside threads.
//!
//! The tool finds such code by the names of its functions, in symbols and, for inlined functions,
//! in debug information. In an image without either, it finds the text of the code's own check. So
//! a warning is right, but no warning is no proof.

use std::path::Path;

use quintet_sim::image::SymbolKind;

use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;

/// The largest code whose inlined functions are looked for, in bytes.
const CODE_MAX: u32 = 1 << 20;

struct Danger {
    /// A part of the names of the code's functions.
    path: &'static str,
    /// The text of the code's own check, if it has one.
    text: Option<&'static str>,
    /// The error, and the advice.
    warning: &'static str,
}

const DANGERS: [Danger; 2] = [
    Danger {
        path: "ThreadModeRawMutex",
        text: Some("ThreadModeMutex can only be "),
        warning: "embassy-sync's `ThreadModeMutex` or `ThreadModeRawMutex` is linked beside \
                  threads. It takes thread mode for one context, and lets one thread into what \
                  another one changes: use a shared resource, or with the feature `embassy-sync` \
                  of quintet `KernelRawMutex`.",
    },
    Danger {
        path: "clear_pendsv",
        text: None,
        warning: "`SCB::clear_pendsv` is linked beside threads. PendSV is the switch of threads: \
                  a switch that is due is lost with it. Leave PendSV alone.",
    },
];

/// Returns the warnings for an image with threads, a sentence or two for each.
pub fn warnings(firmware: &Firmware, elf: &Path) -> Vec<&'static str> {
    // A name that is nowhere in the file needs no search.
    let bytes = std::fs::read(elf).unwrap_or_default();
    let holds =
        |bytes: &[u8], words: &str| bytes.windows(words.len()).any(|part| part == words.as_bytes());
    DANGERS
        .iter()
        .filter(|danger| {
            let mut segments = firmware.image.segments.iter();
            danger.text.is_some_and(|text| segments.any(|segment| holds(&segment.bytes, text)))
                || (holds(&bytes, danger.path) && is_linked(firmware, danger.path))
        })
        .map(|danger| danger.warning)
        .collect()
}

/// Returns `true` if code of a function with `path` in its name is linked, by itself or inlined.
fn is_linked(firmware: &Firmware, path: &str) -> bool {
    let is_it = |name: &str| name.contains(path);
    let functions = || {
        let symbols = firmware.image.symbols.iter();
        symbols.filter(|symbol| symbol.kind == SymbolKind::Function && symbol.size > 0)
    };
    if functions().any(|symbol| is_it(&demangle(&symbol.name))) {
        return true;
    }
    let size = functions().fold(0_u32, |sum, symbol| sum.saturating_add(symbol.size));
    if size > CODE_MAX {
        return false;
    }
    functions().any(|symbol| {
        let begin = symbol.address & !1;
        (begin..begin.saturating_add(symbol.size))
            .step_by(2)
            .any(|address| firmware.functions(address).iter().any(|name| is_it(name)))
    })
}
