//! A26: the first event is of the actor's type.

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
        table::restart();
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4, first = 3_u8, instances = 2)]
    fn lamp(_: lamp::Context, _: u32) {}

    #[actor(priority = 1, queue = 4, first = 3_u8)]
    fn table(_: table::Context, _: u32) {}
}
