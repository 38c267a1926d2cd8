//! T14: a thread that starts by itself has no `start`, but a handle.

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

    #[idle]
    fn idle(_: idle::Context) -> ! {
        let _ = worker::start();
        let _ = worker::handle().start();
        loop {}
    }

    #[thread(priority = 2, stack = 1024)]
    fn worker(_: worker::Context) {}
}
