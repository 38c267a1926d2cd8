//! T09: a cooperative scheduler's threads host tasks of 31 priorities.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, scheduler = "cooperative")]
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

    #[task(priority = 32)]
    async fn work(_: work::Context) {}
}
