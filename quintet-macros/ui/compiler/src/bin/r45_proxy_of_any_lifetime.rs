//! R45: an argument whose lifetime is hidden lives forever too.

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
    async fn one(cx: one::Context) -> ! {
        let _ = cx.local_spawner.store(cx.shared);
        core::future::pending().await
    }

    #[task(priority = 1, local_task)]
    async fn store(_: store::Context, _: one::SharedResources) {}

    #[task(priority = 1, local_task)]
    fn store_at_once(_: store_at_once::Context, _: two::SharedResources) {}

    #[task(priority = 1, shared = [count])]
    async fn two(cx: two::Context) -> ! {
        let _ = cx.local_spawner.store_at_once(cx.shared);
        core::future::pending().await
    }
}
