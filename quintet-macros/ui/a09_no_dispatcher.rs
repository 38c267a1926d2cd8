//! A09: an actor above priority 0 needs a dispatcher; idle leaves no time for one of priority 0.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [])]
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
        loop {}
    }

    #[actor(priority = 1, queue = 4)]
    fn table(_: table::Context, event: u8) {}

    #[actor(queue = 4)]
    fn background(_: background::Context, event: u8) {}
}
