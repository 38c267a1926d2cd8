//! R24: an ARMv7-M core has no `SecureFault`.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(binds = SecureFault)]
    fn fault(_: fault::Context) {}
}
