//! T24: threads of one function are 1 to 32, have names, and run in the middle of each other.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        #[lock_free]
        count: u32,
    }

    #[local]
    struct Local {
        port: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local { port: 0 })
    }

    #[thread(priority = 1, stack = 1024, instances = 0)]
    fn none(_: none::Context) {}

    #[thread(priority = 1, stack = 1024, instances = 33)]
    fn many(_: many::Context) {}

    #[thread(priority = 3, stack = 1024, instances = 2, shared = [count], local = [port])]
    fn worker(_: worker::Context) {}

    #[thread(priority = 2, stack = 1024, name = "worker 1")]
    fn other(_: other::Context) {}
}
