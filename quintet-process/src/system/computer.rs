//! System calls on the computer: to the kernel for tests, if this thread has one.

#![expect(unsafe_code, reason = "the same signatures as on a microcontroller")]

use crate::host;

/// As on a microcontroller.
///
/// # Safety
/// As there.
pub unsafe fn call<const CLASS: u8>(arguments: [usize; 4]) -> [usize; 4] {
    host::call(CLASS, arguments)
}

/// As on a microcontroller.
///
/// # Safety
/// As there.
pub unsafe fn yield_now(kind: usize, first: usize, second: usize) -> [usize; 3] {
    host::yield_now(kind, first, second)
}

pub fn exit(kind: usize, code: usize) -> ! {
    host::exit(kind, code)
}

pub fn is_here() -> bool {
    host::is_here()
}

pub fn life() -> u32 {
    host::life()
}
