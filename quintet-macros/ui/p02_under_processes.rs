//! P02: hardware tasks are above processes, and these need some exceptions and the protection unit.

#![no_std]
#![no_main]

#[quintet::app(
    device = lm3s6965,
    stack_guard = false,
    processes = [
        priority = 3,
        count = 1,
        flash = 0..1,
        memory = 0..1,
        drivers = [],
    ],
)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(binds = GPIOA, priority = 3)]
    fn low(_: low::Context) {}

    #[task(binds = PendSV, priority = 4)]
    fn switch(_: switch::Context) {}

    #[task(binds = SVCall, priority = 4)]
    fn call(_: call::Context) {}

    #[task(binds = BusFault, priority = 4)]
    fn fault(_: fault::Context) {}
}
