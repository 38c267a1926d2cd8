//! A cooperative scheduler without threads: no software task preempts another, the more urgent one
//! that is ready comes first, equals take turns, and interrupts interrupt as ever.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0], scheduler = "cooperative")]
mod app {
    use cortex_m_semihosting::{debug, hprintln};

    #[shared]
    struct Shared {
        /// Of two software tasks and an interrupt.
        total: u32,
        /// Of software tasks only: nothing to lock.
        between: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = low::spawn();
        (Shared { total: 0, between: 0 }, Local {})
    }

    #[task(priority = 1, shared = [total, between])]
    async fn low(mut cx: low::Context) {
        hprintln!("low begins");
        let _ = high::spawn();
        let _ = equal::spawn(1);
        let _ = last::spawn();
        cx.shared.total.lock(|total| {
            quintet::pend(lm3s6965::Interrupt::UART0);
            *total += 1;
        });
        cx.shared.between.lock(|between| *between += 1);
        hprintln!("low ends");
    }

    #[task(priority = 2, shared = [total, between])]
    fn high(mut cx: high::Context) {
        let total = cx.shared.total.lock(|total| *total);
        let between = cx.shared.between.lock(|between| *between);
        hprintln!("high: total {}, between {}", total, between);
        let _ = other::spawn();
    }

    #[task(priority = 1, capacity = 2)]
    fn equal(_: equal::Context, turn: u32) {
        hprintln!("equal, turn {}", turn);
        if turn < 2 {
            let _ = equal::spawn(turn + 1);
        }
    }

    #[task(priority = 1)]
    fn other(_: other::Context) {
        hprintln!("other has its turn");
    }

    #[task]
    fn last(_: last::Context) {
        hprintln!("last");
        debug::exit(debug::EXIT_SUCCESS);
    }

    #[task(binds = UART0, priority = 1, shared = [total])]
    fn interrupt(mut cx: interrupt::Context) {
        let total = cx.shared.total.lock(|total| {
            *total += 10;
            *total
        });
        hprintln!("interrupt: total {}", total);
    }
}
