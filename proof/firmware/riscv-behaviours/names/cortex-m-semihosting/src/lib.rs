//! The names of `cortex-m-semihosting` that programs of `tests/firmware` use, for RISC-V. Not by
//! the crate `semihosting`, whose panic handler would be beside that of some programs.
#![no_std]

use core::arch::asm;
use core::fmt::{self, Write};

/// The calls: to write a character, and to end with a code.
const WRITE: u32 = 3;
const EXIT: u32 = 0x20;

/// Makes a call.
///
/// # Safety
/// `argument` is the address of what the call takes.
unsafe fn call(number: u32, argument: *const u32) {
    // SAFETY: the caller's. The tool knows the sequence of three instructions.
    unsafe {
        asm!(
            ".option push", ".option norvc", ".p2align 4",
            "slli x0, x0, 0x1f", "ebreak", "srai x0, x0, 7", ".option pop",
            inout("a0") number => _, in("a1") argument,
        );
    }
}

/// The tool's output.
pub struct Output;

impl Write for Output {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            // SAFETY: the address of a character.
            unsafe { call(WRITE, (&raw const byte).cast()) };
        }
        Ok(())
    }
}

/// Writes to the tool.
#[macro_export]
macro_rules! hprint {
    ($($argument:tt)*) => {{
        let arguments = ::core::format_args!($($argument)*);
        let _ = ::core::fmt::Write::write_fmt(&mut $crate::Output, arguments);
    }};
}

/// Writes a line to the tool.
#[macro_export]
macro_rules! hprintln {
    () => {
        $crate::hprint!("\n")
    };
    ($($argument:tt)*) => {{
        $crate::hprint!($($argument)*);
        $crate::hprint!("\n");
    }};
}

pub mod debug {
    //! The end of a program.

    /// How a program ends.
    pub type ExitStatus = Result<(), ()>;
    /// Well.
    pub const EXIT_SUCCESS: ExitStatus = Ok(());
    /// Not well.
    pub const EXIT_FAILURE: ExitStatus = Err(());

    /// Ends the program.
    pub fn exit(status: ExitStatus) {
        let words = [0x2_0026, u32::from(status.is_err())];
        // SAFETY: the address of the reason and the code.
        unsafe { super::call(super::EXIT, words.as_ptr()) };
    }
}
