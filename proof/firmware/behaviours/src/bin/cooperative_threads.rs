//! A cooperative scheduler with threads: neither threads nor the tasks that they host preempt each
//! other, also where the other has been given what it waits for. Who waits or yields lets the most
//! urgent run.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, scheduler = "cooperative")]
mod app {
    use cortex_m_semihosting::{debug, hprintln};
    use quintet::sync::Semaphore;

    static GO: Semaphore = Semaphore::new(0);
    static BACK: Semaphore = Semaphore::new(0);
    static LATE: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {
        total: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { total: 0 }, Local {})
    }

    #[idle(shared = [total])]
    fn idle(mut cx: idle::Context) -> ! {
        hprintln!("idle: total {}", cx.shared.total.lock(|total| *total));
        // Idle is no thread: it is preempted, also behind a section.
        LATE.give();
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[thread(priority = 1, stack = 768, shared = [total])]
    fn low(mut cx: low::Context) {
        hprintln!("low gives");
        GO.give();
        cx.shared.total.lock(|total| *total += 1);
        quintet::pend(lm3s6965::Interrupt::UART0);
        hprintln!("low goes on, yields");
        cx.thread.yield_now();
        hprintln!("low is back, waits");
        BACK.take().block(&cx.thread);
        LATE.take().block(&cx.thread);
        hprintln!("low ends");
    }

    #[thread(priority = 2, stack = 768, shared = [total])]
    fn high(mut cx: high::Context) {
        for _ in 0..2 {
            GO.take().block(&cx.thread);
            hprintln!("high: total {}", cx.shared.total.lock(|total| *total));
        }
    }

    #[task(priority = 7)]
    async fn hosted(_: hosted::Context) {
        hprintln!("hosted gives twice");
        GO.give();
        BACK.give();
        hprintln!("hosted ends");
    }

    #[task(binds = UART0, priority = 3)]
    fn interrupt(_: interrupt::Context) {
        hprintln!("interrupt");
        let _ = hosted::spawn();
    }
}
