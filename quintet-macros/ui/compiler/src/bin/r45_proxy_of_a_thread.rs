//! R45: a thread keeps no proxy in what is there before and after it.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
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

    #[thread(
        priority = 1, stack = 512, instances = 2, shared = [count],
        local = [kept: Option<Count<'static>> = None]
    )]
    fn work(cx: work::Context<'static>) -> ! {
        *cx.local.kept = Some(cx.shared.count);
        loop {
            cx.thread.yield_now();
        }
    }
}
