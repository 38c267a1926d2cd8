//! R8: each priority of software tasks needs a dispatcher.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
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
    async fn low(_: low::Context) {}

    #[task(priority = 2)]
    async fn middle(_: middle::Context) {}

    #[task(priority = 2)]
    async fn middle_too(_: middle_too::Context) {}

    #[task(priority = 3)]
    async fn high(_: high::Context) {}

    #[task]
    async fn background(_: background::Context) {}
}
