//! R43: what is read at two priorities without a lock is `Sync`.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        cell: core::cell::UnsafeCell<u32>,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { cell: core::cell::UnsafeCell::new(0) }, Local {})
    }

    #[task(binds = UART0, shared = [&cell])]
    fn receive(_: receive::Context) {}

    #[task(binds = UART1, priority = 2, shared = [&cell])]
    fn send(_: send::Context) {}
}
