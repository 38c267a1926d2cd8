//! A20: an event goes from whoever posts it to its actor, so it is `Send`.

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

    #[actor(priority = 1, queue = 4)]
    fn table(_: table::Context, event: *const u8) {}
}
