//! A11: a threshold is not below the priority, and nobody waits under one.

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

    #[actor(priority = 2, queue = 4, threshold = 1)]
    fn below(_: below::Context, event: u8) {}

    #[actor(priority = 2, queue = 4, threshold = 3)]
    async fn waiting(_: waiting::Context, event: u8) {}

    #[actor(priority = 2, queue = 4, threshold = HIGH)]
    fn constant(_: constant::Context, event: u8) {}

    /// What others call is there all the same.
    fn publishes() {
        publish(1_u8);
        below::subscribe::<u8>();
        below::post(1);
    }
}
