//! R12: a task becomes a module and a function, so no other item has its name.

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
    fn receive(_: receive::Context) {}

    struct receive;

    fn init() {}
}
