//! How much of a stack was used is known also where zeros were written; each start begins anew.
#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m_rt::entry;
use lm3s6965 as _;
use quintet::thread::CurrentThread;
use semihosting::println;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static DEEP, priority = 2, stack = 1024, entry = deep);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

const BYTES: usize = 600;

fn deep(_this: &CurrentThread<'_>) {
    black_box([0_u8; BYTES]);
}

fn low(this: &CurrentThread<'_>) {
    let used = || (BYTES..DEEP.stack_size()).contains(&DEEP.stack_high_water());
    println!("before: {}", DEEP.stack_high_water());
    for _ in 0..2 {
        let started = DEEP.start().is_ok();
        let joined = DEEP.join(this).is_ok();
        println!("started {started}, joined {joined}, used: {}", used());
    }
    semihosting::process::exit(0)
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    LOW.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
