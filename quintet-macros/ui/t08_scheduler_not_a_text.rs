//! T08: the scheduler is a text, the stack of hosts an expression.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, scheduler = cooperative, host_stack = )]
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
}
