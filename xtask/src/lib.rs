//! Checks of the tree itself.

pub mod cross;
