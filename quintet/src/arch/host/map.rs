//! The map's section: there is none here.

/// Writes no lines of a state machine.
#[doc(hidden)]
#[macro_export]
macro_rules! __chart_lines {
    ($lines:literal) => {};
}
