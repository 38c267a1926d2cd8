//! Numbers for debugging: the kernel prints each number with the name of its process.
//!
//! Tock's driver 8. These functions don't wait, and never fail: a kernel without the driver prints
//! nothing.

use crate::command;

/// The driver's number.
pub const DRIVER: u32 = 8;
/// Its commands.
const ALERT: u32 = 1;
const PRINT: u32 = 2;
const PRINT_TWO: u32 = 3;

/// The alert of a panic.
#[cfg(all(target_os = "none", feature = "panic-handler"))]
pub(crate) const PANIC: u32 = 1;

/// Sends a code that has a meaning of its own: 1 is a panic.
pub fn alert(code: u32) {
    let _nobody_hears = command(DRIVER, ALERT, code, 0);
}

/// Prints a number.
pub fn print(number: u32) {
    let _nobody_hears = command(DRIVER, PRINT, number, 0);
}

/// Prints two numbers.
pub fn print_two(first: u32, second: u32) {
    let _nobody_hears = command(DRIVER, PRINT_TWO, first, second);
}
