//! A02: the queue of an actor has 1 to 255 places.

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

    #[actor(priority = 1)]
    fn missing(_: missing::Context, event: u8) {}

    #[actor(queue = 0)]
    fn nothing(_: nothing::Context, event: u8) {}

    #[actor(queue = 256)]
    fn many(_: many::Context, event: u8) {}

    #[actor(queue = 70000)]
    fn too_many(_: too_many::Context, event: u8) {}

    #[actor(queue = LENGTH)]
    fn constant(_: constant::Context, event: u8) {}

    #[actor(queue)]
    fn empty(_: empty::Context, event: u8) {}
}
