//! R24: a vector has one owner. TIMER_1A is the clock's, and dispatches a level too.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [TIMER_1A])]
mod app {
    #[init]
    fn init(_: init::Context) {
        let _ = work::spawn();
    }

    #[task(priority = 1)]
    async fn work(_: work::Context) {}
}

quintet::timer_source!(
    /// Interrupts at TIMER_1A.
    Clock,
    quintet::time::Lm3sTimers<12_000_000>,
    interrupt = TIMER_1A
);
