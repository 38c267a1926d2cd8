//! T21: only `async` tasks await: threads block, and everything else runs to its end.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use quintet::sync::Semaphore;

    static READY: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        READY.take().await;
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        loop {
            READY.take().await;
        }
    }

    #[thread(priority = 1, stack = 1024)]
    fn work(cx: work::Context) {
        cx.thread.block_on(async { READY.take().await });
        let mut twice = || (READY.take().await, READY.take().await);
        twice();
        let take = async || READY.take().await;
        cx.thread.block_on(take());
        async fn other() {
            READY.take().await
        }
        cx.thread.block_on(other());
    }

    #[task(binds = UART0, priority = 3)]
    fn receive(_: receive::Context) {
        READY.take().await;
    }

    #[task(priority = 2)]
    fn add(_: add::Context) {
        READY.take().await;
    }

    #[task(priority = 2)]
    async fn log(_: log::Context) {
        READY.take().await;
    }
}
