//! Tests as files: what happens to firmware from outside, and what it must do then.
//!
//! ```text
//!  file ──> expectation ──> watch: events of a run meet expectations ──> run: a verdict ──> junit
//! ```
//! A *test* is a TOML file with the entries `[[at]]` of a file of inputs, and entries `[[expect]]`.
//! Each test runs on a machine fresh from reset. So tests know nothing of each other, and can run
//! side by side.

pub mod event;
pub mod expectation;
pub mod file;
pub mod history;
pub mod junit;
pub mod run;
pub mod watch;
