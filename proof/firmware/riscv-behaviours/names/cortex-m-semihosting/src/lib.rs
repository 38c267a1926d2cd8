//! The names of `cortex-m-semihosting` that programs of `tests/firmware` use, for RISC-V. Not by
//! the crate `semihosting`, whose panic handler would be beside that of some programs.
#![no_std]

use core::arch::asm;
use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU32, Ordering};

/// The calls: to open a file, to write to it, and to end with a code.
const OPEN: u32 = 1;
const WRITE: u32 = 5;
const EXIT: u32 = 0x20;

/// The name of the tool's standard output, and how it is opened: to write.
const OUTPUT: &[u8] = b":tt\0";
const TO_WRITE: u32 = 4;

/// The number of that file; 0 before the first text.
static FILE: AtomicU32 = AtomicU32::new(0);

/// Makes a call.
///
/// # Safety
/// `argument` is the address of what the call takes.
unsafe fn call(number: u32, argument: *const u32) -> u32 {
    let result;
    // SAFETY: the caller's. The tool knows the sequence of three instructions.
    unsafe {
        asm!(
            ".option push", ".option norvc", ".p2align 4",
            "slli x0, x0, 0x1f", "ebreak", "srai x0, x0, 7", ".option pop",
            inout("a0") number => result, in("a1") argument,
        );
    }
    result
}

/// The tool's output.
pub struct Output;

impl Write for Output {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if FILE.load(Ordering::Relaxed) == 0 {
            let open = [OUTPUT.as_ptr().addr() as u32, TO_WRITE, OUTPUT.len() as u32 - 1];
            // SAFETY: the name, with its length.
            FILE.store(unsafe { call(OPEN, open.as_ptr()) }, Ordering::Relaxed);
        }
        let file = FILE.load(Ordering::Relaxed);
        let write = [file, text.as_ptr().addr() as u32, text.len() as u32];
        // SAFETY: the text, with its length.
        unsafe { call(WRITE, write.as_ptr()) };
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
