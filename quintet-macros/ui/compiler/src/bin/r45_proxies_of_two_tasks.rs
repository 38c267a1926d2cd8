//! R45: no task gets the proxies of two others, which lock one resource.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    use shared_resources::count_that_needs_to_be_locked as Count;

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
    async fn one(cx: one::Context<'static>) -> ! {
        let _ = cx.local_spawner.store(cx.shared.count);
        core::future::pending().await
    }

    #[task(priority = 1, shared = [count])]
    async fn two(cx: two::Context) -> ! {
        let _ = cx.local_spawner.store(cx.shared.count);
        core::future::pending().await
    }

    #[task(priority = 1, local_task, local = [kept: Option<Count<'static>> = None])]
    fn store(cx: store::Context, mut count: Count<'static>) {
        if let Some(mut kept) = cx.local.kept.take() {
            kept.lock(|_one| count.lock(|_same| ()));
        } else {
            *cx.local.kept = Some(count);
        }
    }
}
