//! State machines as pictures: what `quintet chart` reads, places and writes.
//!
//! A [`Drawing`] is a machine as data: states in a tree, and the transitions between them. The
//! [`layout`] gives every box, line and label its place; the writers [`svg`], [`mermaid`],
//! [`outline`] and [`json`] put it down.

pub mod drawing;
pub mod json;
pub mod layout;
pub mod mermaid;
pub mod outline;
pub mod svg;
mod words;

pub use drawing::{Drawing, Edge, Initial, Kind, Reaction, State};
