//! T05: a thread under a condition counts in every build.

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

    #[task(binds = UART0, priority = 1)]
    fn receive(_: receive::Context) {}

    #[cfg(debug_assertions)]
    #[thread(priority = 1, stack = 512)]
    fn low(_: low::Context) {}
}
