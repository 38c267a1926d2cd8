//! T16: where no thread hosts software tasks, it has no stack.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0], host_stack = 2 * 512)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[thread(priority = 2, stack = 512)]
    fn worker(_: worker::Context) {}

    #[task(priority = 3)]
    async fn above(_: above::Context) {}

    #[task]
    async fn below(_: below::Context) {}
}
