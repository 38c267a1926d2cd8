//! P01: the priority of processes is from 1 to 31.

#![no_std]
#![no_main]

#[quintet::app(
    device = lm3s6965,
    processes = [
        priority = 32,
        count = 1,
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
