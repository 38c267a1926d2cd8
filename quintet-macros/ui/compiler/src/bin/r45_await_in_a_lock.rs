//! R45: nothing waits while it holds a lock.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local {})
    }

    #[task(priority = 1, shared = [count])]
    async fn sample(mut cx: sample::Context) {
        cx.shared.count.lock(|count| core::future::ready(*count).await);
    }
}
