//! One fault in each life, of each kind.

use core::arch::asm;

use super::{begin, over, say};
use crate::exit;

/// What the kernel says when all faults were made.
const ALL: u32 = 99;

pub fn run() -> ! {
    begin();
    let what = say(0, 0);
    // SAFETY: none: the kernel must stop it. Where it doesn't, it says so.
    unsafe {
        match what {
            // An access.
            0 => (0x2000_0000 as *mut u32).write_volatile(0),
            1 => (0x0002_0000 as *mut u32).write_volatile(0),
            // Nothing is there.
            2 => _ = (0x0300_0000 as *const u32).read_volatile(),
            // A jump.
            3 => asm!("bx {}", in(reg) 0x101, clobber_abi("C")),
            4 => asm!("bx {}", in(reg) 0x2000_4001, clobber_abi("C")),
            // Instructions.
            5 => asm!("udf #0"),
            6 => asm!("bkpt #0"),
            7 => asm!("bx {}", in(reg) 0x2_0100, clobber_abi("C")),
            // Calls.
            8 => asm!("svc 200"),
            9 => asm!("svc 0", inout("r0") 9 => _),
            // The stack: in the kernel's memory, nowhere, just below its own, across its end; by a
            // call, by a push, or by whatever comes between.
            10 => asm!("mov sp, {}", "svc 2", "udf #1", in(reg) 0x2000_1000),
            11 => asm!("mov sp, {}", "push {{r0}}", "udf #1", in(reg) 0x0300_0000),
            12 => asm!("mov sp, {}", "nop", "svc 2", "udf #1", in(reg) 0x2000_4000),
            13 => asm!("mov sp, {}", "nop", "push {{r4-r7}}", "udf #1", in(reg) 0x2000_4008),
            14 => asm!("mov sp, {}", "nop", "nop", "svc 2", "udf #1", in(reg) 0x2000_4014),
            15 => asm!("mov sp, {}", "movs r0, #1", "svc 0", "udf #1", in(reg) 0x4000_c000),
            ALL => {
                over();
                exit(0)
            }
            _ => {}
        }
    }
    exit(what + 100)
}
