//! R4: the target decides on the architecture, not an argument.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, backend = V7)]
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
