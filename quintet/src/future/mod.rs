//! Async tasks: where a task's future is stored, how it is spawned, and how a level polls it.
//!
//! Applications meet [`Handle`] only, if they mark a task `joinable`.

pub(crate) mod backlog;
pub(crate) mod cell;
pub(crate) mod join;

pub use join::{Handle, Joinable, Restart};
