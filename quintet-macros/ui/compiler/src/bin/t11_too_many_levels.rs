//! T11: with 3 bits there are 6 levels above threads.

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

    #[thread(priority = 2, stack = 1024)]
    fn worker(_: worker::Context) {}

    #[task(binds = UART0, priority = 8)]
    fn highest(_: highest::Context) {}

    #[task(binds = UART1, priority = 9)]
    fn too_high(_: too_high::Context) {}
}
