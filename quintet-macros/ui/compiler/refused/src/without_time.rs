//! Without the feature `time`: what has to do with it says so.

#![no_std]
#![no_main]

use panic_halt as _;

quintet::systick_timer!(Clock, 12_000_000);

quintet::timer_source!(Other, quintet::time::Lm3sTimers<12_000_000>, interrupt = TIMER_1A);

#[quintet::app(device = lm3s6965, dispatchers = [GPIOA])]
mod app {
    use super::{Clock, Other};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        // SAFETY: once.
        unsafe { Other::start() };
        (Shared {}, Local {})
    }

    #[thread(priority = 1, stack = 512, slice_us = 1000)]
    fn worker(cx: worker::Context) {
        cx.thread.delay(1);
        cx.thread.delay_until(2);
    }
}
