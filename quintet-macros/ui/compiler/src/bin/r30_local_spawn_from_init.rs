//! R30: a `local_task` is spawned from its own priority only.

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

    #[task(priority = 1, local_task)]
    async fn blink(_: blink::Context) {}

    #[task(binds = SSI0, priority = 1)]
    fn receive(cx: receive::Context) {
        let _ = blink::spawn();
        let _ = cx.local_spawner.blink();
    }
}
