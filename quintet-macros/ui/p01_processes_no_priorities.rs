//! P01: a list of priorities has some.

#![no_std]
#![no_main]

#[quintet::app(
    device = lm3s6965,
    processes = [
        priority = [],
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
