//! R43: a proxy locks at the priority of its task, and is not `Send`.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
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

    #[task(priority = 1, shared = [count])]
    fn blink(cx: blink::Context) {
        fn is_sync<T: Sync>(_: &T) {}
        fn is_send<T: Send>(_: &T) {}
        is_sync(&cx.shared.count);
        is_send(&cx.shared.count);
    }
}
