//! A07: `publish` is the application's where actors subscribe.

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

    #[actor(queue = 4, subscribe = [Eat])]
    fn philo(_: philo::Context, event: Eat) {}

    #[task]
    async fn publish(_: publish::Context) {}
}
