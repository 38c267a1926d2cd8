//! T02: what belongs to tasks is none of a thread's arguments.

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

    #[thread(priority = 3, stack = 1024, binds = UART0)]
    fn receive(_: receive::Context) {}

    #[thread(priority = 3, stack = 1024, capacity = 2, joinable)]
    fn worker(_: worker::Context) {}

    #[thread(priority = 3, stack = 1024, size = 1024)]
    fn writer(_: writer::Context) {}
}
