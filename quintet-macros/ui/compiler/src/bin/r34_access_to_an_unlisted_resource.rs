//! R34: a task has what it lists.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        count: u32,
        level: u32,
    }

    #[local]
    struct Local {
        own: u32,
        other: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0, level: 0 }, Local { own: 0, other: 0 })
    }

    #[task(binds = UART0, shared = [count], local = [own])]
    fn receive(cx: receive::Context) {
        let _ = (cx.shared.level, cx.local.other);
    }
}
