//! T09: without threads, a cooperative scheduler runs tasks where idle runs.

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

    #[idle]
    fn rest(_: rest::Context) -> ! {
        loop {}
    }

    #[task(priority = 2)]
    async fn work(_: work::Context) {}
}
