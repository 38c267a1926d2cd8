//! Async tasks: the handles of `joinable` tasks, and the memory, the spawns and the polls of tasks.
//!
//! Your application uses only [`Handle`], and only if you mark a task `joinable`. The other items
//! are for the code that [`app`](crate::app) generates.

#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
pub(crate) mod backlog;
#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
pub(crate) mod cell;
#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
pub(crate) mod deferred;
pub(crate) mod join;

pub use join::{Handle, Joinable, Restart};
