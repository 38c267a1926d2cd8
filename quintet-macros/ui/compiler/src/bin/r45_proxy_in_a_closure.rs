//! R45: a closure with a proxy goes no further than the proxy.

#![no_std]
#![no_main]

use panic_halt as _;

fn run_later(_: impl FnOnce() + 'static) {}

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
    async fn sample(cx: sample::Context<'static>) -> ! {
        let mut count = cx.shared.count;
        crate::run_later(move || count.lock(|count| *count += 1));
        core::future::pending().await
    }
}
