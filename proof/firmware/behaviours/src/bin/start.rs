//! Start-up: `init`, what it pended, idle.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {
        steps: u32,
    }

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        hprintln!("init");
        let _: cortex_m::Peripherals = cx.core;
        quintet::pend(Interrupt::UART0);
        (Shared { count: 1 }, Local { steps: 10 })
    }

    #[idle(shared = [count], local = [steps])]
    fn idle(mut cx: idle::Context) -> ! {
        *cx.local.steps += 1;
        let count = cx.shared.count.lock(|count| {
            *count += 1;
            quintet::pend(Interrupt::UART0);
            hprintln!("locked");
            *count
        });
        hprintln!("idle {} {}", count, cx.local.steps);
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[task(binds = UART0, priority = 2, shared = [count], local = [runs: u32 = 0])]
    fn uart(mut cx: uart::Context) {
        *cx.local.runs += 1;
        cx.shared.count.lock(|count| *count += *cx.local.runs);
        hprintln!("uart {}", cx.local.runs);
    }
}
