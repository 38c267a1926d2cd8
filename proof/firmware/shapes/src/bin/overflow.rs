//! A thread whose stack overflows, which is named by a panic before anything else is overwritten.
//!
//! So what is right here ends in a failure. Where the chip guards no stack it would end well.
#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m_rt::entry;
use quintet::thread::CurrentThread;
use semihosting as _;
use shapes as _;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static DEEP, priority = 1, stack = 512, entry = deep);
quintet::thread!(static GOOD, priority = 2, stack = 512, entry = good);

fn deep(_: &CurrentThread<'_>) {
    semihosting::process::exit(i32::from(sum(black_box(1000)) == 0));
}

fn sum(number: u32) -> u32 {
    let words = black_box([number; 8]);
    if number == 0 { 0 } else { words[3] + sum(number - 1) }
}

fn good(this: &CurrentThread<'_>) {
    let used = this.thread().stack_high_water();
    assert!(0 < used && used < this.thread().stack_size(), "{used} of its stack");
    DEEP.start().unwrap();
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    GOOD.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
