//! A task whose interrupt `idle` may disable: here it does not, so no run shows it.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m_rt::exception;
use semihosting as _;

static RECEIVED: AtomicU32 = AtomicU32::new(0);

/// Without a chip's crate, the vectors of all interrupts lead here.
#[exception]
unsafe fn DefaultHandler(_: i16) {
    RECEIVED.fetch_add(1, Ordering::Relaxed);
}

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
    use crate::device::interrupt;
    use core::hint::black_box;
    use core::sync::atomic::Ordering;
    use cortex_m::peripheral::NVIC;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        for _ in 0..3 {
            NVIC::pend(interrupt::UART0);
            if black_box(false) {
                NVIC::mask(interrupt::UART0);
            }
            cortex_m::asm::delay(2000);
        }
        semihosting::process::exit(i32::from(crate::RECEIVED.load(Ordering::Relaxed) != 3))
    }

    #[task(binds = UART0, priority = 1, period = "80 us", deadline = "50 us")]
    fn received(_: received::Context) {
        crate::RECEIVED.fetch_add(1, Ordering::Relaxed);
    }
}
