//! T05: PendSV and SVCall switch threads, a fault says that a stack overflowed.

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

    #[task(binds = PendSV, priority = 4)]
    fn deferred(_: deferred::Context) {}

    #[task(binds = SVCall, priority = 4)]
    fn call(_: call::Context) {}

    #[task(binds = MemoryManagement, priority = 4)]
    fn fault(_: fault::Context) {}

    #[thread(priority = 3, stack = 1024)]
    fn worker(_: worker::Context) {}
}
