//! Clocks that RISC-V doesn't have, and one that doesn't say where its timer is: each message says
//! what to write.

#![no_std]
#![no_main]

use panic_halt as _;

quintet::systick_timer!(Clock, 12_000_000);

quintet::systick_tick!(Tick, 12_000_000);

quintet::timer_source!(Other, Timer, interrupt = TIMER_1A);

quintet::machine_timer!(Somewhere, 10_000_000);

#[quintet::app(device = quintet::riscv)]
mod app {
    use super::{Clock, Other, Somewhere, Tick};

    #[init]
    fn init(cx: init::Context) {
        Clock::start(0);
        Tick::start(0);
        Somewhere::start(cx.core.MTIMER);
        // SAFETY: it isn't there.
        unsafe { Other::start() };
    }
}
