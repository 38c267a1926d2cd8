//! With the feature `time`, but no source of time: only the linker sees that.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [GPIOA])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        blink::spawn().ok();
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn blink(_: blink::Context) {
        quintet::time::delay(quintet::time::Duration::from_millis(1)).await;
    }
}
