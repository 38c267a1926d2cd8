//! R33: the body of a task that returns takes any lifetime.

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
        #[task(priority = 1, local = [count: u32 = 0])]
        async fn sample(_: sample::Context);
    }
}
