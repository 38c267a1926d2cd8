//! An application with more threads than the memory protection unit has regions. It is looked at,
//! not run.
#![no_std]
#![no_main]

use cortex_m_rt as _;
use semihosting as _;

/// A chip with an interrupt.
mod device {
    pub const NVIC_PRIO_BITS: u8 = 3;

    #[allow(non_camel_case_types)]
    #[derive(Clone, Copy)]
    pub enum interrupt {
        UART0 = 5,
    }

    // SAFETY: the number is that of the interrupt.
    unsafe impl cortex_m::interrupt::InterruptNumber for interrupt {
        fn number(self) -> u16 {
            self as u16
        }
    }
}

#[quintet::app(device = crate::device, peripherals = false)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = hosted::spawn();
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn hosted(_: hosted::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn first(_: first::Context) {
        let _ = at_will::start();
    }

    #[thread(priority = 2, stack = 256)]
    fn second(_: second::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn third(_: third::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn fourth(_: fourth::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn fifth(_: fifth::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn sixth(_: sixth::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn seventh(_: seventh::Context) {}

    #[thread(priority = 2, stack = 256)]
    fn eighth(_: eighth::Context) {}

    #[thread(priority = 3, stack = 256, manual)]
    fn at_will(_: at_will::Context) {}
}
