//! P01: each priority of a list is from 1 to 31.

#![no_std]
#![no_main]

#[quintet::app(
    device = lm3s6965,
    processes = [
        priority = [1, 33],
        count = 2,
        flash = 0..1,
        memory = 0..1,
        drivers = [],
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
