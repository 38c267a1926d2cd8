//! The kernel of the book with a policy: which application may be called `hello`.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965 as _;
use semihosting::println;

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, 12_000_000);

quintet::processes!(
    static PROCESSES,
    count = 4,
    priority = 1,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [],
);

// begin: policy
use quintet::process::identity::{Known, digest};

/// Only this application may be called `hello`.
static KNOWN: Known<1> =
    Known([("hello", digest("f117020b5e6c42a9d44e29edeaf2452179c9ef85e168eb9919397af4feeded6d"))]);

fn start() {
    // SAFETY: the linker script leaves flash and memory to the processes.
    unsafe { PROCESSES.start_checked(|one| KNOWN.reserve(one), |found| println!("{found}")) };
}
// end: policy

#[entry]
fn main() -> ! {
    let peripherals = cortex_m::Peripherals::take().expect("taken once");
    // SAFETY: nothing of the kernel was used before.
    unsafe {
        quintet::thread::initialise();
        Clock::start(peripherals.SYST);
    }
    start();
    semihosting::process::exit(0)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
