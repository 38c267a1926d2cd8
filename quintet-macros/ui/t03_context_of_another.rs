//! T03: each thread has a context of its own.

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

    #[thread(priority = 3, stack = 1024)]
    fn worker(_: worker::Context) {}

    #[thread(priority = 3, stack = 1024)]
    fn reader(_: worker::Context) {}
}
