//! T16: without threads none hosts software tasks.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0], host_stack = 2 * 512)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn level(_: level::Context) {}
}
