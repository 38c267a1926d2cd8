//! R11: `init` returns the shared resources first.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Local, Shared) {
        (Local {}, Shared {})
    }
}
