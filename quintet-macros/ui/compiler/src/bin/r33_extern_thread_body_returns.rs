//! R33: the body of a thread that never ends doesn't either: what it borrows is its for ever.

#![no_std]
#![no_main]

use panic_halt as _;

fn blink(cx: app::blink::Context<'static>) {
    let _: &'static mut u32 = cx.local.number;
}

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    use super::blink;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    extern "Rust" {
        #[thread(priority = 1, stack = 512, local = [number: u32 = 0])]
        fn blink(_: blink::Context<'static>) -> !;
    }
}
