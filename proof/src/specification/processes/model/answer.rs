//! The specification of immediate answers, and of memory.

use super::super::call::Words;
use super::super::layout::{BELL, DESK, Kind, Place, buffer};
use super::Process;

/// Errors, and two of a driver's.
const FAIL: u32 = 1;
const BUSY: u32 = 2;
const OFF: u32 = 4;
const INVALID: u32 = 6;
const SIZE: u32 = 7;
const CANCEL: u32 = 8;
const NO_MEMORY: u32 = 9;
const NO_SUPPORT: u32 = 10;
const NO_DEVICE: u32 = 11;

/// The answer of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The registers stay.
    Nothing,
    Failure(u32),
    FailureWord(u32, u32),
    FailureWords(u32, u32, u32),
    FailureDouble(u32, u32, u32),
    Success,
    Word(u32),
    Words(u32, u32),
    ThreeWords(u32, u32, u32),
    Double(u32, u32),
    WordDouble(u32, u32, u32),
}

impl Answer {
    /// Returns r0 to r3 after a call. Registers that an answer doesn't use stay.
    pub(super) fn registers(self, [_, r0, r1, r2, r3]: Words) -> [u32; 4] {
        match self {
            Self::Nothing => [r0, r1, r2, r3],
            Self::Failure(error) => [0, error, r2, r3],
            Self::FailureWord(error, word) => [1, error, word, r3],
            Self::FailureWords(error, first, second) => [2, error, first, second],
            Self::FailureDouble(error, low, high) => [3, error, low, high],
            Self::Success => [128, r1, r2, r3],
            Self::Word(word) => [129, word, r2, r3],
            Self::Words(first, second) => [130, first, second, r3],
            Self::Double(low, high) => [131, low, high, r3],
            Self::ThreeWords(first, second, third) => [132, first, second, third],
            Self::WordDouble(word, low, high) => [133, word, low, high],
        }
    }
}

/// Returns the answer of the second driver.
pub(super) const fn of_bell(command: u32, first: u32, second: u32) -> Answer {
    match command {
        0 => Answer::Word(3),
        1 => Answer::Success,
        2 => Answer::Failure(BUSY),
        3 => Answer::FailureWord(OFF, first),
        4 => Answer::FailureWords(SIZE, first, second),
        5 => Answer::FailureDouble(CANCEL, first, second),
        6 => Answer::Word(first),
        7 => Answer::Words(first, second),
        8 => Answer::ThreeWords(first, second, 7),
        9 => Answer::Double(first, second),
        10 => Answer::WordDouble(7, first, second),
        _ => Answer::Failure(NO_SUPPORT),
    }
}

/// Returns `true` if a range contains this number of bytes. No bytes are everywhere.
fn has((begin, end): (u32, u32), address: u32, size: u32) -> bool {
    let last = u64::from(address) + u64::from(size);
    size == 0 || begin <= address && last <= u64::from(end)
}

impl Process {
    /// Returns `true` if bytes lie in the process's memory, below the break.
    pub(super) fn owns(&self, address: u32, size: u32) -> bool {
        has((self.place.memory.0, self.break_), address, size)
    }

    /// Returns `true` if the process may access a word: below the break, or between the break and
    /// the end of a step.
    pub(super) fn accesses(&self, address: u32) -> bool {
        let Place { memory, step, .. } = *self.place;
        let used = (self.break_ - memory.0).next_multiple_of(step);
        has((memory.0, memory.1.min(memory.0 + used)), address, 4)
    }

    /// The same, or in the process's flash behind the header.
    pub(super) fn may_lend(&self, address: u32, size: u32) -> bool {
        let code = (self.place.code, self.place.flash.1);
        self.owns(address, size) || has(code, address, size)
    }

    /// Lends a buffer. The answer is the old buffer.
    pub(super) fn allow(
        &mut self,
        [_, driver, number, address, size]: Words,
        kind: Kind,
    ) -> Answer {
        let refused = |error| Answer::FailureWords(error, address, size);
        if ![DESK, BELL].contains(&driver) {
            return refused(NO_DEVICE);
        }
        let owns = self.owns(address, size);
        if !(owns || kind == Kind::ReadOnly && self.may_lend(address, size)) {
            return refused(INVALID);
        }
        let Some(buffer) = buffer(driver, number, kind) else { return refused(NO_SUPPORT) };
        if owns && size > 0 {
            self.lent_to = self.lent_to.max(address + size);
        }
        let (before, had) = std::mem::replace(&mut self.lent[buffer], (address, size));
        Answer::Words(before, had)
    }

    /// A memory operation.
    pub(super) fn memory(&mut self, operation: u32, argument: u32) -> Answer {
        let Place { memory, flash, .. } = *self.place;
        match operation {
            0 => match self.move_break(argument) {
                Some(_) => Answer::Success,
                None => Answer::Failure(NO_MEMORY),
            },
            1 => match self.move_break(self.break_.wrapping_add(argument)) {
                Some(before) => Answer::Word(before),
                None => Answer::Failure(NO_MEMORY),
            },
            2 => Answer::Word(memory.0),
            // The kernel has no region behind the process's memory.
            3 | 6 => Answer::Word(memory.1),
            4 => Answer::Word(flash.0),
            5 => Answer::Word(flash.1),
            // The application's header names no parts of flash that it may write.
            7 => Answer::Word(0),
            8 | 9 => Answer::Failure(FAIL),
            10 | 11 => Answer::Success,
            _ => Answer::Failure(NO_SUPPORT),
        }
    }

    /// Moves the break, but not below lent memory. Returns its old place. New memory is zero.
    fn move_break(&mut self, to: u32) -> Option<u32> {
        if to < self.lent_to || to < self.place.memory.0 || to > self.place.memory.1 {
            return None;
        }
        let before = std::mem::replace(&mut self.break_, to);
        self.memory.retain(|address, _| !(before..to).contains(address));
        Some(before)
    }

    /// Notes in the process's memory whether an upcall has run, if the process yielded without a
    /// wait.
    pub(super) fn set_flag(&mut self, notes: bool, address: u32, has_run: u8) {
        if notes && self.owns(address, 1) {
            if address == self.place.flag {
                self.flag = has_run.into();
            } else {
                self.put(address, has_run);
            }
        }
    }

    pub(super) fn byte(&self, address: u32) -> u8 {
        self.memory.get(&address).copied().unwrap_or(0)
    }

    pub(super) fn put(&mut self, address: u32, byte: u8) {
        if byte == 0 {
            self.memory.remove(&address);
        } else {
            self.memory.insert(address, byte);
        }
    }

    pub(super) fn word(&self, address: u32) -> u32 {
        u32::from_le_bytes([0, 1, 2, 3].map(|byte| self.byte(address.wrapping_add(byte))))
    }

    pub(super) fn put_word(&mut self, address: u32, word: u32) {
        for (at, byte) in word.to_le_bytes().into_iter().enumerate() {
            self.put(address.wrapping_add(at as u32), byte);
        }
    }
}
