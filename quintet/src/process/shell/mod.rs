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
//! `serve`: a thread, a task, or `main`. A line has at most 64 bytes, and the console has room for
//! 65 bytes that aren't served yet. A line is executed as it was written, or not at all: a line
//! that is too long, has no room or has a control character in it is dropped, with a message.

#[cfg(any(processes, test))]
mod command;
#[cfg(any(processes, test))]
mod line;
#[cfg(processes)]
mod service;

#[cfg(processes)]
pub use service::Shell;
