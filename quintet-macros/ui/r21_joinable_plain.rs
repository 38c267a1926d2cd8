//! R21: a plain function runs to the end at once, so nothing can be joined; nor can several
//! instances by one handle.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(priority = 1, joinable)]
    fn plain(_: plain::Context) {}

    #[task(priority = 1, joinable, capacity = 2)]
    async fn several(_: several::Context) {}
}
