//! A24: a topic is written in one way: two are two topics, of one type.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[derive(Clone)]
    pub struct Eat;

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        publish(Eat);
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4, subscribe = [Eat])]
    fn table(_: table::Context, _: Eat) {}

    #[actor(priority = 1, queue = 4, subscribe = [self::Eat])]
    fn waiter(_: waiter::Context, _: Eat) {}
}
