//! A thread that is started before the kernel is refused.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static ONLY, priority = 1, stack = 1024, entry = only);

fn only(_this: &CurrentThread<'_>) {}

#[entry]
fn main() -> ! {
    ONLY.start().unwrap();
    hprintln!("it was started");
    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panic(information: &PanicInfo<'_>) -> ! {
    hprintln!("{}", information.message());
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}
