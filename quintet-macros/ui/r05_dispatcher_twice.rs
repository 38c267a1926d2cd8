//! R5: a dispatcher serves one priority, so it is listed once.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1, UART0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
