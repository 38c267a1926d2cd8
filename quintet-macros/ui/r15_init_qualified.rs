//! R15: `init` is a plain function.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    pub async unsafe fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
