//! T07: threads of one priority run in the middle of each other.

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
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local {})
    }

    #[thread(priority = 3, stack = 1024, shared = [count])]
    fn one(_: one::Context) {}

    #[thread(priority = 3, stack = 1024, shared = [count])]
    fn two(_: two::Context) {}
}
