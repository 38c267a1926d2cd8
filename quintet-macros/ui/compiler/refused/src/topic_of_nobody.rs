//! What is published to a topic that nobody lists is dropped, with a warning.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    pub struct Pause;
    pub struct Eat;

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        publish(Eat);
        publish(Pause);
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4, subscribe = [Eat])]
    fn table(_: table::Context, _: Eat) {
        helper();
    }

    fn helper() {
        #[allow(deprecated)]
        publish(Pause);
    }
}
