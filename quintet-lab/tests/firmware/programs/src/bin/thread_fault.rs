//! A thread that is at fault, while others wait: its stack is large enough.
#![no_std]
#![no_main]

use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static URGENT, priority = 3, stack = 1024, entry = urgent);
quintet::thread!(static GUILTY, priority = 2, stack = 1024, entry = guilty);
quintet::thread!(static LATER, priority = 1, stack = 1024, entry = urgent);

static NEVER: Semaphore = Semaphore::new(0);

fn urgent(this: &CurrentThread<'_>) {
    NEVER.take().block(this);
}

fn guilty(_: &CurrentThread<'_>) {
    LATER.start().unwrap();
    // SAFETY: an undefined instruction changes nothing; the fault is what is wanted.
    unsafe { core::arch::asm!("udf #0") };
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    URGENT.start().unwrap();
    GUILTY.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
