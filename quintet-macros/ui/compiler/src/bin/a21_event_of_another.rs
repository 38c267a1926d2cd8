//! A21: an actor takes events of its type.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    pub struct Hungry;
    pub struct Eat;

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        table::post(Eat);
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4)]
    fn table(_: table::Context, _: Hungry) {}
}
