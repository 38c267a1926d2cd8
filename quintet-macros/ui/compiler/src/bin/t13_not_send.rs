//! T13: what a thread is started with, shares or owns comes from elsewhere.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        pointer: *const u8,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { pointer: core::ptr::null() }, Local {})
    }

    #[thread(priority = 2, stack = 1024, shared = [pointer])]
    fn worker(_: worker::Context, argument: *const u8) {}
}
