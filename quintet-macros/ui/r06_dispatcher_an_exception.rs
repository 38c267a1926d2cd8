//! R6: exceptions of the core aren't dispatchers.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [PendSV, UART0, HardFault])]
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
