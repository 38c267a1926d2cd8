//! R30: a local spawner stays in its level.

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
    async fn near(_: near::Context) {}

    #[task(priority = 1)]
    fn blink(cx: blink::Context) {
        fn is_send<T: Send>(_: &T) {}
        fn is_sync<T: Sync>(_: &T) {}
        is_send(&cx.local_spawner);
        is_sync(&cx.local_spawner);
    }
}
