//! The process console: an operator lists processes, stops and starts them, ends and restarts them,
//! by lines over any stream of bytes.
//!
//! | line | what it does |
//! |---|---|
//! | `list` | all processes and how they stand |
//! | `memory` | where their memory and flash are |
//! | `stop NAME`, `start NAME` | it doesn't run, and goes on |
//! | `terminate NAME`, `restart NAME` | it ends, and starts anew |
//! | `fault NAME` | its last fault, as a dump |
//! | `help` | the commands |
//!
//! In place of its name a process may be called by its index.
//!
//! The interrupt that has a byte calls `receive` of the `Shell`. What may print calls `serve`: a
//! thread, a task, or `main`. Up to 64 bytes that aren't served yet have room, and a line has at
//! most as many.

#[cfg(any(processes, test))]
mod command;
#[cfg(any(processes, test))]
mod line;
#[cfg(processes)]
mod service;

#[cfg(processes)]
pub use service::Shell;
