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
            // An access, to what there is and to what there isn't.
            0 => (0x2000_0000 as *mut u32).write_volatile(0),
            1 => _ = (0x0300_0000 as *const u32).read_volatile(),
            // A jump.
            2 => asm!("bx {}", in(reg) 0x101),
            // Instructions.
            3 => asm!("udf #0"),
            4 => asm!("bkpt #0"),
            // Calls.
            5 => asm!("svc 200"),
            6 => asm!("svc 8"),
            // The stack: in the kernel's memory, nowhere, and across the end of its own; by a call,
            // by a push, or by whatever comes between.
            7 => asm!("mov sp, {}", "nop", "svc 2", "udf #1", in(reg) 0x2000_1000),
            8 => asm!("mov sp, {}", "push {{r0}}", "udf #1", in(reg) 0x0300_0000),
            9 => asm!("mov sp, {}", "nop", "push {{r4-r7}}", "udf #1", in(reg) 0x2000_4008),
            10 => asm!("mov sp, {}", "movs r0, #1", "svc 0", "udf #1", in(reg) 0x2000_4014),
            ALL => {
                over();
                exit(0)
            }
            _ => {}
        }
    }
    exit(what + 100)
}
