//! T05: every interrupt is above every thread.

#![no_std]
#![no_main]

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

    #[task(binds = UART0, priority = 3)]
    fn receive(_: receive::Context) {}

    #[task(binds = UART1, priority = 1)]
    fn send(_: send::Context) {}

    #[thread(priority = 2, stack = 512)]
    fn low(_: low::Context) {}

    #[thread(priority = 3, stack = 1024)]
    fn high(_: high::Context) {}
}
