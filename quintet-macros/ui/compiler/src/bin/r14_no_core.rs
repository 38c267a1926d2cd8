//! R14: `core = false` leaves no core peripherals in the context.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, core = false)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        let _ = cx.core;
        (Shared {}, Local {})
    }
}
