//! R44: a task that returns borrows its locals for as long as it runs.

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

    #[task(binds = UART0, local = [own: u32 = 0])]
    fn receive(cx: receive::Context) {
        let _own: &'static mut u32 = cx.local.own;
    }
}
