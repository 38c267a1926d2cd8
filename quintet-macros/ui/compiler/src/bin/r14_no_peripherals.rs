//! R14: `peripherals = false` leaves no peripherals in the context.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, peripherals = false)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        let _ = cx.device;
        (Shared {}, Local {})
    }
}
