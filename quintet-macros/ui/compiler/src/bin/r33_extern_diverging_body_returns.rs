//! R33: a task declared to return nothing ever has such a body.

#![no_std]
#![no_main]

use panic_halt as _;

async fn sample(_: app::sample::Context<'static>) {}

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

    use super::sample;

    extern "Rust" {
        #[task(priority = 1)]
        async fn sample(_: sample::Context) -> !;
    }
}
