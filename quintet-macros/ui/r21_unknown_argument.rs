//! R21: arguments that tasks don't have, those of version 1 among them.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(binds = UART0, resources = [count], schedule = [later], spawn = [now], color = red)]
    fn receive(_: receive::Context) {}
}
