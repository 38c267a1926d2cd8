//! A05: what belongs to others is none of an actor's arguments.

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

    #[actor(queue = 4, binds = UART0)]
    fn receive(_: receive::Context, event: u8) {}

    #[actor(capacity = 4)]
    fn capacity(_: capacity::Context, event: u8) {}

    #[actor(queue = 4, stack = 1024)]
    fn stack(_: stack::Context, event: u8) {}

    #[actor(queue = 4, joinable)]
    async fn joined(_: joined::Context, event: u8) {}

    #[actor(queeu = 4)]
    fn misspelled(_: misspelled::Context, event: u8) {}
}
