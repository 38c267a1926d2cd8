//! An application with something at every place of the priority line. It is looked at, not run.
#![no_std]
#![no_main]

use cortex_m_rt as _;
use semihosting as _;

/// A chip with two interrupts.
mod device {
    pub const NVIC_PRIO_BITS: u8 = 3;

    #[allow(non_camel_case_types)]
    #[derive(Clone, Copy)]
    pub enum interrupt {
        UART0 = 5,
        SSI0 = 7,
    }

    // SAFETY: the numbers are those of the interrupts.
    unsafe impl cortex_m::interrupt::InterruptNumber for interrupt {
        fn number(self) -> u16 {
            self as u16
        }
    }
}

#[quintet::app(
    device = crate::device, peripherals = false, dispatchers = [SSI0], host_stack = 512
)]
mod app {
    #[shared]
    struct Shared {
        of_a_level: u32,
        of_threads: [u32; 2],
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { of_a_level: 0, of_threads: [0; 2] }, Local {})
    }

    #[task]
    async fn background(_: background::Context) {}

    #[thread(priority = 1, stack = 640, shared = [of_threads], name = "the low one")]
    fn low(mut cx: low::Context, first: u32) {
        cx.shared.of_threads.lock(|pair| pair[0] = first);
        let _ = level::spawn();
    }

    #[thread(priority = 2, stack = 384, shared = [of_threads, of_a_level])]
    fn high(mut cx: high::Context) {
        cx.shared.of_threads.lock(|pair| pair[1] += 1);
        cx.shared.of_a_level.lock(|number| *number += 1);
        let _ = (low::start(1), hosted::spawn(2), background::spawn());
    }

    #[task(priority = 2)]
    async fn hosted(_: hosted::Context, _number: u32) {}

    #[task(priority = 3, shared = [of_a_level])]
    fn level(mut cx: level::Context) {
        cx.shared.of_a_level.lock(|number| *number += 1);
    }

    #[task(binds = UART0, priority = 4)]
    fn interrupt(_: interrupt::Context) {
        let _ = level::spawn();
    }
}
