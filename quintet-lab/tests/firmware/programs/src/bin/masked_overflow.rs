//! A thread that overflows its stack while interrupts are off: the fault becomes a HardFault, whose
//! frame can't be written either.
#![no_std]
#![no_main]

use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static SMALL, priority = 1, stack = 512, entry = small);

/// Pushes word after word, so that the fault finds no room for a frame but the guard.
#[inline(never)]
fn fill() -> ! {
    // SAFETY: nobody returns from here; the fault at the end of the stack is what is wanted.
    unsafe { core::arch::asm!("2:", "push {{r0}}", "b 2b", options(noreturn)) }
}

fn small(_: &CurrentThread<'_>) {
    cortex_m::interrupt::disable();
    fill()
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
