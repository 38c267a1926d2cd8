//! T01: a thread needs a priority and a stack.

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

    #[thread]
    fn worker(_: worker::Context) {}

    #[thread(priority = 3)]
    fn reader(_: reader::Context) {}

    #[thread(stack = 1024)]
    fn writer(_: writer::Context) {}
}
