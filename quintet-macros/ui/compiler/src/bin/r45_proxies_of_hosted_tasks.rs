//! R45: no task gets the proxies of others that a thread hosts with it.

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

    #[thread(priority = 3, stack = 512, shared = [count])]
    fn work(_: work::Context) {}

    #[task(priority = 1, shared = [count])]
    async fn one(cx: one::Context<'static>) -> ! {
        let _ = cx.local_spawner.store_one(cx.shared);
        core::future::pending().await
    }

    #[task(priority = 1, shared = [count])]
    async fn two(cx: two::Context<'static>) -> ! {
        let _ = cx.local_spawner.store_two(cx.shared);
        core::future::pending().await
    }

    #[task(priority = 1, local_task)]
    fn store_one(_: store_one::Context, _: one::SharedResources<'static>) {}

    #[task(priority = 1, local_task)]
    async fn store_two(_: store_two::Context, _: two::SharedResources<'static>) {}
}
