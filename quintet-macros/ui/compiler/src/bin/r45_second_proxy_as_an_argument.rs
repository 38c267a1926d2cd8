//! R45: the proxy of another task would be a second one, which locks what is locked already.

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
    async fn sample(cx: sample::Context) -> ! {
        let _ = cx.local_spawner.store(cx.shared.count);
        core::future::pending().await
    }

    #[task(priority = 1, local_task, shared = [count])]
    async fn store(mut cx: store::Context, mut other: Count<'static>) {
        other.lock(|_one| cx.shared.count.lock(|_same| ()));
    }
}
