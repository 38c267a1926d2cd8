//! R3: the argument that looks like it is named.

#![no_std]
#![no_main]

#[quintet::app(
    devise = lm3s6965,
    dispatcher = [UART0],
    periferals = false,
    sheduler = "cooperative",
    zebra = 1
)]
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
