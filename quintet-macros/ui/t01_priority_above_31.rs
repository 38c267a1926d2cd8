//! T01: threads have 31 priorities.

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

    #[thread(priority = 32, stack = 1024)]
    fn worker(_: worker::Context) {}
}
