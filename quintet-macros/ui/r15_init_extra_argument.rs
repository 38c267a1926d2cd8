//! R15: nobody could pass `init` an argument.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context, speed: u32) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
