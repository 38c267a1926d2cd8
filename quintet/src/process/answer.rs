//! The answers to system calls: the variants of the return registers, and the errors.
//!
//! Source: TRD 104 of Tock, "System Calls".

use crate::arch::process::{CALL, Frame};

/// The reason why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ErrorCode {
    /// Any other reason.
    Fail = 1,
    /// The driver is busy; try again later.
    Busy = 2,
    /// The requested state is the present state.
    Already = 3,
    /// A needed component is off.
    Off = 4,
    /// The resource has to be reserved first.
    Reserve = 5,
    /// An argument is invalid.
    Invalid = 6,
    /// The size is too large or too small.
    Size = 7,
    /// The operation was cancelled.
    Cancel = 8,
    /// There is not enough memory.
    NoMemory = 9,
    /// The operation is not supported.
    NoSupport = 10,
    /// There is no such device.
    NoDevice = 11,
    /// The device isn't there.
    Uninstalled = 12,
    /// The other side has not answered.
    NoAcknowledge = 13,
}

/// The answer to a command.
///
/// ```
/// use quintet::process::{Answer, ErrorCode};
///
/// /// Answers the square of a number, if the square fits 32 bits.
/// fn square(number: u32) -> Answer {
///     number.checked_mul(number).map_or(Answer::Failure(ErrorCode::Size), Answer::Word)
/// }
///
/// /// Answers success, or the error of work that may fail.
/// fn begin(work: fn() -> Result<(), ErrorCode>) -> Answer {
///     work().into()
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Answer {
    /// The command failed.
    Failure(ErrorCode),
    /// The command failed, with a word.
    FailureWord(ErrorCode, u32),
    /// The command failed, with two words.
    FailureWords(ErrorCode, u32, u32),
    /// The command failed, with a double word.
    FailureDouble(ErrorCode, u64),
    /// The command is done, or has begun.
    Success,
    /// Success, with a word.
    Word(u32),
    /// Success, with two words.
    Words(u32, u32),
    /// Success, with three words.
    ThreeWords(u32, u32, u32),
    /// Success, with a double word.
    Double(u64),
    /// Success, with a word and a double word.
    WordDouble(u32, u64),
    /// None: a part of the work is done, and the process makes its call again.
    #[doc(hidden)]
    Again,
}

impl From<Result<(), ErrorCode>> for Answer {
    fn from(result: Result<(), ErrorCode>) -> Self {
        result.map_or_else(Self::Failure, |()| Self::Success)
    }
}

impl Answer {
    /// Writes the arguments of a call into the caller's registers, and the answer over them.
    #[cfg(plain_switch)]
    #[inline(always)]
    pub(super) fn write_beside(self, arguments: [u32; 4], frame: &mut Frame) {
        frame.registers = arguments;
        self.write(frame);
    }

    /// Writes the answer into the caller's registers. Registers that a variant doesn't use keep the
    /// call's arguments.
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
            // If the process has lent the frame's memory, a driver may have written there. Then the
            // process continues at any address.
            Self::Again => frame.pc = frame.pc.wrapping_sub(CALL),
        }
    }
}
