//! R21: an argument is given once.

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

    #[task(binds = UART0, binds = UART1, priority = 1, priority = 2, shared = [], shared = [])]
    fn receive(_: receive::Context) {}

    #[task(binds = UART2, local = [a: u32 = 0], local = [b: u32 = 0])]
    fn send(_: send::Context) {}
}
