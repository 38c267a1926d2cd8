//! A27: a topic is a type that is there.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    #[derive(Clone)]
    pub struct Topic;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        publish(Topic);
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4, subscribe = [Topik])]
    fn lamp(_: lamp::Context, _: Topic) {}

    #[actor(priority = 1, queue = 4, subscribe = [Topik: off, Topic])]
    fn table(_: table::Context, _: Topic) {}
}
