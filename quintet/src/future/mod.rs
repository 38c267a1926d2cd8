//! Async tasks: where a task's future is stored, how it is spawned, and how a level polls it.
//!
//! Applications meet [`Handle`] only, if they mark a task `joinable`.

#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
pub(crate) mod backlog;
#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
pub(crate) mod cell;
#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
pub(crate) mod deferred;
pub(crate) mod join;

pub use join::{Handle, Joinable, Restart};
