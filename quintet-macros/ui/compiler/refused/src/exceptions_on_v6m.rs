//! A lock against an exception on ARMv6-M, which can't hold off one exception of some priority.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
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

    #[task(binds = SysTick, priority = 2, shared = [count])]
    fn tick(mut cx: tick::Context) {
        cx.shared.count.lock(|count| *count += 1);
    }

    #[task(binds = UART0, shared = [count])]
    fn receive(mut cx: receive::Context) {
        cx.shared.count.lock(|count| *count += 1);
    }
}
