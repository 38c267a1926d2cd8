//! R24: a vector has one owner. SysTick is the tick, and a task binds it too.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    quintet::systick_tick!(Clock, 480_000_000);

    #[init]
    fn init(cx: init::Context) {
        Clock::start(cx.core.SYST);
    }

    #[task(binds = SysTick)]
    fn tick(_: tick::Context) {}
}
