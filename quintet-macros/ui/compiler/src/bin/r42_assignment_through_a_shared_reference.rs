//! R42: `&x` only reads.

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

    #[task(binds = UART0, shared = [&count])]
    fn receive(cx: receive::Context) {
        *cx.shared.count += 1;
    }
}
