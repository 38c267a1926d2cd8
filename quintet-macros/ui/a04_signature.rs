//! A04: an actor returns nothing, and is called for each event anew.

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

    #[actor(queue = 4)]
    fn value(_: value::Context, event: u8) -> u8 {
        event
    }

    #[actor(queue = 4)]
    async fn never(_: never::Context, event: u8) -> ! {
        loop {}
    }

    #[actor(queue = 4)]
    fn borrowing(_: borrowing::Context<'static>, event: u8) {}
}
