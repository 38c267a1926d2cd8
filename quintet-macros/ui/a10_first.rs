//! A10: the first event is an expression.

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

    #[actor(queue = 4, first = )]
    fn empty(_: empty::Context, event: u8) {}

    #[actor(queue = 4, first = let)]
    fn word(_: word::Context, event: u8) {}
}
