//! R45: what is locked is reached within the lock only.

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
        let count = cx.shared.count.lock(|count| count);
        *count += 1;
    }
}
