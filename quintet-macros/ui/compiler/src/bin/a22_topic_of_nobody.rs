//! A22: what is subscribed to is a topic that the actor lists.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    pub struct Pause;
    pub struct Eat;

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        table::subscribe::<Pause>();
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4, subscribe = [Eat])]
    fn table(_: table::Context, _: Eat) {}
}
