//! What the firmware of the benchmark tables shares, for RISC-V. The files that name no core are
//! those of the tables for a Cortex-M.

#![no_std]

pub mod device;
#[path = "../../../common/src/fillers.rs"]
pub mod fillers;
#[path = "../../../common/src/levels.rs"]
pub mod levels;
#[path = "../../../common/src/marks.rs"]
pub mod marks;
#[path = "../../../common/src/park.rs"]
pub mod park;
mod pend;

use core::arch::asm;
use core::panic::PanicInfo;

/// Ends the program with an exit code, through semihosting.
pub fn exit(code: u32) -> ! {
    const SYS_EXIT_EXTENDED: u32 = 0x20;
    const APPLICATION_EXIT: u32 = 0x2_0026;
    let block = [APPLICATION_EXIT, code];
    loop {
        // SAFETY: the semihosting call reads the block, which is alive. The tool knows the
        // sequence of three instructions.
        unsafe {
            asm!(
                ".option push", ".option norvc", ".p2align 4",
                "slli x0, x0, 0x1f", "ebreak", "srai x0, x0, 7", ".option pop",
                inout("a0") SYS_EXIT_EXTENDED => _, in("a1") &raw const block,
            );
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    exit(101)
}
