//! T12: a stack has at least 256 bytes, that of a host too.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, host_stack = 2 * 100)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    const SIZE: usize = 100;

    #[thread(priority = 2, stack = SIZE)]
    fn worker(_: worker::Context) {}

    #[task(priority = 1)]
    async fn hosted(_: hosted::Context) {}
}
