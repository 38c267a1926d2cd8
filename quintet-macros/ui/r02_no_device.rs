//! R2: without a device there are neither interrupts nor peripherals.

#![no_std]
#![no_main]

#[quintet::app(dispatchers = [UART0])]
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
