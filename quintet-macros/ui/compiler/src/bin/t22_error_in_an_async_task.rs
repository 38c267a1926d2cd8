//! T22: an error in the code of an `async` task brings no second one about its memory, however the
//! task is spawned.

#![no_std]
#![no_main]

use panic_halt as _;

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
    async fn measure(_: measure::Context, channel: u8) {
        channel.sample().await;
    }

    #[task(priority = 1, joinable)]
    async fn stop(_: stop::Context) {
        measure::spawn("one").ok();
    }

    #[task(priority = 2, capacity = 2)]
    async fn start(_: start::Context) {
        missing().await;
    }
}
