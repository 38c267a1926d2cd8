//! Why a call failed.

use core::fmt;

/// Why a call failed. The numbers are those of Tock's system calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum ErrorCode {
    /// It failed, and there is no other word for it.
    Fail = 1,
    /// What is asked for is under way for somebody else, or for an earlier call.
    Busy = 2,
    /// It is so already.
    Already = 3,
    /// It is switched off.
    Off = 4,
    /// It has to be reserved before.
    Reserve = 5,
    /// An argument is out of range.
    Invalid = 6,
    /// It is too large, or too small.
    Size = 7,
    /// It was cancelled.
    Cancel = 8,
    /// There is too little memory, or no room in a queue.
    NoMemory = 9,
    /// The driver doesn't do that.
    NoSupport = 10,
    /// There is no such driver, no such process, or it isn't permitted.
    NoDevice = 11,
    /// It isn't put in.
    Uninstalled = 12,
    /// Nobody has acknowledged it.
    NoAcknowledge = 13,
}

impl ErrorCode {
    /// The error of a number. What isn't a number of an error is [`Fail`](Self::Fail).
    #[must_use]
    pub const fn of(number: u32) -> Self {
        match number {
            2 => Self::Busy,
            3 => Self::Already,
            4 => Self::Off,
            5 => Self::Reserve,
            6 => Self::Invalid,
            7 => Self::Size,
            8 => Self::Cancel,
            9 => Self::NoMemory,
            10 => Self::NoSupport,
            11 => Self::NoDevice,
            12 => Self::Uninstalled,
            13 => Self::NoAcknowledge,
            _ => Self::Fail,
        }
    }

    /// In words.
    const fn words(self) -> &'static str {
        match self {
            Self::Fail => "it failed",
            Self::Busy => "it is busy",
            Self::Already => "it is so already",
            Self::Off => "it is off",
            Self::Reserve => "it is not reserved",
            Self::Invalid => "an argument is out of range",
            Self::Size => "the size is wrong",
            Self::Cancel => "it was cancelled",
            Self::NoMemory => "there is no memory or room for it",
            Self::NoSupport => "the driver doesn't do that",
            Self::NoDevice => "there is no such driver or process, or it isn't permitted",
            Self::Uninstalled => "it isn't put in",
            Self::NoAcknowledge => "nobody acknowledged it",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.words())
    }
}

impl core::error::Error for ErrorCode {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_calls() {
        for number in 1..=13 {
            assert_eq!(ErrorCode::of(number) as u32, number);
        }
        assert_eq!((ErrorCode::of(0), ErrorCode::of(1024)), (ErrorCode::Fail, ErrorCode::Fail));
    }
}
