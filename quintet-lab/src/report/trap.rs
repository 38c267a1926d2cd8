//! Panics, where the report would show only how their handlers end.
//!
//! That of `panic-probe` prints, then executes `udf`, which becomes a HardFault. Those of
//! `panic-rtt-target` and `panic-halt` loop. The report shows the panic, and not the fault or the
//! loop.

use super::death::{Cause, PostMortem};
use crate::debug::Place;
use crate::debug::backtrace::Found;
use crate::debug::owner::is_panicking;
use crate::log::{PanicMessage, at};
use quintet_sim::machine::Machine;

/// What the names of functions begin with that only panics call.
const HANDLERS: [&str; 6] = [
    "panic_probe::",
    "panic_rtt_target::",
    "panic_halt::",
    "defmt::export::panic",
    "_defmt_panic",
    "__defmt_default_panic",
];

/// What the name of the panic handler ends with.
const HANDLER: &str = "rust_begin_unwind";

/// What a handler does last, in words.
const TRAPS: &str = "ended in a trap (UDF), which is no fault of its own";
const LOOPS: &str = "loops for ever, as handlers do that cannot tell anybody";

/// Makes the report of a fault or a loop that of a panic, if that was a panic's end. `said` is what
/// the firmware has printed of one.
pub fn tell_panic(
    report: &mut PostMortem,
    machine: &Machine,
    cause: &Cause,
    said: Option<&PanicMessage>,
) {
    let trap = report.backtrace.iter().position(|frame| frame.found == Found::Interrupted);
    let is_loop = matches!(cause, Cause::MaskedLoop);
    let trap = trap.filter(|_| !is_loop).unwrap_or(0);
    let Some(frame) = report.backtrace.get(trap) else { return };
    let is_fault = report.fault.any() || report.xpsr & 0x1ff == 3;
    let is_panics_trap = is_fault && is_trap(machine, frame.address);
    if !is_loop && !is_panics_trap {
        return;
    }
    // A loop of the firmware's own, below the frames of a panic that was handled, is no panic.
    if is_loop && !frame.places.iter().any(is_panic) {
        return;
    }
    let places: Vec<&Place> = report.backtrace[trap..].iter().flat_map(|f| &f.places).collect();
    let Some(last) = places.iter().rposition(|place| is_panic(place)) else { return };
    let callers = &places[last + 1..];
    let caller = callers.iter().find(|place| place.file.is_some() && place.is_own());
    report.is_panic = true;
    report.what = headline(said, caller.or(callers.first()).copied());
    report.fault_words.clear();
    if !report.thread.as_ref().is_some_and(|thread| thread.overflow) {
        let how = if is_loop { LOOPS } else { TRAPS };
        let advice =
            format!("the backtrace shows how it came to the panic; its handler then {how}");
        report.advice = vec![advice];
    }
}

/// Returns `true` if the instruction is a 16-bit UDF.
fn is_trap(machine: &Machine, address: u32) -> bool {
    machine.read_halfword(address).is_some_and(|halfword| halfword >> 8 == 0xde)
}

fn is_panic(place: &Place) -> bool {
    let is_handler = |function: &String| {
        function.ends_with(HANDLER) || HANDLERS.iter().any(|name| function.starts_with(name))
    };
    place.file.as_deref().is_some_and(is_panicking)
        || place.function.as_ref().is_some_and(is_handler)
}

fn headline(said: Option<&PanicMessage>, caller: Option<&Place>) -> String {
    let mut text = match said {
        None => "the firmware panicked".to_owned(),
        Some(PanicMessage { text, location }) => {
            let rest = text.strip_prefix("panicked at ").unwrap_or(text);
            let words = rest.lines().map(str::trim).collect::<Vec<_>>().join(" ");
            match location {
                // defmt's own messages have the place beside them.
                Some(location) if rest.starts_with('\'') => {
                    format!("the firmware panicked at {}: {words}", at(location))
                }
                _ => format!("the firmware panicked at {words}"),
            }
        }
    };
    let Some(caller) = caller else { return text };
    if said.is_some_and(|said| names(said, caller)) {
        text.extend(caller.function.iter().map(|function| format!(" (in {function})")));
    } else {
        text.push_str(&format!(", called from {}", caller.text().trim()));
    }
    text
}

/// Returns `true` if the message names the caller's own line. The compiler's paths in messages and
/// in debug information begin in different directories.
fn names(said: &PanicMessage, caller: &Place) -> bool {
    let (Some(file), Some(line)) = (&caller.file, caller.line) else { return false };
    if let Some(Place { file: Some(of), line: Some(at), .. }) = &said.location
        && said.text.starts_with("panicked at '")
    {
        return of == file && *at == line;
    }
    let place = said.text.strip_prefix("panicked at ").unwrap_or_default();
    let place = place.split_whitespace().next().unwrap_or_default().trim_end_matches(':');
    let mut parts = place.rsplitn(3, ':').skip(1);
    let (at, of) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let same = !of.is_empty() && (of.ends_with(file.as_str()) || file.ends_with(of));
    same && at == line.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, function: &str) -> Place {
        Place { function: Some(function.to_owned()), line: Some(8), ..Place::in_file(file) }
    }

    #[test]
    fn the_headline_names_panic_and_line() {
        let main = place("src/main.rs", "app::main");
        let said = |text: &str, location| PanicMessage { text: text.into(), location };
        let core = said("panicked at src/main.rs:8:5:\nat the end", None);
        assert_eq!(
            headline(Some(&core), Some(&main)),
            "the firmware panicked at src/main.rs:8:5: at the end (in app::main)"
        );
        let longer = place("/app/src/main.rs", "app::main");
        assert!(headline(Some(&core), Some(&longer)).ends_with("at the end (in app::main)"));
        let defmt = said("panicked at 'boom'", Some(place("src/lib.rs", "app")));
        assert_eq!(
            headline(Some(&defmt), Some(&main)),
            "the firmware panicked at src/lib.rs:8: 'boom', called from src/main.rs:8 (app::main)"
        );
        assert_eq!(
            headline(None, Some(&main)),
            "the firmware panicked, called from src/main.rs:8 (app::main)"
        );
        assert_eq!(headline(None, None), "the firmware panicked");
    }

    #[test]
    fn only_what_panics_go_through_is_a_panic() {
        assert!(is_panic(&place("/rustc/library/core/src/panicking.rs", "x")));
        assert!(is_panic(&place("src/lib.rs", "panic_probe::hard_fault")));
        assert!(is_panic(&place("src/lib.rs", "panic_rtt_target::panic")));
        assert!(!is_panic(&place("src/main.rs", "defmt_panics::main")));
    }
}
