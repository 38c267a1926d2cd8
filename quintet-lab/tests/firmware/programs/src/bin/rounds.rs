//! A thread that works and prints a line, again and again, for ever.
#![no_std]
#![no_main]

use cortex_m_rt as _;
use semihosting as _;

/// A chip.
mod device {
    pub const NVIC_PRIO_BITS: u8 = 3;
}

#[quintet::app(device = crate::device, peripherals = false)]
mod app {
    use core::hint::black_box;

    #[init]
    fn init(_: init::Context) {}

    #[inline(never)]
    fn work() {
        black_box(());
    }

    #[thread(priority = 1, stack = 1024)]
    fn works(_: works::Context) {
        loop {
            cortex_m::interrupt::free(|_| work());
            semihosting::println!("round");
            cortex_m::asm::delay(100_000);
        }
    }
}
