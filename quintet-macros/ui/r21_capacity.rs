//! R21: a capacity is a number from 1 to 32.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(priority = 1, capacity = 0)]
    async fn none(_: none::Context) {}

    #[task(priority = 1, capacity = 33)]
    async fn many(_: many::Context) {}

    #[task(priority = 1, capacity = 256)]
    async fn more(_: more::Context) {}

    #[task(priority = 1, capacity = MANY)]
    async fn constant(_: constant::Context) {}
}
