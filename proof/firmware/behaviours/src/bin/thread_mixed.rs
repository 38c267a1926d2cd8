//! All kinds at once: an interrupt above, a level above the threads, tasks that threads host, and
//! threads; with a resource of a level and two threads, one among threads, and one of idle's too.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0], host_stack = 768)]
mod app {
    use cortex_m_semihosting::{debug, hprintln};
    use quintet::sync::Semaphore;

    static DONE: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {
        /// Of a level, a hosted task and two threads.
        total: u32,
        /// Of two threads.
        between: [u32; 2],
        /// Of a thread, a hosted task and idle.
        below: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = hosted_low::spawn(1);
        (Shared { total: 0, between: [0; 2], below: 0 }, Local {})
    }

    #[idle(shared = [below])]
    fn idle(mut cx: idle::Context) -> ! {
        let below = cx.shared.below.lock(|below| {
            // An interrupt may make a thread ready here, which runs when the section has ended.
            let before = *below;
            DONE.give();
            hprintln!("idle still sees {}", before == *below);
            *below
        });
        hprintln!("idle: {}", below);
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[thread(priority = 1, stack = 768, shared = [total, between])]
    fn low(mut cx: low::Context) {
        for step in 0..2 {
            cx.shared.between.lock(|between| {
                between[0] += 1;
                // The woken thread waits for the section's end, though it is more urgent.
                DONE.give();
                between[1] += 1;
            });
            cx.shared.total.lock(|total| {
                *total += 1;
                quintet::pend(lm3s6965::Interrupt::UART0);
                *total += 1;
            });
            hprintln!("low {} ends", step);
        }
    }

    #[thread(priority = 3, stack = 768, shared = [total, between, below])]
    fn high(mut cx: high::Context) {
        for _ in 0..3 {
            DONE.take().block(&cx.thread);
            let pair = cx.shared.between.lock(|between| *between);
            let total = cx.shared.total.lock(|total| *total);
            cx.shared.below.lock(|below| *below += 1);
            hprintln!("high: {:?}, total {}", pair, total);
        }
    }

    #[task(priority = 2, capacity = 2, shared = [total, below])]
    async fn hosted(mut cx: hosted::Context, from: &'static str) {
        let total = cx.shared.total.lock(|total| *total);
        cx.shared.below.lock(|below| *below += 10);
        hprintln!("hosted, from {}: total {}", from, total);
    }

    #[task(priority = 1)]
    fn hosted_low(_: hosted_low::Context, number: u32) {
        hprintln!("hosted low {}", number);
        if number < 3 {
            let _ = hosted_low::spawn(number + 1);
        }
    }

    #[task(priority = 4, shared = [total])]
    async fn level(mut cx: level::Context) {
        let total = cx.shared.total.lock(|total| {
            *total += 10;
            *total
        });
        hprintln!("level: total {}", total);
        let _ = hosted::spawn("level");
    }

    #[task(binds = UART0, priority = 5)]
    fn interrupt(_: interrupt::Context) {
        hprintln!("interrupt");
        let _ = hosted::spawn("interrupt");
        let _ = level::spawn();
    }
}
