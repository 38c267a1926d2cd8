//! The process console. An operator lists processes, stops and starts them, ends and restarts them,
//! by lines over any stream of bytes.
//!
//! | line | effect |
//! |---|---|
//! | `list` | shows all processes and their states |
//! | `memory` | shows the memory and the flash of all processes |
//! | `stop NAME`, `start NAME` | stops the process, and lets it continue |
//! | `terminate NAME`, `restart NAME` | ends the process, and restarts it |
//! | `fault NAME` | shows the last fault, as a dump |
//! | `help` | shows the commands |
//!
//! You can write a process's index in place of its name.
//!
//! The interrupt that has a byte calls `receive` of the `Shell`. A context that may print calls
//! `serve`: a thread, a task, or `main`. The console has room for 64 bytes that aren't served yet,
//! and a line has at most 64 bytes.

#[cfg(any(processes, test))]
mod command;
#[cfg(any(processes, test))]
mod line;
#[cfg(processes)]
mod service;

#[cfg(processes)]
pub use service::Shell;
