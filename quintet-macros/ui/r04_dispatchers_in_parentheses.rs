//! R4: `dispatchers` is a list in brackets, not in parentheses.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = (UART0, UART1))]
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
