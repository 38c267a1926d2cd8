//! T22: the memory of a future can be aligned to at most 1024 bytes.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    #[repr(align(2048))]
    struct Page([u8; 2048]);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn write(_: write::Context) {
        let page = Page([0; 2048]);
        core::future::ready(()).await;
        drop(page);
    }
}
