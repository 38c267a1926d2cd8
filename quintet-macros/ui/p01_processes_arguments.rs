//! P01: an argument that processes don't have, and values that are none.

#![no_std]
#![no_main]

#[quintet::app(
    device = lm3s6965,
    processes = [
        priority = 0,
        coumt = 4,
        memory = 0..1,
        drivers = &CONSOLE,
        priority = 2,
    ],
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
