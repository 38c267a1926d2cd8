//! T10: tasks never wait by blocking: their contexts have no `thread`.

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
        (Shared {}, Local {})
    }

    #[task(binds = UART0, priority = 2)]
    fn receive(cx: receive::Context) {
        READY.take().block(&cx.thread);
        core::assert_eq!(1, cx.thread.name().len(), "also in a macro");
    }

    #[task(priority = 1)]
    fn add(mut context: add::Context, by: u32) {
        for _ in 0..by {
            READY.take().block(&mut context.thread);
        }
    }

    #[task(priority = 1)]
    async fn log(cx: log::Context) {
        let take = async || READY.take().block(&cx.thread);
        take().await;
    }
}
