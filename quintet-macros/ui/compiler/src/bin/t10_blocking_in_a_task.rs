//! T10: tasks never wait by blocking: their contexts have no `thread`.

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

    #[task(binds = UART0)]
    fn receive(cx: receive::Context) {
        READY.take_blocking(&cx.thread);
    }

    static READY: quintet::sync::Semaphore = quintet::sync::Semaphore::new(0);
}
