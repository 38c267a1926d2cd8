//! What a system call answers: the variants of its return registers, and the errors.
//!
//! Source: TRD 104 of Tock, "System Calls".

use crate::arch::process::Frame;

/// Why a call didn't do what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ErrorCode {
    /// Something else.
    Fail = 1,
    /// Busy with something else; try again later.
    Busy = 2,
    /// It is so already.
    Already = 3,
    /// What it needs is off.
    Off = 4,
    /// It has to be reserved before.
    Reserve = 5,
    /// An argument that can't be.
    Invalid = 6,
    /// Too large, or too small.
    Size = 7,
    /// It was cancelled.
    Cancel = 8,
    /// There is no memory for it.
    NoMemory = 9,
    /// Nobody does that.
    NoSupport = 10,
    /// There is no such device.
    NoDevice = 11,
    /// The device isn't there.
    Uninstalled = 12,
    /// Nobody has answered.
    NoAcknowledge = 13,
}

/// What a command answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Answer {
    /// It can't be done.
    Failure(ErrorCode),
    /// The same, with a word.
    FailureWord(ErrorCode, u32),
    /// The same, with two words.
    FailureWords(ErrorCode, u32, u32),
    /// The same, with a double word.
    FailureDouble(ErrorCode, u64),
    /// It is done, or begun.
    Success,
    /// The same, with a word.
    Word(u32),
    /// The same, with two words.
    Words(u32, u32),
    /// The same, with three words.
    ThreeWords(u32, u32, u32),
    /// The same, with a double word.
    Double(u64),
    /// The same, with a word and a double word.
    WordDouble(u32, u64),
}

impl From<Result<(), ErrorCode>> for Answer {
    fn from(result: Result<(), ErrorCode>) -> Self {
        result.map_or_else(Self::Failure, |()| Self::Success)
    }
}

impl Answer {
    /// Writes it where the caller finds it. What a variant doesn't use stays as it was handed over.
    pub(super) fn write(self, frame: &mut Frame) {
        let registers = &mut frame.registers;
        let mut put = |words: &[u32]| registers[..words.len()].copy_from_slice(words);
        match self {
            Self::Failure(error) => put(&[0, error as u32]),
            Self::FailureWord(error, word) => put(&[1, error as u32, word]),
            Self::FailureWords(error, first, second) => put(&[2, error as u32, first, second]),
            Self::FailureDouble(error, double) => {
                put(&[3, error as u32, double as u32, (double >> 32) as u32]);
            }
            Self::Success => put(&[128]),
            Self::Word(word) => put(&[129, word]),
            Self::Words(first, second) => put(&[130, first, second]),
            Self::Double(double) => put(&[131, double as u32, (double >> 32) as u32]),
            Self::WordDouble(word, double) => {
                put(&[133, word, double as u32, (double >> 32) as u32]);
            }
            Self::ThreeWords(first, second, third) => put(&[132, first, second, third]),
        }
    }
}
