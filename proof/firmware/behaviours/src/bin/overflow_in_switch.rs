//! A stack that has no room for what a switch saves is told apart from that of the next thread,
//! which is the running one by then.
#![no_std]
#![no_main]

use core::fmt::{self, Write};
use core::hint::black_box;
use core::panic::PanicInfo;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprint, hprintln};
use lm3s6965 as _;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static DEEP, priority = 1, stack = 512, entry = deep);
quintet::thread!(static WOKEN, priority = 2, stack = 512, entry = woken);

static SEMAPHORE: Semaphore = Semaphore::new(0);

/// Switches at each depth, which takes more of the stack than a step down does.
fn deep(_: &CurrentThread<'_>) {
    hprintln!("{}", sum(black_box(1000)));
}

fn sum(number: u32) -> u32 {
    SEMAPHORE.give();
    if number == 0 { 0 } else { black_box(number) + sum(number - 1) }
}

fn woken(this: &CurrentThread<'_>) {
    loop {
        SEMAPHORE.take().block(this);
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    WOKEN.start().unwrap();
    DEEP.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}

/// Prints text without the digits of addresses, which come behind their prefix.
struct WithoutAddresses {
    in_address: bool,
}

impl Write for WithoutAddresses {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !self.in_address {
            hprint!("{}", text);
        }
        self.in_address = text == "0x";
        Ok(())
    }
}

#[panic_handler]
fn panic(information: &PanicInfo<'_>) -> ! {
    writeln!(WithoutAddresses { in_address: false }, "panics: {}", information.message()).ok();
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}
