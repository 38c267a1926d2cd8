//! R5: a dispatcher is listed by its bare name, not by a path.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [interrupt::UART0])]
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
