//! R30: hardware starts a hardware task.

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

    #[task(binds = UART0)]
    fn receive(_: receive::Context) {}

    #[idle]
    fn idle(_: idle::Context) -> ! {
        let _ = receive::spawn();
        loop {}
    }
}
