//! The exit codes of the command.
//!
//! Firmware that ends by itself exits with its own code; these are the tool's, each with a line on
//! standard error that begins with `quintet:`.
use std::process::ExitCode;

/// The end of a command without an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The command has done its work.
    Done,
    /// The firmware ended with this code.
    Firmware(u32),
    /// The firmware died: a fault that nobody handles, lockup, or a main stack that was written
    /// over variables.
    Died,
    /// A limit of cycles or instructions stopped the firmware.
    Limit,
    /// The firmware sleeps, and nothing will ever wake it.
    Asleep,
    /// Interrupted firmware does not behave as it must, or breaks a bound.
    Failed,
    /// Ctrl-C.
    Interrupted,
    /// There was nothing to measure. The message has been printed.
    NothingFound,
}

/// `inject` has found a run that goes wrong, `masks` a mask that is too long, `bounds` a bound that
/// does not hold.
pub const FAILED: u8 = 1;
/// The tool could not do its work: an error with a file, a board, a symbol.
pub const TOOL_ERROR: u8 = 120;
/// The firmware died.
pub const DIED: u8 = 121;
/// The firmware sleeps for ever.
pub const ASLEEP: u8 = 122;
/// A limit was reached; the code of `timeout`.
pub const LIMIT: u8 = 124;
/// Ctrl-C has cut a run, as shells report it: whatever the part of it showed.
pub const INTERRUPTED: u8 = 130;
/// The reader of the output went away, as shells report it.
pub const CLOSED_PIPE: u8 = 141;

/// The codes, for `--help`.
pub const HELP: &str = "\
Exit codes: the firmware's own (semihosting; above 255 it becomes 255), or
  2    the command line is wrong
  120  the tool failed: file, board, symbol (the message says which)
  121  the firmware died: unhandled fault, lockup, main stack over variables
  122  the firmware sleeps and nothing will ever wake it
  124  the limit of cycles or instructions was reached
  130  interrupted by Ctrl-C: what is printed and written is of a part, and says so";

impl Outcome {
    /// The process's exit code.
    pub fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            // A failure must not become 0 by losing its upper bits.
            Self::Firmware(code) => u8::try_from(code).unwrap_or(u8::MAX),
            Self::Failed => FAILED,
            Self::Died => DIED,
            Self::Limit => LIMIT,
            Self::Asleep => ASLEEP,
            Self::Interrupted => INTERRUPTED,
            Self::NothingFound => TOOL_ERROR,
        })
    }

    /// The word for JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Firmware(_) => "exit",
            Self::Died => "died",
            Self::Limit => "limit",
            Self::Asleep => "asleep",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::NothingFound => "nothing",
        }
    }
}
