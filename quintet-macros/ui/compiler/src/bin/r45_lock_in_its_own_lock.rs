//! R45: a resource is locked once at a time.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local {})
    }

    #[task(binds = UART0, shared = [count])]
    fn receive(mut cx: receive::Context) {
        cx.shared.count.lock(|outer| cx.shared.count.lock(|inner| *outer += *inner));
    }
}
