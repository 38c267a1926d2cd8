//! R45: the same where it comes by a resource of priority 0, which needn't be `Send`.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    use shared_resources::count_that_needs_to_be_locked as Count;

    #[shared]
    struct Shared {
        count: u32,
        kept: Option<Count<'static>>,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0, kept: None }, Local {})
    }

    #[task(shared = [count, kept])]
    async fn sample(mut cx: sample::Context) -> ! {
        cx.shared.kept.lock(|kept| *kept = Some(cx.shared.count));
        core::future::pending().await
    }

    #[task(shared = [count, kept])]
    async fn store(mut cx: store::Context) {
        if let Some(mut other) = cx.shared.kept.lock(Option::take) {
            other.lock(|_one| cx.shared.count.lock(|_same| ()));
        }
    }
}
