//! T13: threads of one priority share references, as priorities do.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        cell: core::cell::Cell<u32>,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { cell: core::cell::Cell::new(0) }, Local {})
    }

    #[thread(priority = 2, stack = 1024, shared = [&cell])]
    fn one(_: one::Context) {}

    #[thread(priority = 2, stack = 1024, shared = [&cell])]
    fn two(_: two::Context) {}
}
