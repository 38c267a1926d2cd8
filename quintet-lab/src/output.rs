//! Writing to the standard streams.
//!
//! A reader that goes away ends the command quietly instead of a panic.

use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::Context;

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

/// Writes a file.
pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a value as JSON to standard output, on lines of its own.
pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// Returns how many characters a line of standard output has: those of the terminal, or 100 if the
/// output isn't a terminal.
pub fn line_length() -> usize {
    #[cfg(not(target_family = "wasm"))]
    if let Some((width, _)) = terminal_size::terminal_size_of(std::io::stdout()) {
        return usize::from(width.0);
    }
    100
}

/// Writes bytes to standard error. A failure there is ignored.
pub fn print_error_bytes(bytes: &[u8]) {
    let _ = std::io::stderr().write_all(bytes);
}

/// Prints a message of the tool itself on standard error. Its prefix tells it apart from the
/// firmware's output.
pub fn complain(message: &str) {
    print_error_bytes(format!("quintet: {message}\n").as_bytes());
}

/// Returns the message that the firmware's output was cut after this number of bytes.
pub fn cut(limit: u64) -> String {
    format!(
        "what the firmware printed was cut behind {limit} bytes; --max-output N keeps more, 0 all"
    )
}

/// Returns an error and its causes in one line. A cause that the message before it already contains
/// is left out.
pub fn in_words(error: &anyhow::Error) -> String {
    let mut words = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if words.is_empty() {
            words = cause;
        } else if !words.contains(&cause) {
            words.push_str(&format!(": {cause}"));
        }
    }
    words
}

/// Returns `true` if the error is that nobody reads the output any more.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn causes_are_told_once() {
        let error = anyhow!("it is not there").context("cannot read x: it is not there");
        assert_eq!(in_words(&error), "cannot read x: it is not there");
        let error = anyhow!("it is not there").context("cannot read x");
        assert_eq!(in_words(&error), "cannot read x: it is not there");
    }

    #[test]
    fn a_closed_pipe_is_recognised_below_other_causes() {
        let pipe = std::io::Error::from(ErrorKind::BrokenPipe);
        assert!(is_closed_pipe(&anyhow::Error::new(pipe).context("printing")));
        assert!(!is_closed_pipe(&anyhow!("something else")));
    }
}
