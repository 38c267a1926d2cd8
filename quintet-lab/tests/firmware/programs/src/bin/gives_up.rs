//! A thread that ends the program with a failing code.
#![no_std]
#![no_main]

use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static WORKER, priority = 1, stack = 512, entry = work);

fn work(_: &CurrentThread<'_>) {
    semihosting::process::exit(3)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    let _ = WORKER.start();
    semihosting::process::exit(0)
}
