//! R30: only tasks of the application can be spawned.

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

    #[idle]
    fn idle(_: idle::Context) -> ! {
        let _ = blink::spawn();
        loop {}
    }
}
