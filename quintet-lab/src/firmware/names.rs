//! The names of symbols: names of Rust and C++ as their authors wrote them, and the copies and
//! parts that compilers make of functions.
//!
//! ```text
//!  _ZN3app4step17h0123456789abcdefE      app::step
//!  _ZN6Sensor4readEi                     Sensor::read(int)
//!  _ZN6Sensor4readEi.isra.0              Sensor::read(int) [clone .isra.0]
//!  step.constprop.0                      step [clone .constprop.0]
//!  step.cold                             step [part .cold]
//! ```
//!
//! GCC and LLVM clone a function if they know something about its callers. The clone `.isra` takes
//! other arguments. `.constprop` takes fewer, because the others are always the same. `.lto_priv`
//! belongs to another file than the function of the same name. Compilers also move parts out of a
//! function: `.part` is called where the rest is inlined, and `.cold` seldom runs.

use cpp_demangle::{BorrowedSymbol, DemangleOptions, ParseOptions};
use std::fmt;

/// The endings of clones.
const CLONES: [&str; 5] = ["isra", "constprop", "lto_priv", "localalias", "llvm"];
/// The endings of parts.
const PARTS: [&str; 2] = ["part", "cold"];

/// A longer mangled name of C++ stays as it is. So does a name whose text is longer: some names
/// double with every few letters.
const MANGLED_MAX: usize = 4096;
const TEXT_MAX: usize = 16_384;

/// The relation of a symbol to the function, or variable, with its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The whole function or variable.
    Whole,
    /// A copy.
    Clone,
    /// A part that was moved out of the function.
    Part,
}

/// Splits a symbol's name into the name, the compiler's ending, and the meaning of the ending.
pub fn split(name: &str) -> (&str, &str, Kind) {
    for (at, _) in name.match_indices('.').filter(|(at, _)| *at > 0) {
        if let Some(kind) = ending(&name[at + 1..]) {
            return (&name[..at], &name[at..], kind);
        }
    }
    (name, "", Kind::Whole)
}

/// Returns the meaning of an ending, if all of it comes from a compiler: words, each with or
/// without numbers.
fn ending(text: &str) -> Option<Kind> {
    let mut kind = None;
    for word in text.split('.') {
        if PARTS.contains(&word) {
            kind = Some(Kind::Part);
        } else if CLONES.contains(&word) {
            kind = kind.max(Some(Kind::Clone));
        } else if kind.is_none() || word.is_empty() || !word.bytes().all(|c| c.is_ascii_digit()) {
            return None;
        }
    }
    kind
}

/// Returns the name for people: of Rust without its hash, of C++ with its parameters, and with a
/// note for a clone or a part. Any other name is unchanged.
pub fn demangle(name: &str) -> String {
    let (base, ending, kind) = split(name);
    let plain = rust(base, true).or_else(|| cpp(base)).unwrap_or_else(|| base.to_owned());
    match kind {
        Kind::Clone if !ending.starts_with(".llvm.") => format!("{plain} [clone {ending}]"),
        Kind::Part => format!("{plain} [part {ending}]"),
        _ => plain,
    }
}

/// Returns `true` if people may call the symbol `wanted`: by the end of its path, with or without a
/// hash, parameters, generic arguments, and the note for a clone or a part.
pub fn is_called(symbol: &str, wanted: &str) -> bool {
    let base = split(symbol).0;
    base == wanted
        || answers_to(&demangle(symbol), wanted)
        || rust(base, false).is_some_and(|name| is_path_suffix(&name, wanted))
}

/// The same of a name that is for people already.
pub fn answers_to(name: &str, wanted: &str) -> bool {
    let function = without_note(name);
    let plain = without_parameters(function);
    [name, function, plain, without_arguments(plain)]
        .into_iter()
        .any(|form| is_path_suffix(form, wanted))
        || (plain != function && is_path_suffix(&without_generics(plain), wanted))
}

/// Returns `true` if `suffix` is `path` or its last segments.
fn is_path_suffix(path: &str, suffix: &str) -> bool {
    path.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
}

fn rust(name: &str, short: bool) -> Option<String> {
    let name = rustc_demangle::try_demangle(name).ok()?;
    Some(if short { format!("{name:#}") } else { name.to_string() })
}

fn cpp(name: &str) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > MANGLED_MAX {
        return None;
    }
    let symbol =
        BorrowedSymbol::new_with_options(name.as_bytes(), &ParseOptions::default()).ok()?;
    let mut text = Bounded(String::new());
    let options = DemangleOptions::new().no_return_type();
    symbol.structured_demangle(&mut text, &options).ok()?;
    Some(text.0)
}

