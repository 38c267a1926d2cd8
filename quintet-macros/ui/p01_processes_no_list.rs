//! P01: processes are a list.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, processes = 4)]
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
