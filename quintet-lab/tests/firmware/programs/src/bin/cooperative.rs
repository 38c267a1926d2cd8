//! Threads that don't preempt each other: one asks, waits, and a more urgent one answers.
#![no_std]
#![no_main]

use cortex_m_rt as _;
use semihosting as _;

/// A chip.
mod device {
    pub const NVIC_PRIO_BITS: u8 = 3;
}

#[quintet::app(device = crate::device, peripherals = false, scheduler = "cooperative")]
mod app {
    use quintet::sync::Semaphore;

    static ASKED: Semaphore = Semaphore::new(0);
    static ANSWERED: Semaphore = Semaphore::new(0);

    #[init]
    fn init(_: init::Context) {}

    #[thread(priority = 2, stack = 512)]
    fn answers(cx: answers::Context) {
        loop {
            ASKED.take().block(&cx.thread);
            ANSWERED.give();
        }
    }

    #[thread(priority = 1, stack = 512)]
    fn asks(cx: asks::Context) {
        for _ in 0..3 {
            ASKED.give();
            ANSWERED.take().block(&cx.thread);
        }
        // Now the more urgent one runs as this one yields, which could go on.
        ASKED.give();
        cx.thread.yield_now();
        semihosting::process::exit(0)
    }
}
