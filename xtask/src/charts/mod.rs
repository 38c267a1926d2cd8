//! `cargo xtask charts`: the code of state machines beside the rules of UML.
//!
//! Random [charts](chart) are printed as source in the language of `quintet::state_machine`, with
//! actions that log. A crate with them is built for the host, and gets random events; an
//! [interpreter](interpret) of the rules gets the same. After each event both must have logged the
//! same, and be in the same state. Where they aren't, the command prints the difference, and the
//! smallest chart that it finds with one.

pub mod build;
pub mod chart;
pub mod compare;
pub mod generate;
pub mod interpret;
pub mod print;
pub mod reach;
#[cfg(test)]
mod tests;
