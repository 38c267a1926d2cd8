//! R28: a task takes its own context.

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

    #[task(binds = UART0)]
    fn receive(_: send::Context) {}

    #[task(binds = UART1)]
    fn send(_: send::Context) {}
}
