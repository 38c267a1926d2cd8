//! Resources with a ceiling at each level. It is looked at, not run, and built for several cores.
#![no_std]
#![no_main]

use cortex_m_rt as _;
use semihosting as _;

/// A chip with three interrupts.
mod device {
    pub const NVIC_PRIO_BITS: u8 = 2;

    #[allow(non_camel_case_types)]
    #[derive(Clone, Copy)]
    pub enum interrupt {
        GPIO0 = 0,
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

#[quintet::app(device = crate::device, peripherals = false, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {
        highest: u32,
        of_software: u32,
        of_hardware: u32,
        read: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { highest: 0, of_software: 0, of_hardware: 0, read: 0 }, Local {})
    }

    #[task(shared = [highest, of_software])]
    async fn background(mut cx: background::Context) {
        cx.shared.highest.lock(|number| *number += 1);
        cx.shared.of_software.lock(|number| *number += 1);
    }

    #[task(priority = 2, shared = [of_software, of_hardware, &read])]
    fn level(mut cx: level::Context) {
        cx.shared.of_software.lock(|number| *number += *cx.shared.read);
        cx.shared.of_hardware.lock(|number| *number += 1);
        let _ = background::spawn();
    }

    #[task(binds = UART0, priority = 3, shared = [of_hardware, &read])]
    fn received(mut cx: received::Context) {
        cx.shared.of_hardware.lock(|number| *number += *cx.shared.read);
        let _ = level::spawn();
    }

    #[task(binds = GPIO0, priority = 4, shared = [highest])]
    fn failed(mut cx: failed::Context) {
        cx.shared.highest.lock(|number| *number += 1);
    }
}
