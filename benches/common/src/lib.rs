//! What the firmware of every system in the benchmark tables shares: ours, and each peer's.
//!
//! [`marks`] puts symbols at points of the code, which the rows of `scenarios/*.toml` name.
//! [`device`] is the board, as a peripheral access crate would describe it. [`park`] is the work
//! that async tasks do in the tables: they wait for an interrupt.
//! Whatever is here costs every system the same; whatever a system's users would write, or its
//! hardware layer, is in the system's own firmware.

#![no_std]

pub mod charts;
pub mod device;
pub mod fillers;
pub mod levels;
pub mod marks;
pub mod park;
pub mod showdown;
pub mod timer;

use core::panic::PanicInfo;

// The start-up code, for systems that bring their own `main`.
use cortex_m_rt as _;

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
