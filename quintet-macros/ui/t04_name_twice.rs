//! T04: a thread's name is that of no other function.

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

    #[thread(priority = 3, stack = 1024)]
    fn worker(_: worker::Context) {}

    #[task(binds = UART0, priority = 4)]
    fn worker(_: worker::Context) {}
}
