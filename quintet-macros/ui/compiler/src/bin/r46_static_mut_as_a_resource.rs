//! R46: a `static mut` in a task was a resource before version 1; it is an ordinary one.

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
    fn receive(_: receive::Context) {
        static mut COUNT: u32 = 0;
        *COUNT += 1;
    }
}
