//! Values of threads: each thread finds its own wherever it is asked for, and nobody else finds
//! one.
#![no_std]
#![no_main]

use semihosting as _;

#[quintet::app(device = lm3s6965, peripherals = false)]
mod app {
    use core::cell::Cell;
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;
    use quintet::thread::{CurrentThread, PerThread};

    static STEPS: PerThread<Cell<u32>, 2> =
        PerThread::new([high::handle(), low::handle()], [Cell::new(10), Cell::new(20)]);

    /// Knows nothing of its caller.
    fn step() -> Option<u32> {
        let steps = STEPS.get()?;
        steps.set(steps.get() + 1);
        Some(steps.get())
    }

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        hprintln!("init: {:?}", step());
        (Shared {}, Local {})
    }

    #[task(binds = UART0, priority = 4)]
    fn interrupt(_: interrupt::Context) {
        hprintln!("interrupt: {:?}", step());
    }

    fn steps(this: &CurrentThread<'_>) {
        for _ in 0..2 {
            let found = step();
            hprintln!("{}: {:?}", this.name(), found);
            cortex_m::peripheral::NVIC::pend(Interrupt::UART0);
            this.yield_now();
        }
    }

    #[thread(priority = 3, stack = 1024)]
    fn high(cx: high::Context) {
        steps(&cx.thread);
    }

    #[thread(priority = 2, stack = 1024)]
    fn other(cx: other::Context) {
        steps(&cx.thread);
    }

    #[thread(priority = 1, stack = 1024)]
    fn low(cx: low::Context) {
        steps(&cx.thread);
        debug::exit(debug::EXIT_SUCCESS);
    }
}
