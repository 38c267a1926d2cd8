//! T03: a thread blocks, a task awaits.

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
    async fn worker(_: worker::Context) {}
}
