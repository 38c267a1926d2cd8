//! R5: a dispatcher is a name.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [UART0, 5])]
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
