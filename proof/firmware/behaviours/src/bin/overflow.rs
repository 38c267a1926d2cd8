//! A thread whose stack overflows is named before anything else is overwritten.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static DEEP, priority = 1, stack = 512, entry = deep);
quintet::thread!(static GOOD, priority = 2, stack = 512, entry = good);

fn deep(_: &CurrentThread<'_>) {
    hprintln!("{}", sum(black_box(1000)));
}

fn sum(number: u32) -> u32 {
    let words = black_box([number; 8]);
    if number == 0 { 0 } else { words[3] + sum(number - 1) }
}

fn good(this: &CurrentThread<'_>) {
    hprintln!("{} runs, and has used less than its stack: {}", this.name(), {
        let used = this.thread().stack_high_water();
        0 < used && used < this.thread().stack_size()
    });
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

#[panic_handler]
fn panic(information: &PanicInfo<'_>) -> ! {
    hprintln!("{}, panics: {}", quintet::thread::current_name(), information.message());
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}
