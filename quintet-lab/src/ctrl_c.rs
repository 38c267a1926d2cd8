//! Ctrl-C: the flag that it sets, and what is said of a run that it has cut.
//!
//! A command whose run was cut goes on to its results, which are those of the part before. All that
//! it prints and writes says so, and it exits with 130.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why the results are partial, once a run was cut.
static CUT: OnceLock<String> = OnceLock::new();

/// The flag that Ctrl-C sets. A second Ctrl-C ends the process at once.
///
/// Before the first call, Ctrl-C ends the process: call this before the firmware runs.
pub fn flag() -> &'static AtomicBool {
    static FLAG: OnceLock<&'static AtomicBool> = OnceLock::new();
    FLAG.get_or_init(|| {
        static PRESSED: AtomicBool = AtomicBool::new(false);
        #[cfg(not(target_family = "wasm"))]
        // Without a handler, Ctrl-C ends the process. This is the right effect then.
        let _ = ctrlc::set_handler(|| {
            if PRESSED.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(crate::exit::INTERRUPTED));
            }
        });
        &PRESSED
    })
}

/// Returns `true` once Ctrl-C was pressed.
pub fn is_pressed() -> bool {
    flag().load(Ordering::Relaxed)
}

/// Notes that Ctrl-C has cut `what`, as "the run at cycle 5". Of several, the first is told.
pub fn cut(what: &str) {
    let _ = CUT.set(format!("partial: Ctrl-C has cut {what}"));
}

/// What is said of all results; `None` if they are whole.
pub fn note() -> Option<&'static str> {
    CUT.get().map(String::as_str)
}

/// A title that says what the results below it are of.
pub fn titled(title: &str) -> String {
    note().map_or_else(|| title.to_owned(), |note| format!("{title} ({note})"))
}
