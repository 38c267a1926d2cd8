//! A resource that the most urgent priority of the chip uses is locked by masking everything, as
//! BASEPRI can not: also from within another lock, and the mask before it comes back.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use cortex_m::register::{basepri, primask};
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        top: u32,
        below: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { top: 0, below: 0 }, Local {})
    }

    #[idle(shared = [top, below])]
    fn idle(cx: idle::Context) -> ! {
        let idle::SharedResources { mut top, mut below, .. } = cx.shared;
        top.lock(|top| {
            pend();
            hprintln!("nobody ran: {} {}", top, primask::read().is_inactive());
        });
        hprintln!("open again: {}", primask::read().is_active());
        below.lock(|_| {
            hprintln!("basepri {:#x}", basepri::read());
            top.lock(|_| pend());
            hprintln!("basepri {:#x} {}", basepri::read(), primask::read().is_active());
        });
        cortex_m::interrupt::free(|_| {
            top.lock(|_| pend());
            hprintln!("still masked: {}", primask::read().is_inactive());
        });
        hprintln!("basepri {:#x}", basepri::read());
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    fn pend() {
        quintet::pend(Interrupt::UART0);
        quintet::pend(Interrupt::UART1);
    }

    #[task(binds = UART0, priority = 8, shared = [top])]
    fn urgent(mut cx: urgent::Context) {
        cx.shared.top.lock(|top| *top += 1);
        hprintln!("priority 8");
    }

    #[task(binds = UART1, priority = 7, shared = [below])]
    fn less(mut cx: less::Context) {
        cx.shared.below.lock(|below| *below += 1);
        hprintln!("priority 7");
    }
}
