//! R3: an argument that is given twice.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, core = true, core = false)]
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
