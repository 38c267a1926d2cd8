//! SysTick as a tick, at a rate that it can't have: only code generation sees that.

#![no_std]
#![no_main]

use panic_halt as _;

quintet::systick_tick!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        super::Clock::start(cx.core.SYST);
        (Shared {}, Local {})
    }
}
