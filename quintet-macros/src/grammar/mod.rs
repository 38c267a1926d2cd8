//! What the grammar is made of: attributes, lists of arguments, signatures. `parse` and the roles
//! read applications by it.

pub mod access;
pub mod attributes;
pub mod conditional;
pub mod function;
pub mod lifetimes;
pub mod list;
pub mod opaque;
pub mod timing;
