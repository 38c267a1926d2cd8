//! A12: an actor with several instances has no period.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4, instances = 3, period = "5 ms")]
    fn several(_: several::Context, event: u8) {}
}
