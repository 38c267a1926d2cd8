//! Asks the debugger to end the whole system, as a process must not.
#![no_std]
#![no_main]

use core::arch::asm;

quintet_process::main!(main);

fn main() {
    // SAFETY: SYS_EXIT with the reason of an ordinary end.
    unsafe { asm!("bkpt 0xab", in("r0") 0x18, in("r1") 0x2_0026) };
}
