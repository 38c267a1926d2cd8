//! R44: the same for one that doesn't return, but may be aborted by a handle, and spawned again.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(priority = 1, joinable, local = [own: u32 = 0])]
    async fn sample(cx: sample::Context) -> ! {
        let _own: &'static mut u32 = cx.local.own;
        core::future::pending().await
    }
}