/// A text that takes no more than [`TEXT_MAX`] bytes.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > TEXT_MAX {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// Returns a name without the note for a clone or a part.
pub fn without_note(name: &str) -> &str {
    let note = name.strip_suffix(']').and_then(|name| {
        name.rsplit_once(" [")
            .filter(|(_, note)| note.starts_with("clone .") || note.starts_with("part ."))
    });
    note.map_or(name, |(name, _)| name)
}

/// Returns a function of C++ without its parameters and the text behind them.
pub fn without_parameters(name: &str) -> &str {
    let mut list = name;
    for behind in [" const", " volatile", " &", " &&"] {
        list = list.strip_suffix(behind).unwrap_or(list);
    }
    if !list.ends_with(')') {
        return name;
    }
    let mut depth = 0_u32;
    for (at, character) in list.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' if depth == 1 => {
                let plain = &list[..at];
                // The rest of `operator()` alone, or of `(anonymous namespace)`, is no name.
                let is_name = !plain.is_empty()
                    && !plain.ends_with([':', ' '])
                    && !plain.ends_with("operator");
                return if is_name { plain } else { name };
            }
            '(' => depth -= 1,
            _ => {}
        }
    }
    name
}

/// A name without the generic arguments at its end: `step::<u32>` and `step<int>` are `step`.
fn without_arguments(name: &str) -> &str {
    let Some(inside) = name.strip_suffix('>') else { return name };
    let mut depth = 1_u32;
    for (at, character) in inside.char_indices().rev() {
        match character {
            '>' if !inside[..at].ends_with('-') => depth += 1,
            '<' if depth == 1 => {
                let plain = inside[..at].trim_end_matches("::");
                return if plain.is_empty() { name } else { plain };
            }
            '<' => depth -= 1,
            _ => {}
        }
    }
    name
}

