//! Commands: what a driver is asked to do at once, or to begin.

#![expect(unsafe_code, reason = "a system call")]

use crate::ErrorCode;
use crate::system::{call, class};

/// What a driver answered. Ask for what its documentation says that it answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "it may be a failure"]
pub struct Answer([u32; 4]);

/// What an answer has in its first word.
mod variant {
    pub const FAILURE: u32 = 0;
    pub const FAILURE_LAST: u32 = 3;
    pub const WORD: u32 = 129;
    pub const WORDS: u32 = 130;
    pub const DOUBLE: u32 = 131;
    pub const THREE_WORDS: u32 = 132;
}

/// Lets the driver of a number do the command of a number, with two arguments.
///
/// Returns what the driver answered. A driver that isn't there, or that the process may not call,
/// answers [`ErrorCode::NoDevice`]; a command that isn't there, [`ErrorCode::NoSupport`]. Command 0
/// asks whether a driver is there, and succeeds if so.
///
/// It doesn't wait. What the driver began says by an [upcall](crate::Upcall) that it is done.
pub fn command(driver: u32, number: u32, first: u32, second: u32) -> Answer {
    let arguments = [driver, number, first, second].map(|word| word as usize);
    // SAFETY: a driver reaches memory that is lent to it alone, and lending it says for how long.
    Answer(unsafe { call::<{ class::COMMAND }>(arguments) }.map(|word| word as u32))
}

/// Whether there is a driver of this number that the process may call.
#[must_use]
pub fn exists(driver: u32) -> bool {
    command(driver, 0, 0, 0).error().is_none()
}

impl Answer {
    /// Why it failed, if it did.
    #[must_use]
    pub const fn error(self) -> Option<ErrorCode> {
        match self.0[0] {
            variant::FAILURE..=variant::FAILURE_LAST => Some(ErrorCode::of(self.0[1])),
            _ => None,
        }
    }

    /// That it succeeded, with whatever values.
    ///
    /// # Errors
    /// Why it failed.
    pub const fn done(self) -> Result<(), ErrorCode> {
        match self.error() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// The three words behind, if the answer is of this kind.
    const fn values(self, kind: u32) -> Result<[u32; 3], ErrorCode> {
        match self.error() {
            Some(error) => Err(error),
            None if self.0[0] == kind => Ok([self.0[1], self.0[2], self.0[3]]),
            None => Err(ErrorCode::Fail),
        }
    }

    /// The word that it answered with.
    ///
    /// # Errors
    /// Why it failed. `Fail`: it answered with something else.
    pub fn word(self) -> Result<u32, ErrorCode> {
        Ok(self.values(variant::WORD)?[0])
    }

    /// The two words that it answered with.
    ///
    /// # Errors
    /// As [`word`](Self::word).
    pub fn words(self) -> Result<[u32; 2], ErrorCode> {
        let [first, second, _] = self.values(variant::WORDS)?;
        Ok([first, second])
    }

    /// The three words that it answered with.
    ///
    /// # Errors
    /// As [`word`](Self::word).
    pub fn three_words(self) -> Result<[u32; 3], ErrorCode> {
        self.values(variant::THREE_WORDS)
    }

    /// The number of 64 bits that it answered with.
    ///
    /// # Errors
    /// As [`word`](Self::word).
    pub fn double(self) -> Result<u64, ErrorCode> {
        let [low, high, _] = self.values(variant::DOUBLE)?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    /// The words as they came, and the kind in the first one: the variants of Tock's system calls.
    #[must_use]
    pub const fn raw(self) -> [u32; 4] {
        self.0
    }

    /// Whether it succeeded, with whatever values.
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
