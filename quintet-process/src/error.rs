//! The error of a call.

use core::fmt;

/// The reason why a call failed. The numbers are those of Tock's system calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum ErrorCode {
    /// The call failed, for a reason without a code of its own.
    Fail = 1,
    /// The driver is busy with an operation of another process, or with an earlier one of yours.
    Busy = 2,
    /// The requested state is the present state already.
    Already = 3,
    /// The device is switched off.
    Off = 4,
    /// You must reserve the device first.
    Reserve = 5,
    /// An argument is out of range.
    Invalid = 6,
    /// A size is too large, or too small.
    Size = 7,
    /// The operation was cancelled.
    Cancel = 8,
    /// There is too little memory, or no room in a queue.
    NoMemory = 9,
    /// The driver doesn't support this operation.
    NoSupport = 10,
    /// The driver or the process doesn't exist, or your process may not use it.
    NoDevice = 11,
    /// The device isn't plugged in.
    Uninstalled = 12,
    /// No receiver has acknowledged the message.
    NoAcknowledge = 13,
}

impl ErrorCode {
    /// Returns the error of a number. A number that is no error becomes [`Fail`](Self::Fail).
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

    /// The error in words.
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
