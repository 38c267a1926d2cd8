//! T01: priority 0 is idle's, which has no stack.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[thread(priority = 0, stack = 1024)]
    fn worker(_: worker::Context) {}
}
