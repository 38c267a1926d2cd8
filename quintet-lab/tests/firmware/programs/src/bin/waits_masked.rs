//! A thread that waits while interrupts are off: the kernel panics.
#![no_std]
#![no_main]

use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static WORKER, priority = 1, stack = 1024, entry = work);

static NEVER: Semaphore = Semaphore::new(0);

fn work(this: &CurrentThread<'_>) {
    cortex_m::interrupt::free(|_| {
        NEVER.take().block(this);
    });
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    WORKER.start().unwrap();
    semihosting::process::exit(0)
}
