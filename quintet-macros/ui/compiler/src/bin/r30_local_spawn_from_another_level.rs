//! R30: the spawner of another priority doesn't have the task.

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

    #[task(priority = 2, local_task)]
    async fn other(_: other::Context) {}

    #[task(priority = 2)]
    async fn control(cx: control::Context) {
        let _ = cx.local_spawner.blink();
    }
}
