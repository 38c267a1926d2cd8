//! R3: arguments that the application doesn't have, those of version 1 among them.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, monotonic = rtic::cyccnt::CYCCNT, tick = 1)]
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
