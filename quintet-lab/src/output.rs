//! Writing to the standard streams.
//!
//! A reader that goes away ends the command quietly instead of a panic.

use std::io::{ErrorKind, Write};

/// Writes text to standard output.
pub fn print(text: &str) -> anyhow::Result<()> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output and pushes them out.
pub fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Writes a value as JSON to standard output, on lines of its own.
pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// Writes bytes to standard error; nothing can be done about a failure there.
pub fn print_error_bytes(bytes: &[u8]) {
    let _ = std::io::stderr().write_all(bytes);
}

/// A message of the tool itself on standard error, told apart from the firmware's by its prefix.
pub fn complain(message: &str) {
    print_error_bytes(format!("quintet: {message}\n").as_bytes());
}

/// Whether the error is that nobody reads the output any more.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
    })
}
