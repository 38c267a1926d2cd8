//! R2: `device` needs its path.

#![no_std]
#![no_main]

#[quintet::app(device)]
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
