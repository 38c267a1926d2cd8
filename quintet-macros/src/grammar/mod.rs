//! The parts of the grammar: attributes, lists of arguments, signatures. `parse` and the roles read
//! applications with these parts.

pub mod access;
pub mod attributes;
pub mod conditional;
pub mod function;
pub mod lifetimes;
pub mod list;
pub mod opaque;
pub mod timing;
