//! R15: `init` takes its context.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init() -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
