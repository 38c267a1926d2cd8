//! R31: arguments of `spawn` outlive their caller.

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

    #[task(priority = 1)]
    async fn blink(_: blink::Context, word: &'static u32) {}

    #[idle]
    fn idle(_: idle::Context) -> ! {
        let word = 1;
        let _ = blink::spawn(&word);
        loop {}
    }
}
