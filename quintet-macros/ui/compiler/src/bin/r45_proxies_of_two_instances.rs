//! R45: no task gets the proxies of two instances.

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

    #[task(priority = 1, instances = 2, shared = [count])]
    async fn sample(cx: sample::Context<'static>) -> ! {
        let _ = cx.local_spawner.store(cx.shared);
        core::future::pending().await
    }

    #[task(priority = 1, local_task)]
    fn store(_: store::Context, _: sample::SharedResources<'static>) {}
}
