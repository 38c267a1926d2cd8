//! A06: a topic is a type, which is subscribed to once.

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

    #[actor(queue = 4, subscribe = [Eat, Pause: on])]
    fn word(_: word::Context, event: u8) {}

    #[actor(queue = 4, subscribe = [Eat, 1])]
    fn number(_: number::Context, event: u8) {}

    #[actor(queue = 4, subscribe = [Eat, Eat: off])]
    fn twice(_: twice::Context, event: u8) {}

    #[actor(queue = 4, subscribe = Eat)]
    fn no_list(_: no_list::Context, event: u8) {}
}
