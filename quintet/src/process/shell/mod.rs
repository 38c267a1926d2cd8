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
//! The interrupt that has a byte calls `receive` of the `Shell`. Where a line is complete, what may print
//! calls `serve`: a thread, a task, or `main`. It takes one line at a time: what comes
//! before that is served is dropped. It has 64 bytes.

#[cfg(any(processes, test))]
mod command;
#[cfg(any(processes, test))]
mod line;
#[cfg(processes)]
mod service;

#[cfg(processes)]
pub use service::Shell;
