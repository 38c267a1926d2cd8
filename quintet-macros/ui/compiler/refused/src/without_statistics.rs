//! Without the feature `statistics`: what has to do with it says so.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[thread(priority = 1, stack = 512)]
    fn worker(cx: worker::Context) {
        let before = cx.thread.thread().statistics();
        let now = worker::handle().statistics().since(before);
        assert!(now.switches > 0 && now.cycles > 0);
        let _ = quintet::thread::processor();
    }
}
