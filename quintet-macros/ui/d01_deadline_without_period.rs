//! D01: a deadline needs a period.

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

    #[task(binds = GPIOA, priority = 2, deadline = "5 ms")]
    fn hardware(_: hardware::Context) {}

    #[task(priority = 3, deadline = "5 ms")]
    async fn software(_: software::Context) {}

    #[thread(priority = 1, stack = 1024, deadline = "5 ms")]
    fn thread(_: thread::Context) {}

    #[actor(priority = 3, queue = 4, deadline = "5 ms")]
    fn actor(_: actor::Context, event: u8) {}

    // It is said of the period alone that it is wrong.
    #[task(binds = GPIOB, priority = 2, period = "soon", deadline = "5 ms")]
    fn unreadable(_: unreadable::Context) {}

    #[task(binds = GPIOC, priority = 2, perriod = "5 ms", deadline = "5 ms")]
    fn misspelled(_: misspelled::Context) {}
}
