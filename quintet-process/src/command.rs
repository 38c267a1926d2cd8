//! Commands: your process asks a driver to do something at once, or to begin something.

#![expect(unsafe_code, reason = "a system call")]

use crate::ErrorCode;
use crate::system::{call, class};

/// The answer of a driver. Call the method for the values that the driver's documentation promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "it may be a failure"]
pub struct Answer([u32; 4]);

/// The kinds of answers, in the first word of an answer.
mod variant {
    pub const FAILURE: u32 = 0;
    pub const FAILURE_LAST: u32 = 3;
    pub const WORD: u32 = 129;
    pub const WORDS: u32 = 130;
    pub const DOUBLE: u32 = 131;
    pub const THREE_WORDS: u32 = 132;
}

/// Asks the driver of a number to do the command of a number, with two arguments.
///
/// Returns the driver's answer. If the driver doesn't exist, or the process may not call the
/// driver, the answer is [`ErrorCode::NoDevice`]. If the command doesn't exist, the answer is
/// [`ErrorCode::NoSupport`]. Command 0 asks whether a driver exists, and succeeds if it does.
///
/// This call doesn't wait. When the driver has finished an operation that the command began, it
/// sends an [upcall](crate::Upcall).
pub fn command(driver: u32, number: u32, first: u32, second: u32) -> Answer {
    let arguments = [driver, number, first, second].map(|word| word as usize);
    // SAFETY: a driver reaches memory that is lent to it alone, and lending it says for how long.
    Answer(unsafe { call::<{ class::COMMAND }>(arguments) }.map(|word| word as u32))
}

/// Returns `true` if a driver of this number exists, and the process may call the driver.
#[must_use]
pub fn exists(driver: u32) -> bool {
    command(driver, 0, 0, 0).error().is_none()
}

impl Answer {
    /// Returns the error, if the command failed.
    #[must_use]
    pub const fn error(self) -> Option<ErrorCode> {
        match self.0[0] {
            variant::FAILURE..=variant::FAILURE_LAST => Some(ErrorCode::of(self.0[1])),
            _ => None,
        }
    }

    /// Returns `Ok` if the command succeeded, with any values.
    ///
    /// # Errors
    /// The error, if the command failed.
    pub const fn done(self) -> Result<(), ErrorCode> {
        match self.error() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Returns the three words after the first, if the answer is of this kind.
    const fn values(self, kind: u32) -> Result<[u32; 3], ErrorCode> {
        match self.error() {
            Some(error) => Err(error),
            None if self.0[0] == kind => Ok([self.0[1], self.0[2], self.0[3]]),
            None => Err(ErrorCode::Fail),
        }
    }

    /// Returns the word of the answer.
    ///
    /// # Errors
    /// The error, if the command failed. `Fail`: the answer has other values.
    pub fn word(self) -> Result<u32, ErrorCode> {
        Ok(self.values(variant::WORD)?[0])
    }

    /// Returns the two words of the answer.
    ///
    /// # Errors
    /// As [`word`](Self::word).
    pub fn words(self) -> Result<[u32; 2], ErrorCode> {
        let [first, second, _] = self.values(variant::WORDS)?;
        Ok([first, second])
    }

    /// Returns the three words of the answer.
    ///
    /// # Errors
    /// As [`word`](Self::word).
    pub fn three_words(self) -> Result<[u32; 3], ErrorCode> {
        self.values(variant::THREE_WORDS)
    }

    /// Returns the 64-bit number of the answer.
    ///
    /// # Errors
    /// As [`word`](Self::word).
    pub fn double(self) -> Result<u64, ErrorCode> {
        let [low, high, _] = self.values(variant::DOUBLE)?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    /// Returns the words of the answer unchanged, with the kind in the first word: the variants of
    /// Tock's system calls.
    #[must_use]
    pub const fn raw(self) -> [u32; 4] {
        self.0
    }

    /// Returns `true` if the command succeeded, with any values.
    #[must_use]
    pub const fn is_success(self) -> bool {
        self.error().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_another_kind_fails() {
        let answer = Answer([variant::WORD, 7, 8, 9]);
        assert_eq!((answer.word(), answer.done()), (Ok(7), Ok(())));
        assert_eq!(answer.words(), Err(ErrorCode::Fail));
        assert_eq!(Answer([variant::DOUBLE, 1, 2, 0]).double(), Ok(0x2_0000_0001));
        for failure in 0..4 {
            let answer = Answer([failure, 11, 0, 0]);
            assert_eq!(answer.error(), Some(ErrorCode::NoDevice));
            assert_eq!(answer.word(), Err(ErrorCode::NoDevice));
            assert!(!answer.is_success());
        }
    }
}
