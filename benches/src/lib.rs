//! What the benchmark firmware of all groups shares: marks, and the end of the program.
//!
//! A mark is a symbol at a point of the code; the rows of `scenarios/*.toml` name the marks that
//! they measure between. It is a label of no size, so that firmware runs as if it were not there.
//! With the feature `halting` it is a label on a BKPT, for measurements by a debugger that halts
//! the processor at each mark.

#![no_std]

use core::panic::PanicInfo;

/// Puts a mark here. A function with a mark must not be inlined twice: the assembler refuses the
/// second label.
#[macro_export]
macro_rules! mark {
    ($name:literal) => {
        // SAFETY: there is no instruction, or a BKPT, which a debugger skips.
        #[expect(named_asm_labels, reason = "the label is the mark")]
        unsafe {
            ::core::arch::asm!($crate::mark_text!($name), options(nostack, preserves_flags))
        }
    };
}

/// The assembly text of a mark, for code that is assembly already.
#[cfg(feature = "halting")]
#[macro_export]
macro_rules! mark_text {
    ($name:literal) => {
        concat!($name, ": bkpt #0")
    };
}

/// The assembly text of a mark, for code that is assembly already.
#[cfg(not(feature = "halting"))]
#[macro_export]
macro_rules! mark_text {
    ($name:literal) => {
        concat!($name, ":")
    };
}

/// The assembly text of a mark behind a store that pends an interrupt, where the preempted task
/// goes on. One instruction behind the store completes before the processor takes the exception; a
/// BKPT does not.
#[cfg(feature = "halting")]
#[macro_export]
macro_rules! preempted_text {
    ($name:literal) => {
        concat!($name, ": bkpt #0")
    };
}

/// The assembly text of a mark behind a store that pends an interrupt, where the preempted task
/// goes on. One instruction behind the store completes before the processor takes the exception; a
/// BKPT does not.
#[cfg(not(feature = "halting"))]
#[macro_export]
macro_rules! preempted_text {
    ($name:literal) => {
        concat!("nop\n", $name, ":")
    };
}

/// Ends the program with an exit code, through semihosting.
pub fn exit(code: u32) -> ! {
    const SYS_EXIT_EXTENDED: u32 = 0x20;
    const APPLICATION_EXIT: u32 = 0x2_0026;
    let block = [APPLICATION_EXIT, code];
    loop {
        // SAFETY: the semihosting call reads the block, which is alive.
        unsafe {
            core::arch::asm!(
                "bkpt #0xab",
                inout("r0") SYS_EXIT_EXTENDED => _,
                in("r1") &raw const block,
                options(nostack)
            );
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    exit(101)
}
