//! Low-level debugging, Tock's driver 8: a process prints a number, before it can print text.
//!
//! | call | effect |
//! |---|---|
//! | command 1 `(code)` | reports an event, by a code of the library |
//! | command 2 `(number)`, 3 `(number, number)` | prints one number, or two |

use ::core::fmt;

use super::{Answer, Client, Driver, ErrorCode, Process, Slots};

/// A message of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// An event, by its code.
    Alert(u32),
    /// One number.
    One(u32),
    /// Two numbers.
    Two(u32, u32),
}

impl fmt::Display for Said {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alert(code) => write!(formatter, "alert code {code:#x}"),
            Self::One(number) => write!(formatter, "prints {number:#x}"),
            Self::Two(first, second) => write!(formatter, "prints {first:#x} {second:#x}"),
        }
    }
}

/// Low-level debugging.
///
/// ```
/// use quintet::process::low_level_debug::LowLevelDebug;
/// use semihosting::println;
///
/// /// Prints the messages, each with the process's name.
/// static DEBUG: LowLevelDebug =
///     LowLevelDebug::new(|process, said| println!("{}: {said}", process.name()));
/// ```
pub struct LowLevelDebug {
    say: fn(&Process, Said),
}

debug_by_name!([] LowLevelDebug: "LowLevelDebug");

impl LowLevelDebug {
    /// Makes the driver, which calls `say` in SVCall for each message.
    #[must_use]
    pub const fn new(say: fn(&Process, Said)) -> Self {
        Self { say }
    }
}

impl Driver for LowLevelDebug {
    const NUMBER: u32 = 8;

    fn slots(&'static self, _: usize) -> Slots {
        Slots::NONE
    }

    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        let said = match command {
            1 => Said::Alert(first),
            2 => Said::One(first),
            3 => Said::Two(first, second),
            _ => return Answer::Failure(ErrorCode::NoSupport),
        };
        (self.say)(client.process(), said);
        Answer::Success
    }
}
