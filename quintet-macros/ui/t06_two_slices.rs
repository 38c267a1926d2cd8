//! T06: threads of one priority have one time slice.

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

    #[thread(priority = 3, stack = 1024, slice_us = 1000)]
    fn one(_: one::Context) {}

    #[thread(priority = 3, stack = 1024)]
    fn two(_: two::Context) {}

    #[thread(priority = 3, stack = 1024, slice_us = 2000)]
    fn three(_: three::Context) {}

    #[thread(priority = 2, stack = 1024, slice_us = 500)]
    fn other(_: other::Context) {}
}
