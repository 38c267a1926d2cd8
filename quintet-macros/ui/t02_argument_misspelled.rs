//! T02: the argument that looks like it is named.

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

    #[thread(priorty = 1, stak = 512, slice = 1000)]
    fn worker(_: worker::Context) {}

    #[thread(thread_priority = 2, stack_size = 512, time_slice = 1000)]
    fn writer(_: writer::Context) {}
}
