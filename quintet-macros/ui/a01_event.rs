//! A01: an actor is called with one event.

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
    fn none(_: none::Context) {}

    #[actor(queue = 4)]
    fn several(_: several::Context, event: u8, value: u32) {}

    #[actor(queue = 4)]
    async fn any(_: any::Context, event: impl Copy) {}

    #[actor(queue = 4)]
    fn no_context(event: u8) {}
}
