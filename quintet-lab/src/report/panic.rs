//! The firmware's own line that led to a panic elsewhere.
//!
//! A panic names its place. If the place is in the framework, as for a thread that waits in a lock
//! or leaves its stack, the message tells the error, but not the user's line that caused it.

use quintet_sim::machine::Machine;

use super::thread;
use crate::debug::Place;
use crate::debug::backtrace::{CoreState, backtrace};
use crate::debug::owner::{Owner, is_framework, is_panicking};
use crate::firmware::Firmware;

/// The line of the firmware's own source that is nearest to a panic in which it has ended. None
/// where the panic was in that source, of which its message tells, where it didn't end in one, or
/// where debug information doesn't tell.
pub fn caller(firmware: &Firmware, machine: &Machine) -> Option<Place> {
    let process_top = thread::stack_top(&firmware.image, machine);
    let state = CoreState { process_top, ..CoreState::of(&machine.processor.registers) };
    let frames = backtrace(firmware, &state, &|address| machine.read_word(address));
    own_caller(frames.into_iter().flat_map(|frame| frame.places).collect())
}

/// The same, of the places of a backtrace.
fn own_caller(mut places: Vec<Place>) -> Option<Place> {
    let is = |place: &Place, what: fn(&str) -> bool| place.file.as_deref().is_some_and(what);
    let panicking = places.iter().rposition(|place| is(place, is_panicking))?;
    let is_own = |place: &Place| place.file.is_some() && place.is_own() && !is(place, is_framework);
    let mut callers = places.drain(panicking + 1..);
    // What of the compiler's library has called for a panic names its caller's place.
    let first = callers.find(|place| place.owner != Owner::Toolchain)?;
    if is_own(&first) { None } else { callers.find(is_own) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str) -> Place {
        Place { line: Some(7), ..Place::in_file(file) }
    }

    #[test]
    fn whose_own_line_it_is_that_panics_is_told_nothing() {
        let panics = ["/app/src/handler.rs", "/rustc/library/core/src/panicking.rs"];
        let of = |files: &[&str]| {
            let places = panics.iter().chain(files).map(|file| place(file)).collect();
            own_caller(places).and_then(|place| place.file)
        };
        assert_eq!(of(&["/rustc/library/core/src/option.rs", "src/main.rs", "src/other.rs"]), None);
        let kernel = "/firmware/quintet/quintet/src/core/park.rs";
        let own = Some("src/main.rs".to_owned());
        assert_eq!(of(&[kernel, "src/main.rs", "src/other.rs"]), own);
        assert_eq!(of(&["/cargo/registry/src/x/y-1.0.0/a.rs", kernel, "src/main.rs"]), own);
        assert_eq!(of(&[kernel]), None);
        assert_eq!(own_caller(vec![place(kernel), place("src/main.rs")]), None, "no panic");
    }
}
