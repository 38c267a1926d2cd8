//! T10: neither `init` nor `idle` waits: their contexts have no `thread`.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use quintet::sync::Semaphore;

    static READY: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        READY.take().block(&cx.thread);
        (Shared {}, Local {})
    }

    #[idle]
    fn rest(cx: rest::Context) -> ! {
        loop {
            READY.take().block(&cx.thread);
        }
    }

    #[thread(priority = 1, stack = 512)]
    fn worker(cx: worker::Context) {
        READY.take().block(&cx.thread);
    }
}
