//! A task of each kind, with a resource that they share: `docs/expansion.md` shows what becomes of
//! it.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use cortex_m_semihosting::{debug, hprintln};

    #[shared]
    struct Shared {
        total: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        quintet::pend(lm3s6965::Interrupt::UART0);
        (Shared { total: 0 }, Local {})
    }

    #[idle(shared = [total])]
    fn idle(mut cx: idle::Context) -> ! {
        let total = cx.shared.total.lock(|total| *total);
        hprintln!("total {}", total);
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[task(binds = UART0, priority = 2, local = [received: u32 = 0])]
    fn receive(cx: receive::Context) {
        *cx.local.received += 1;
        let _ = add::spawn(*cx.local.received);
    }

    #[task(priority = 1, shared = [total])]
    async fn add(mut cx: add::Context, amount: u32) {
        cx.shared.total.lock(|total| *total += amount);
    }
}
