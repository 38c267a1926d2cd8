//! R4: `core` and `peripherals` are booleans.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, core = yes, peripherals = 1)]
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
