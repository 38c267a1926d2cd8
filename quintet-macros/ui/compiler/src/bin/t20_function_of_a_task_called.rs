//! T20: the function of an `async` task is its own: another call would build a second context.

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

    #[task(priority = 1, local = [count: u32 = 0])]
    async fn sample(cx: sample::Context) {
        *cx.local.count += 1;
    }

    #[task(priority = 2)]
    async fn print(_: print::Context) {
        sample().await;
    }
}
