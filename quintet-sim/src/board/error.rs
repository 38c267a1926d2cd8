//! Why a board cannot be had.

use crate::cores::TOOLS_FOR_RISC_V;
use std::path::PathBuf;

/// Why a board could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// No built-in board has this name.
    #[error("no board is named \"{name}\"; there are {known}, or give the path of a board file")]
    Unknown {
        /// The name asked for.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// The board has a core of which not every tool knows.
    #[error(
        "the board {name} has a RISC-V core, which this command can't use yet: {TOOLS_FOR_RISC_V} \
         can; choose a board with a Cortex-M for everything else (see `quintet boards`)"
    )]
    OtherCore {
        /// The board.
        name: String,
    },
    /// The file could not be read.
    #[error("cannot read the board file {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not TOML, or a field is unknown, missing or of the wrong type. The message shows
    /// the line.
    #[error("{origin}: {message}")]
    Syntax {
        /// The board's name or file.
        origin: String,
        /// The parser's message, with the line.
        message: String,
    },
    /// A value is impossible.
    #[error("{origin}: {place}: {problem}")]
    Invalid {
        /// The board's name or file.
        origin: String,
        /// The entry and field.
        place: String,
        /// The error, and the correct form.
        problem: String,
    },
}
