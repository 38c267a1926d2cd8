//! The part of the expansions' names that the host has: only the numbers of interrupts.

#![expect(unsafe_code, reason = "the names and contracts are those of the targets")]

/// The peripheral SysTick, which doesn't exist here.
#[derive(Debug)]
pub struct SYST {
    _private: (),
}

/// The name of an interrupt.
///
/// # Safety
/// As on the targets: each name has one number, always the same.
pub unsafe trait InterruptNumber: Copy {
    /// Returns the interrupt's number.
    fn number(self) -> u16;
}

/// Defines nothing: what switches threads after interrupts is an exception.
#[doc(hidden)]
#[macro_export]
macro_rules! __without_switches {
    () => {};
}

/// Defines nothing: no interrupt has a routine here.
#[doc(hidden)]
#[macro_export]
macro_rules! __vectors {
    ($($any:tt)*) => {};
}
