//! A thread whose stack is a little too small, on a kernel that does not guard stacks: it writes
//! over what lies below, and dies.
#![no_std]
#![no_main]

use core::hint::black_box;
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20, stack_guard = false);
quintet::thread!(static SMALL, priority = 3, stack = 512, entry = small);

#[inline(never)]
fn deep(depth: u32) -> u32 {
    let local = black_box([depth; 16]);
    if depth > 0 {
        return deep(depth - 1).wrapping_add(local[1]);
    }
    // SAFETY: an undefined instruction changes nothing; the fault is what is wanted.
    unsafe { core::arch::asm!("udf #0") };
    local[2]
}

fn small(_: &CurrentThread<'_>) {
    black_box(deep(6));
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    SMALL.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