/// Returns a function's name without the text between angle brackets.
pub fn without_generics(name: &str) -> String {
    const SIGNS: [&str; 12] =
        ["<=>", "<<=", ">>=", "->*", "<<", ">>", "->", "<=", ">=", "<", ">", ""];
    // The signs of `operator<<` and similar names are no brackets.
    let operator = name.rfind("operator").map_or(0, |at| at + "operator".len());
    let sign = SIGNS.into_iter().find(|sign| name[operator..].starts_with(sign)).unwrap_or("");
    let sign_end = if operator > 0 { operator + sign.len() } else { 0 };
    let mut depth = 0_u32;
    let mut before = ' ';
    let mut plain = String::new();
    for (at, character) in name.char_indices() {
        match character {
            // Part of the name.
            _ if (operator..sign_end).contains(&at) => plain.push(character),
            '<' => depth += 1,
            // Not that of an arrow.
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(character),
            _ => {}
        }
        before = character;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_their_authors_wrote_them() {
        let cases = [
            ("main", "main"),
            ("_ZN3app4step17h0123456789abcdefE", "app::step"),
            ("_ZN3app4step17h0123456789abcdefE.llvm.1234567", "app::step"),
            ("_RNvC3app4step", "app::step"),
            ("_ZN6Sensor4readEi", "Sensor::read(int)"),
            ("_ZNK6Sensor4readEv", "Sensor::read() const"),
            ("_ZN12_GLOBAL__N_14stepEv", "(anonymous namespace)::step()"),
            ("_Z4stepIiEvT_", "step<int>(int)"),
            ("_ZTV6Sensor", "{vtable(Sensor)}"),
            ("_ZN6SensorC2Ev", "Sensor::Sensor()"),
            ("_ZN6Sensor4readEi.isra.0", "Sensor::read(int) [clone .isra.0]"),
            ("step.constprop.0.isra.0", "step [clone .constprop.0.isra.0]"),
            ("step.part.0", "step [part .part.0]"),
            ("step.isra.0.cold", "step [part .isra.0.cold]"),
            ("counter.lto_priv.3", "counter [clone .lto_priv.3]"),
            ("counter.12", "counter.12"),
            ("step.cold.warm", "step.cold.warm"),
            (".isra.0", ".isra.0"),
            ("_Zzz", "_Zzz"),
            ("_Z", "_Z"),
        ];
        for (symbol, name) in cases {
            assert_eq!(demangle(symbol), name);
        }
    }

    #[test]
    fn a_function_is_called_by_any_end_of_its_path() {
        let read = "_ZN3bus6Sensor4readEi.isra.0";
        for wanted in [
            "read",
            "Sensor::read",
            "bus::Sensor::read",
            "Sensor::read(int)",
            "bus::Sensor::read(int) [clone .isra.0]",
            "_ZN3bus6Sensor4readEi",
        ] {
            assert!(is_called(read, wanted), "{wanted}");
        }
        for wanted in ["ead", "ensor::read", "read(", "read(char)", "bus", "int", ""] {
            assert!(!is_called(read, wanted), "{wanted}");
        }
        // Ring<int>::push(int const&)
        let push = "_ZN4RingIiE4pushERKi";
        for wanted in ["push", "Ring<int>::push", "Ring::push", "Ring<int>::push(int const&)"] {
            assert!(is_called(push, wanted), "{wanted}");
        }
        assert!(is_called("_Z4stepIiEvT_", "step") && is_called("_Z4stepIiEvT_", "step<int>"));
        assert!(is_called("step.constprop.0", "step") && is_called("step.cold", "step"));
        assert!(is_called("_ZNK6Sensor4readEv", "Sensor::read"));
    }

    #[test]
    fn names_for_people_mean_whole_segments() {
        assert!(answers_to("a::b::step", "step") && answers_to("a::b::step", "b::step"));
        assert!(answers_to("a::step::<u32, x::Y>", "a::step"));
        assert!(!answers_to("a::sidestep", "step"));
        assert!(!answers_to("step(other::kind)", "kind"));
    }

    #[test]
    fn parameters_are_told_from_other_parentheses() {
        let cases = [
            ("f(void (*)(int), a::b)", "f"),
            ("A::operator()(int) const", "A::operator()"),
            ("A::operator()", "A::operator()"),
            ("(anonymous namespace)", "(anonymous namespace)"),
            ("<(A, B) as C>::f", "<(A, B) as C>::f"),
            ("f)", "f)"),
            ("f", "f"),
        ];
        for (name, plain) in cases {
            assert_eq!(without_parameters(name), plain);
        }
    }

    #[test]
    fn names_are_readable() {
        assert_eq!(without_generics("with<(), x::wake::{closure_env#0}<A, B<C>>>"), "with");
        assert_eq!(without_generics("poll<fn(u64) -> Future<T>, Ready>"), "poll");
        assert_eq!(without_generics("TIM4"), "TIM4");
        assert_eq!(without_generics("Ring<int>::operator<<"), "Ring::operator<<");
        assert_eq!(without_generics("Ring<int>::operator->"), "Ring::operator->");
        assert_eq!(without_generics("operator>=<int>"), "operator>=");
    }

    #[test]
    fn names_that_grow_without_end_stay_as_they_are() {
        // Each `pair<.., ..>` contains the one before it twice.
        let mut name = String::from("_Z1f1a");
        let mut last = String::from("S_");
        for index in 0..40_u32 {
            let next = char::from_digit(index % 36, 36).unwrap().to_ascii_uppercase();
            name.push_str(&format!("1pI{last}{last}E"));
            last = format!("S{next}_");
        }
        assert!(demangle(&name).len() <= TEXT_MAX.max(name.len()));
        let deep = format!("_Z1f{}i", "P".repeat(3_000));
        assert!(demangle(&deep).len() <= TEXT_MAX);
        let long = format!("_Z{}{}v", 5_000, "f".repeat(5_000));
        assert_eq!(demangle(&long), long);
    }

    /// Damages names, and calls every function with the results.
    fn survive(rounds: u32) {
        let names = [
            "_ZN3bus6Sensor4readEiRKSt6vectorIiSaIiEE.isra.0.cold",
            "_ZN3app4step17h0123456789abcdefE.llvm.77",
            "_RINvNtC3std3mem8align_ofjE",
            "_ZZN4RingIJicEE4pushIT_EEDTcl1gfp_EEOS2_ENKUlvE_clEv",
            "_ZNK3bus6_EqualIKcEclIN3bus17__normal_iteratorIPSt4pairIS2_S2_EEEEEbT_",
            "bus::Ring<int>::operator<<(int (*)(a::b), x<y>) const [clone .constprop.0]",
        ];
        let mut random = 1_u32;
        let mut next = |bound: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) as usize % bound
        };
        for _ in 0..rounds {
            let mut name = names[next(names.len())].as_bytes().to_vec();
            for _ in 0..=next(3) {
                let (from, to) = (next(name.len()), next(name.len()));
                match next(3) {
                    0 => name[from] = b"SIEJTKNZ0129_.<>()*[]:"[next(22)],
                    1 => name[from] = name[to],
                    _ => {
                        let part = name[from.min(to)..from.max(to)].to_vec();
                        name.splice(from..from, part);
                    }
                }
            }
            let name = String::from_utf8_lossy(&name);
            let text = demangle(&name);
            let note = " [clone ]".len() + name.len();
            assert!(text.len() <= TEXT_MAX + note);
            assert!(is_called(&name, &text), "{name}: {text}");
            let _ = answers_to(&name, &without_generics(&text));
        }
    }

    #[test]
    fn no_name_panics() {
        survive(20_000);
    }

    #[test]
    #[ignore = "a long run; by name"]
    fn no_name_panics_for_long() {
        survive(500_000);
    }
}
